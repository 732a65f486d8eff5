// SPDX-License-Identifier: BSD-3-Clause
// The roofs study: every quantity notices a variant that does not do it, or not as often as it should.
#include <gtest/gtest.h>

#include "roofs/study.hpp"

namespace {

using namespace parity;
using namespace parity::roofs;

/// Does one pass less than it should, on the host; with none it does nothing.
template <class T, bool any>
class Lazy : public Variant<T> {
 public:
  Lazy(const Problem& p, const harness::Tuning&)
      : kind_(p.kind()), values_(std::size_t(p.values())), passes_(p.passes()) {}
  void load(const T* a, const T* b) override {
    a_.assign(a, a + values_), b_.assign(values_, T(NAN)), c_.assign(values_, T(NAN)), sums_ = {T(NAN)};
    if (kind_ == Kind::triad) b_.assign(b, b + values_);
  }
  void advance() override {
    if (!any) return;
    Arrays<T> d;
    d.a = a_.data(), d.b = b_.data(), d.c = c_.data(), d.values = std::int64_t(values_),
    d.passes = passes_ - 1;
    with_kind(kind_, [&](auto kind) { sums_[0] = all_passes<kind()>(d, 0, d.values, 1); });
  }
  void synchronise() override {}
  std::vector<T> store() override {
    return kind_ == Kind::read ? sums_ : kind_ == Kind::copy ? b_ : kind_ == Kind::triad ? c_ : a_;
  }

 private:
  Kind kind_;
  std::size_t values_;
  std::int64_t passes_;
  std::vector<T> a_, b_, c_, sums_;
};
template <class T>
using Nothing = Lazy<T, false>;
template <class T>
using OnePassLess = Lazy<T, true>;

bool passes(const Entry& e, const char* quantity, harness::Precision precision) {
  Problem p;
  p.quantity = quantity, p.precision = precision, p.bytes = 4096;
  harness::Choice c;
  c.entry = &e;
  const auto trials = study().task_of(p)->trials({c}, {});
  harness::Measurement row;
  return trials.at(0)->start(row).passed();
}

template <template <class> class Made>
Entry entry() {
  Entry e;
  e.name = "reference-lazy";
  return harness::with_factories<Made>(e);
}

TEST(Roofs, AVariantThatDoesNothingIsWrong) {
  for (const char* quantity : {"read", "copy", "triad", "multiply-add", "exponential", "dependent"})
    for (const auto precision : {harness::Precision::f32, harness::Precision::f64})
      EXPECT_FALSE(passes(entry<Nothing>(), quantity, precision)) << quantity;
}

TEST(Roofs, MultiplyAddsAreCounted) {
  for (const char* quantity : {"multiply-add", "dependent"})
    EXPECT_FALSE(passes(entry<OnePassLess>(), quantity, harness::Precision::f32)) << quantity;
  EXPECT_TRUE(passes(entry<OnePassLess>(), "copy", harness::Precision::f32)) << "one pass is as good as many";
}

TEST(Roofs, PartsHoldEveryValueOnce) {
  for (const std::int64_t values : {1, 7, 1000})
    for (const std::int64_t parts : {1, 2, 13}) {
      std::int64_t next = 0;
      for (std::int64_t k = 0; k < parts; ++k) {
        const Part part = part_of(values, parts, k);
        EXPECT_EQ(part.begin, next);
        next = part.end;
      }
      EXPECT_EQ(next, values);
    }
}

}  // namespace
