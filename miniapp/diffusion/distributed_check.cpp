// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/distributed_check.hpp"

#include <algorithm>

#include "diffusion/padded_copy.hpp"
#include "diffusion/reference.hpp"
#include "runtime/messages.hpp"

namespace parity::diffusion {
namespace {

/// The test field's values in these shares.
template <class T>
std::vector<T> random_part(const Problem& whole, const Share& x, const Share& y, const Share& z) {
  std::vector<T> part(std::size_t(x.size * y.size * z.size));
#pragma omp parallel for
  for (std::int64_t row = 0; row < z.size * y.size; ++row) {
    const std::int64_t k = z.first + row / y.size, j = y.first + row % y.size;
    for (std::int64_t i = 0; i < x.size; ++i)
      part[std::size_t(row * x.size + i)] =
          T(random_value(whole.seed, std::uint64_t((k * whole.ny + j) * whole.nx + x.first + i)));
  }
  return part;
}

Share common(const Share& a, const Share& b) {
  const std::int64_t first = std::max(a.first, b.first), end = std::min(a.first + a.size, b.first + b.size);
  return {first, std::max<std::int64_t>(0, end - first)};
}

Share planes_checked_by(const Problem& whole, int rank) { return share_of(whole.nz, whole.ranks(), rank); }

std::int64_t plane_values(const Part& p) { return p.local.pitch() * p.local.rows(); }

Problem with_planes(Problem p, std::int64_t nz) {
  p.nz = nz;
  p.ranks_x = p.ranks_y = p.ranks_z = 1;
  return p;
}

}  // namespace

template <class T>
DistributedCheck<T>::DistributedCheck(const Problem& whole, int rank)
    : own(part_of(whole, rank)),
      field(random_part<T>(whole, own.x, own.y, own.z)),
      whole_(whole),
      rank_(rank),
      planes_(planes_checked_by(whole, rank)),
      checked_(with_planes(whole, planes_.size)) {
  if (planes_.size == 0) return;
  if (whole.divides_planes()) input_ = random_part<T>(whole, {0, whole.nx}, {0, whole.ny}, planes_);
  expected_ = fourier_solution(checked_, whole.divides_planes() ? input_.data() : field.data());
}

/// Allocates the memory; the threads that check it touch it first.
template <class T>
typename DistributedCheck<T>::Room DistributedCheck<T>::room() const {
  Room all{{}, runtime::HostArray<T>(checked_.points()), runtime::HostArray<T>(checked_.padded_points())};
  for (int peer = 0; peer < int(whole_.ranks()); ++peer) {
    const Part theirs = part_of(whole_, peer);
    const Share planes = common(theirs.z, planes_);
    if (planes.size == 0) continue;
    const std::int64_t values = peer == rank_ ? 0 : planes.size * plane_values(theirs);
    all.pieces.push_back({theirs, peer, planes, runtime::HostArray<T>(values)});
  }
  return all;
}

/// Assembles the planes that this rank checks, with their halo, from all ranks' parts. If any part's halo
/// differs from the interior that it repeats, all values become NaN.
template <class T>
const T* DistributedCheck<T>::planes_of(const T* padded) {
  if (!room_) room_ = room();
  Room& all = *room_;
  const auto own_planes = [&](const Share& planes) {
    return padded + (planes.first - own.z.first) * plane_values(own);
  };
  std::vector<runtime::Message> receive, send;
  for (Piece& p : all.pieces) {
    if (p.rank == rank_) continue;
    p.values.fill(poison<T>);
    receive.push_back({p.rank, p.values.data(), p.values.size() * std::int64_t(sizeof(T))});
  }
  for (int peer = 0; peer < int(whole_.ranks()); ++peer) {
    const Share wanted = common(own.z, planes_checked_by(whole_, peer));
    if (peer == rank_ || wanted.size == 0) continue;
    send.push_back({peer, const_cast<T*>(own_planes(wanted)),
                    wanted.size * plane_values(own) * std::int64_t(sizeof(T))});
  }
  runtime::Messages messages(receive, send, runtime::Messages::Path::host);
  messages.start();
  messages.wait(nullptr);

  const std::int64_t nx = whole_.nx, ny = whole_.ny, h = whole_.halo;
  const auto values_of = [&](const Piece& p) {
    return p.rank == rank_ ? own_planes(p.planes) : p.values.data();
  };
  T* const interior = all.interior.data();
  all.interior.fill(poison<T>);
  for (const Piece& p : all.pieces) {
    const T* const values = values_of(p);
#pragma omp parallel for
    for (std::int64_t row = 0; row < p.planes.size * p.part.y.size; ++row) {
      const std::int64_t k = row / p.part.y.size, j = row % p.part.y.size;
      const T* const from = values + k * plane_values(p.part) + (h + j) * p.part.local.pitch() + h;
      std::copy(
          from, from + p.part.x.size,
          interior + ((p.planes.first - planes_.first + k) * ny + p.part.y.first + j) * nx + p.part.x.first);
    }
  }
  bool same = true;
  for (const Piece& p : all.pieces) {
    const T* const values = values_of(p);
#pragma omp parallel for reduction(&& : same)
    for (std::int64_t row = 0; row < p.planes.size * p.part.local.rows(); ++row) {
      const std::int64_t k = p.planes.first - planes_.first + row / p.part.local.rows(),
                         j = wrap(p.part.y.first + row % p.part.local.rows() - h, ny);
      const T* const from = values + row * p.part.local.pitch();
      for (std::int64_t i = 0; i < p.part.local.pitch(); ++i)
        same = same && from[i] == interior[std::size_t((k * ny + j) * nx + wrap(p.part.x.first + i - h, nx))];
    }
  }
  gather_with_halo(checked_, nx, interior, h, all.padded.data());
  if (!same) all.padded.fill(poison<T>);
  return all.padded.data();
}

template <class T>
harness::Verdict DistributedCheck<T>::verdict(const T* padded, bool unchanged, double gate) {
  const T* const planes = whole_.divides_planes() ? planes_of(padded) : padded;
  const T* const input = whole_.divides_planes() ? input_.data() : field.data();
  harness::Verdict v = unchanged ? verify_unchanged(checked_, input, planes)
                                 : verify(checked_, input, expected_, planes, gate);
  v.error = runtime::largest(v.error);
  return v;
}

template class DistributedCheck<float>;
template class DistributedCheck<double>;

}  // namespace parity::diffusion
