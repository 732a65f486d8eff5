// SPDX-License-Identifier: BSD-3-Clause
// The stand-in for cupti_tracer.cu in a build without CUDA or without CUPTI.
#include "launch/instrument.hpp"

namespace parity::launch {

std::unique_ptr<Tracer> make_tracer(std::string* why_not) {
  *why_not = "no CUPTI in this build";
  return nullptr;
}

}  // namespace parity::launch
