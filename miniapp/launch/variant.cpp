// SPDX-License-Identifier: BSD-3-Clause
#include "launch/variant.hpp"

#include "runtime/hold.hpp"

namespace parity::launch {
namespace {

class HeldStream : public QueueHold {
 public:
  explicit HeldStream(void* stream) : hold_(stream) {}
  void release() override { hold_.release(); }

 private:
  runtime::Hold hold_;
};

}  // namespace

std::unique_ptr<runtime::DeviceClock> Probe::make_clock() { return runtime::make_clock(stream()); }
std::unique_ptr<QueueHold> Probe::hold() { return std::make_unique<HeldStream>(stream()); }

int kernels_of(const Entry& e, const Problem& p, int count) {
  if (e.kernels_of) return e.kernels_of(p, count);
  if (e.role == Role::barrier) return count > 0 ? 1 : 0;
  return p.topology == Topology::fork ? 5 * count : count;
}

}  // namespace parity::launch
