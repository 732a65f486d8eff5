// SPDX-License-Identifier: BSD-3-Clause
// Native variants whose steps are launches of their own: under every mechanism that captures a stream.
#pragma once
#include "cuda/graph.hpp"
#include "cuda_field.cuh"
#include "diffusion/schedule.hpp"

namespace parity::cuda {

/// Derived launches one step on stream_ and may replace finish.
template <class T>
class CudaSteps : public CudaFieldPair<T>, protected Launches {
 public:
  CudaSteps(const Problem& p, std::int64_t pad, std::int64_t pitch = 0)
      : CudaFieldPair<T>(p, pad, pitch), schedule_(p.steps) {}

  void prepare(const Mechanism& mechanism) override {
    schedule_.prepare(mechanism.schedule, [this](const std::function<void(Launches&)>& body) {
      return capture(this->stream_, [&] { body(*this); });
    });
  }
  void advance() override { this->result_ = schedule_.run(*this); }

 protected:
  virtual void launch_step(T* in, T* out) = 0;  ///< may complete the halo of 'in'
  void step(int from) final { launch_step(this->field_[from].data(), this->field_[1 - from].data()); }
  void copy_back() override {
    const auto& from = this->field_[1];
    PARITY_CUDA(cudaMemcpyAsync(this->field_[0].data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice,
                                this->stream_));
  }
  void finish(int at) override {
    if (this->pad_ > 0) this->update_halo(this->field_[at].data());
  }

 private:
  StepSchedule schedule_;
};

/// The entry of a native variant; name and summary stand in variants.def.
template <template <class> class V>
Entry stepped_entry(std::vector<std::string> tunings, const char* axes) {
  Entry e;
  e.tunings = std::move(tunings);
  e.tuning_axes = axes;
  e.stepped = true;
  return with_factories<V>(std::move(e));
}

}  // namespace parity::cuda
