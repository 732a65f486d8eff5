// SPDX-License-Identifier: BSD-3-Clause
#include "tools/filter/shared_planes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "diffusion/decomposition.hpp"
#include "runtime/messages.hpp"

namespace parity::filter {

template <class T>
void SharedPlanes<T>::advance(T* values, std::int64_t planes, const Steps& steps) {
  runtime::broadcast(fmt::format("{} {} {:d} {:d}", planes, steps.count, steps.first, steps.last));
  take_part(values, planes, steps);
}

template <class T>
void SharedPlanes<T>::dismiss() {
  runtime::broadcast("");
}

template <class T>
void SharedPlanes<T>::help() {
  for (;;) {
    const std::string work = runtime::broadcast("");
    long long planes = 0, steps = 0;
    int first = 0, last = 0;
    if (std::sscanf(work.c_str(), "%lld %lld %d %d", &planes, &steps, &first, &last) != 4) return;
    take_part(nullptr, planes, {steps, first == 1, last == 1});
  }
}

template <class T>
void SharedPlanes<T>::take_part(T* values, std::int64_t planes, const Steps& steps) {
  if (!variant_ || made_.nz != planes || made_.steps != steps.count) {
    variant_.reset();
    made_ = p_;
    made_.nz = planes;
    made_.steps = steps.count;
    part_.resize(std::size_t(diffusion::part_of(made_, runtime::rank_info().rank).local.points()));
    variant_ = diffusion::entry_of(choice_).template make<T>(made_, choice_.tuning);
  }
  if (steps.first) hand_out(values, planes, false);
  variant_->load(part_.data());
  variant_->advance();
  variant_->synchronise();
  variant_->store_interior(part_.data());
  if (steps.last) hand_out(values, planes, true);
}

template <class T>
void SharedPlanes<T>::hand_out(T* values, std::int64_t planes, bool back) {
  const int here = runtime::rank_info().rank;
  for (std::int64_t k = 0; k < planes; ++k) {
    std::vector<runtime::Message> all;
    for (int rank = 0; rank < int(p_.ranks()); ++rank) {
      const diffusion::Part part = diffusion::part_of(p_, rank);
      const std::int64_t points = part.local.ny * part.local.nx;  // whole rows
      T* const of_plane = values + k * p_.ny * p_.nx + part.y.first * p_.nx;
      T* const own = part_.data() + k * points;
      if (here == rank && rank == 0)
        back ? std::copy(own, own + points, of_plane) : std::copy(of_plane, of_plane + points, own);
      else if (here == 0 || here == rank)
        all.push_back({here == 0 ? rank : 0, here == 0 ? of_plane : own, points * std::int64_t(sizeof(T))});
    }
    const bool sends = (here == 0) != back;
    runtime::Messages messages(sends ? std::vector<runtime::Message>() : all,
                               sends ? all : std::vector<runtime::Message>(), runtime::Messages::Path::host);
    messages.start();
    messages.wait(nullptr);
  }
}

template class SharedPlanes<float>;
template class SharedPlanes<double>;

}  // namespace parity::filter
