// SPDX-License-Identifier: BSD-3-Clause
#include "launch/buffers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace parity::launch {
namespace {

/// Read before the arrays: constants of the kinds that compute, unknown to the compiler.
constexpr float constants[4] = {0.5f, 1.0f, multiply_add_fixed_point, exponential_fixed_point};
float value(std::int64_t word) { return float((word * 2654435761LL) & 0xffff) + 1.0f; }

}  // namespace

Buffers::Buffers(bool on_device, std::int64_t words)
    : words_((std::max<std::int64_t>(words, 4) + 3) / 4 * 4) {
  host_ = std::make_unique<runtime::HostArray<float>>(2 * words_);
  if (on_device) device_ = std::make_unique<runtime::DeviceMemory>(2 * words_ * 4);
  base_ = device_ ? static_cast<float*>(device_->data()) : host_->data();
}

void Buffers::fill(Kind kind) {
  float* const host = host_->data();
  for (std::int64_t w = 0; w < words_; ++w) host[w] = value(w);
  if (kind != Kind::copy) std::copy(constants, constants + 4, host);
  std::fill(host + words_, host + 2 * words_, std::numeric_limits<float>::quiet_NaN());
  if (device_) device_->write(host, 2 * words_ * 4);
}

Work Buffers::work(Kind kind, int rounds) const {
  Work w;
  w.kind = kind;
  w.from = base_;
  w.to = base_ + words_;
  w.words = words_;
  w.rounds = rounds;
  return w;
}

double Buffers::error(Kind kind, std::int64_t words) const {
  std::vector<float> found(std::size_t(2 * words_));
  if (device_)
    device_->read(found.data(), 2 * words_ * 4);
  else
    std::copy(host_->data(), host_->data() + 2 * words_, found.begin());
  double largest = 0;
  for (std::int64_t w = 0; w < words; ++w) {
    const double expected = kind == Kind::copy            ? value(w)
                            : kind == Kind::multiply_adds ? chains * multiply_add_fixed_point
                                                          : chains * exponential_fixed_point;
    const double e = std::abs(double(found[std::size_t(words_ + w)]) - expected) / expected;
    if (!(e <= largest)) largest = std::isnan(e) ? std::numeric_limits<double>::infinity() : e;
  }
  return largest;
}

}  // namespace parity::launch
