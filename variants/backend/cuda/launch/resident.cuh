// SPDX-License-Identifier: BSD-3-Clause
// Base of the probes of grids whose blocks are all resident and poll words of memory.
#pragma once
#include "backend/cuda/buffer.cuh"
#include "backend/cuda/launch/probe.cuh"

namespace parity::launch {

/// A kernel that passes a barrier 'count' times; its blocks poll 'words', which are 0 when it begins.
using PassingKernel = void (*)(Work, int count, unsigned* words);

class ResidentProbe : public CudaProbe {
 protected:
  ResidentProbe(const Problem& p, std::int64_t words) : CudaProbe(p), words_(words) {}
  void launch(PassingKernel kernel, int count, const Work& work) {
    PARITY_CUDA(cudaMemsetAsync(words_.data(), 0, words_.bytes(), stream_));
    Work w = work;
    unsigned* words = words_.data();
    void* arguments[] = {&w, &count, &words};
    PARITY_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid_, block_, arguments,
                                            0, stream_));
  }

 private:
  cuda::Buffer<unsigned> words_;
};

inline std::optional<std::string> why_not_resident(PassingKernel kernel, const Problem& p) {
  return why_not_cooperative(reinterpret_cast<const void*>(kernel), p);
}

}  // namespace parity::launch
