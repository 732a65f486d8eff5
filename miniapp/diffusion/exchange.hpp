// SPDX-License-Identifier: BSD-3-Clause
// Data movement of a halo exchange: between the field and messages, one to and one from each neighbour, and
// within the field if the halo repeats the part's own points.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "diffusion/column.hpp"
#include "diffusion/decomposition.hpp"
#include "diffusion/stencil.hpp"
#include "runtime/exchange_paths.hpp"

namespace parity::diffusion {

/// A copy of one region of every plane.
template <class T>
struct Move {
  const T* from;
  T* to;
  std::int64_t from_plane, to_plane;  ///< values from plane to plane
  int from_pitch, to_pitch;           ///< values from row to row
  int rows, columns;
  int end = 0;         ///< cells of a plane in this and all earlier moves
  bool packs = false;  ///< a cell is a pack, otherwise a value
};

/// The moves of up to eight regions of a halo. As a kernel it takes a cell and a plane.
template <class T>
struct Moves {
  Move<T> all[8];
  int count = 0;

  /// The first row's address in the first plane, values from plane to plane, values from row to row.
  struct End {
    T* data;
    std::int64_t plane;
    int pitch;
  };
  void add(const End& from, const End& to, std::int64_t rows, std::int64_t columns) {
    Move<T> move;
    move.from = from.data, move.from_plane = from.plane, move.from_pitch = from.pitch;
    move.to = to.data, move.to_plane = to.plane, move.to_pitch = to.pitch;
    move.rows = int(rows), move.columns = int(columns);
    const auto whole = [](std::int64_t values) { return values % pack_width<T> == 0; };
    const auto aligned = [](const T* p) {
      return reinterpret_cast<std::uintptr_t>(p) % sizeof(Pack<T>) == 0;
    };
    move.packs = aligned(move.from) && aligned(move.to) && whole(move.from_plane) && whole(move.to_plane) &&
                 whole(move.from_pitch) && whole(move.to_pitch) && whole(move.columns);
    move.end = cells() + move.rows * move.columns / (move.packs ? pack_width<T> : 1);
    all[count++] = move;
  }
  int cells() const { return count == 0 ? 0 : all[count - 1].end; }
  /// Rows of all regions of a plane. copy_row() copies one of them, for hosts.
  int rows() const {
    int n = 0;
    for (int m = 0; m < count; ++m) n += all[m].rows;
    return n;
  }
  void copy_row(std::int64_t row, std::int64_t plane) const {
    const Move<T>* move = all;
    while (row >= move->rows) row -= move++->rows;
    const T* const from = move->from + plane * move->from_plane + row * move->from_pitch;
    std::copy(from, from + move->columns, move->to + plane * move->to_plane + row * move->to_pitch);
  }
  PARITY_INLINE void operator()(int cell, int plane) const {
    int m = 0, first = 0;
    while (cell >= all[m].end) first = all[m++].end;
    const Move<T>& move = all[m];
    const int columns = move.columns / (move.packs ? pack_width<T> : 1), row = (cell - first) / columns;
    const int column = (cell - first - row * columns) * (move.packs ? pack_width<T> : 1);
    const T* const from = move.from + plane * move.from_plane + std::int64_t(row) * move.from_pitch + column;
    T* const to = move.to + plane * move.to_plane + std::int64_t(row) * move.to_pitch + column;
    if (move.packs)
      *reinterpret_cast<Pack<T>*>(to) = *reinterpret_cast<const Pack<T>*>(from);
    else
      *to = *from;
  }
};

/// The 13-point update of up to four regions of every plane. As a kernel it takes a cell and a plane.
template <class T>
struct RegionUpdate {
  const T* in;  ///< address of the first interior point of the first plane
  T* out;
  std::int64_t plane_values;
  std::ptrdiff_t pitch;
  T alpha;
  int row[4], column[4], columns[4], end[4];
  int count = 0;

  void add(const Region& r) {
    const int before = cells();
    row[count] = int(r.row), column[count] = int(r.column), columns[count] = int(r.columns);
    end[count++] = before + int(r.cells());
  }
  int cells() const { return count == 0 ? 0 : end[count - 1]; }
  PARITY_INLINE void operator()(int cell, int plane) const {
    int m = 0, first = 0;
    while (cell >= end[m]) first = end[m++];
    const int j = (cell - first) / columns[m], i = cell - first - j * columns[m];
    const std::ptrdiff_t at = plane * plane_values + (row[m] + j) * pitch + column[m] + i;
    out[at] = update_at(alpha, FlatNeighbours<T>{in + at, pitch});
  }
};

/// Memory layout of a part, in values: offset of the first interior point, row pitch, plane pitch.
struct FieldShape {
  std::int64_t origin, pitch, plane;
  /// A contiguous array (nz, ny + 2 m.y, nx + 2 m.x) with the part's sizes.
  FieldShape(const Problem& part, const Margin& m)
      : origin(m.y * (part.nx + 2 * m.x) + m.x),
        pitch(part.nx + 2 * m.x),
        plane(pitch * (part.ny + 2 * m.y)) {}
  FieldShape(std::int64_t first, std::int64_t row_pitch, std::int64_t plane_values)
      : origin(first), pitch(row_pitch), plane(plane_values) {}
};

/// The exchange of one rank.
template <class T>
class HaloExchange {
 public:
  HaloExchange(const Problem& whole, int rank, const Margin& depth, const FieldShape& shape);

  /// Values that this rank sends and receives in each exchange.
  std::int64_t values_sent() const { return sent_; }
  std::int64_t values_received() const { return received_; }
  /// Values of its longest message; 0 without messages.
  std::int64_t longest_message() const;
  /// True if this rank exchanges with another rank.
  bool has_messages() const { return !receive_.empty(); }
  /// Makes the messages; send and receive hold values_sent() and values_received() values.
  /// beside_kernels: see make_exchange.
  void connect(T* send, T* receive, runtime::Transport transport, bool on_device,
               bool beside_kernels = false);
  runtime::PersistentExchange& messages() { return *messages_; }

  /// Copies from the field's interior into messages, and into the part of the halo that repeats this part.
  Moves<T> pack(T* field) const;
  /// Copies from messages into the halo.
  Moves<T> unpack(T* field) const;

 private:
  struct Packed {
    Region region;  ///< in the field
    std::int64_t offset;
  };
  struct Letter {
    int peer;
    std::int64_t offset, values;
  };
  T* at(T* field, const Region& r) const { return field + shape_.origin + r.row * shape_.pitch + r.column; }

  std::int64_t planes_;
  FieldShape shape_;
  std::vector<HaloRegion> own_;  ///< regions that repeat this part
  std::vector<Packed> packed_, unpacked_;
  std::vector<Letter> send_, receive_;
  std::int64_t sent_ = 0, received_ = 0;
  T *send_values_ = nullptr, *receive_values_ = nullptr;
  std::unique_ptr<runtime::PersistentExchange> messages_;
};

}  // namespace parity::diffusion
