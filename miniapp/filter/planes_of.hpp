// SPDX-License-Identifier: BSD-3-Clause
// Some planes of a field, as a field: what one of several ranks filters.
#pragma once
#include "io/field_file.hpp"
#include "runtime/share.hpp"

namespace parity::filter {

/// Planes keep their numbers.
class PlanesOf : public io::Field {
 public:
  PlanesOf(io::Field& whole, const runtime::Share& planes) : whole_(whole), planes_(planes) {}

  std::string name() const override { return whole_.name(); }
  io::Shape shape() const override {
    io::Shape s = whole_.shape();
    s.nz = planes_.size;
    return s;
  }
  std::vector<io::Block> blocks_among(std::int64_t most, const runtime::Share& planes) const override {
    return whole_.blocks_among(most, {planes_.first + planes.first, planes.size});
  }
  std::string plane_name(const io::Block& b, std::int64_t k) const override {
    return whole_.plane_name(b, k);
  }
  void read(const io::Block& b, float* v) override { whole_.read(b, v); }
  void read(const io::Block& b, double* v) override { whole_.read(b, v); }
  void write(const io::Block& b, const float* v) override { whole_.write(b, v); }
  void write(const io::Block& b, const double* v) override { whole_.write(b, v); }

 private:
  io::Field& whole_;
  const runtime::Share planes_;
};

}  // namespace parity::filter
