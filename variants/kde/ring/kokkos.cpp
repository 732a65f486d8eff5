// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-ring: samples shared by ranks, blocks of them pass round; a block's sums as
// kokkos-register-tile's. Twin of cuda-ring, openmp-ring.
#include "backend/kokkos/kde/register_tile.hpp"
#include "kde/ring.hpp"

namespace parity::kde {
namespace {

template <class T, int R, class Term, int threads, int least_blocks, int unroll>
class RingPart {
 public:
  static constexpr bool on_device = compat::exec_is_device();

  RingPart(const Problem& part, std::int64_t block, const Tuning&)
      : s_(part, block),
        split_(ring_split(
            on_device ? split_for(block, R * team_size, resident_teams(s_.exec, team_size, least_blocks))
                      : split_into(block, R * team_size, 1),
            part.n, R * team_size)),
        rooms_{Array<T>("block", std::size_t(block)), Array<T>("block", std::size_t(block))},
        sums_("sums", std::size_t(part.n)),
        partial_("partial sums", std::size_t(split_.chunks > 1 ? split_.chunks * part.n : 0)) {}

  void load(const T* samples) const { s_.load(samples); }
  void store(T* density) const { s_.store(density); }
  void synchronise() const { s_.synchronise(); }
  void* stream() const { return compat::stream_of(s_.exec); }
  runtime::DeviceClock* clock() const { return s_.clock(); }
  T* block(int which) const { return which == 0 ? const_cast<T*>(s_.data()) : rooms_[which - 1].data(); }

  void clear() const { Kokkos::deep_copy(s_.exec, sums_, ExactSum{0, 0}); }
  void add(const T* block) const {
    if (s_.p.n == 0) return;
    const RingSink<T> sink{sums_.data(), split_.chunks > 1 ? partial_.data() : nullptr, s_.p.n};
    Kokkos::parallel_for("parity::kde::ring",
                         typename Functor::Policy(s_.exec, split_.tiles * split_.chunks, team_size)
                             .set_scratch_size(0, Kokkos::PerTeam(int(Functor::scratch_bytes))),
                         Functor{s_.data(), block, Term(s_.p.bandwidth), split_, sink});
    if (split_.chunks > 1)
      Kokkos::parallel_for("parity::kde::second_pass", queries(),
                           SecondPassFunctor<RingSink<T>>{sink, split_.chunks});
  }
  void finish(double norm) const {
    Kokkos::parallel_for("parity::kde::ring_density", queries(),
                         RingDensity<T>{sums_.data(), s_.density(), norm});
  }

 private:
  using Functor = RegisterTileFunctor<T, R, Term, threads, least_blocks, unroll, RingSink<T>>;
  static constexpr int team_size = on_device ? threads : 1;
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> queries() const { return {s_.exec, 0, s_.p.n}; }

  Samples<T> s_;
  Split split_;
  Array<T> rooms_[2];
  Array<ExactSum> sums_, partial_;
};

#ifdef KOKKOS_ENABLE_CUDA
template <class T>
std::unique_ptr<Variant<T>> make(const Problem& p, const Tuning& t) {
  // As cuda-ring.
  if constexpr (sizeof(T) == 4)
    return make_ring<T, RingPart<T, 4, HardwareTerm<T>, 128, 8, 16>>(p, t);
  else
    return make_ring<T, RingPart<T, 4, HardwareTerm<T>, 256, 1, 2>>(p, t);
}
#else
template <class T>
std::unique_ptr<Variant<T>> make(const Problem& p, const Tuning& t) {
  return make_ring<T, RingPart<T, 64, PolynomialTerm<T>, 1, 1, 1>>(p, t);
}
#endif

}  // namespace

Entry ring_kokkos() {
  Entry e = ring_entry(Entry());
  e.launches = compat::exec_is_device() ? 4 : 3;
  if (!compat::exec_is_device()) e.operations = 22;
  e.extra_bytes = [](const Problem& p) { return ring_bytes(p) + 2 * partial_bytes(own_part(p)); };
  e.make_f32 = make<float>;
  e.make_f64 = make<double>;
  return e;
}

}  // namespace parity::kde
