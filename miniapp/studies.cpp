// SPDX-License-Identifier: BSD-3-Clause
// One line a study; its folder holds the rest.
#include "studies.hpp"

#include "diffusion/study.hpp"
#include "kde/study.hpp"
#include "launch/study.hpp"
#include "roofs/study.hpp"

namespace parity {

const harness::Studies& studies() {
  static const harness::Studies list = {
      &diffusion::study(),
      &kde::study(),
      &launch::study(),
      &roofs::study(),
  };
  return list;
}

}  // namespace parity
