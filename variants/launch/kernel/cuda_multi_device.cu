// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-kernel-multi-device: one cooperative launch on several GPUs; the first of them waits and
// counts.
#include "backend/cuda/launch/multi_device.cuh"

namespace parity::launch {

#ifdef PARITY_HAS_MULTI_DEVICE_LAUNCH
namespace {

class MultiDeviceLaunch : public Probe {
 public:
  explicit MultiDeviceLaunch(const Problem& p) : p_(p), devices_(p) {}
  void start(int count, const Work& work) override {
    Work idle = work;
    idle.units = 0;
    idle.extra_ticks = 0;
    idle.count = nullptr;
    Call first(work, p_.argument_bytes), others(idle, p_.argument_bytes);
    for (int k = 0; k < count; ++k)
      devices_.launch(first.function(),
                      [&](int d) { return d == 0 ? first.arguments() : others.arguments(); });
  }
  void synchronise() override { devices_.synchronise(); }
  void* stream() const override { return devices_.first(); }

 private:
  Problem p_;
  MultiDevice devices_;
};

}  // namespace

Entry kernel_cuda_multi_device() {
  Entry e = cuda_probe<MultiDeviceLaunch>(Role::launch);
  e.most_argument_bytes = most_argument_bytes;
  e.many_devices = true;
  e.refuse = [](const Problem& p) -> std::optional<std::string> {
    Work wait;
    wait.kind = Kind::wait;
    return why_no_multi_device(Call(wait, p.argument_bytes).function(), p);
  };
  return e;
}
#else
Entry kernel_cuda_multi_device() { return cannot(Role::launch, no_multi_device_launch); }
#endif

}  // namespace parity::launch
