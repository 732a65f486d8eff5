// SPDX-License-Identifier: BSD-3-Clause
#include "launch/logbook.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace parity::launch {

Logbook::Logbook(bool on_device, int events, std::int64_t last)
    : capacity_(2 * events + 8),
      last_(last),
      stamps_(2 * std::size_t(capacity_) * sizeof(Stamp), on_device),
      on_device_(on_device ? std::make_unique<runtime::DeviceMemory>(sizeof(EventLog)) : nullptr) {
  clear();
}

EventLog* Logbook::log() const {
  return on_device_ ? static_cast<EventLog*>(on_device_->data()) : const_cast<EventLog*>(&on_host_);
}

void Logbook::clear() {
  Stamp* const all = static_cast<Stamp*>(stamps_.data());
  std::memset(static_cast<void*>(all), 0, 2 * std::size_t(capacity_) * sizeof(Stamp));
  on_host_ = EventLog{{all, all + capacity_}, {0, 0}, capacity_, last_};
  if (on_device_) on_device_->write(&on_host_, sizeof on_host_);
}

const Stamp& Logbook::stamp(int who, int place) const {
  return static_cast<const Stamp*>(
      stamps_.data())[std::size_t(who) * std::size_t(capacity_) + std::size_t(place)];
}

int Logbook::over() const {
  int n = 0;
  while (n < capacity_ && const_cast<const volatile Stamp&>(stamp(0, n)).end != 0) ++n;
  return n;
}

std::vector<Span> Logbook::events() const {
  std::vector<Span> all;
  // From the first stamp on: a double cannot hold the nanoseconds of a calendar.
  const auto seconds = [origin = stamp(0, 0).begin](std::int64_t t) { return 1e-9 * double(t - origin); };
  for (int k = 0, n = over(); k < n; ++k) {
    const Stamp &first = stamp(0, k), &last = stamp(1, k);
    const bool two = last.end != 0;
    all.push_back({seconds(two ? std::min(first.begin, last.begin) : first.begin),
                   seconds(two ? std::max(first.end, last.end) : first.end)});
  }
  return all;
}

double Logbook::resolution() const {
  std::int64_t divisor = 0;
  for (int k = 0, n = over(); k < n; ++k)
    for (const std::int64_t t : {stamp(0, k).begin, stamp(0, k).end})
      divisor = std::gcd(divisor, t - stamp(0, 0).begin);
  return 1e-9 * double(divisor);
}

}  // namespace parity::launch
