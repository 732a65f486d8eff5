// SPDX-License-Identifier: BSD-3-Clause
// One line per study; each study's folder holds the rest.
#include "studies.hpp"

#include "diffusion/study.hpp"

namespace parity {
namespace kde {
struct Problem;
struct Entry;
const harness::StudyOf<Problem, Entry>& study();
}  // namespace kde
namespace launch {
struct Problem;
struct Entry;
const harness::StudyOf<Problem, Entry>& study();
}  // namespace launch

const harness::Studies& studies() {
  static const harness::Studies list = {
      &diffusion::study(),
      &kde::study(),
      &launch::study(),
  };
  return list;
}

}  // namespace parity
