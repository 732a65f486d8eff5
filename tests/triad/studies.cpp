// SPDX-License-Identifier: BSD-3-Clause
// miniapp/studies.cpp with one line more.
#include "studies.hpp"

#include "diffusion/study.hpp"
#include "kde/study.hpp"
#include "launch/study.hpp"
#include "study.hpp"

namespace parity {

const harness::Studies& studies() {
  static const harness::Studies list = {
      &diffusion::study(),
      &kde::study(),
      &launch::study(),
      &triad::study(),
  };
  return list;
}

}  // namespace parity
