// SPDX-License-Identifier: BSD-3-Clause
// Two rows at a time from a warp of one team to a warp of another that is at work, through a GPU's memory.
//
// Words of 64 bits hold two floats or a double; each is written and read as one. A word that has not come is
// 'empty', a signalling NaN, which no arithmetic makes: there is no flag and no count. A lane writes words
// for the same lane there, which empties what it has taken.
#pragma once
#include <cstdint>
#include <cstring>

#include "runtime/lanes.hpp"

namespace parity::diffusion {

/// A message: a lane's words of two rows, 32 words apart.
template <class T, int columns>
struct Message {
  // Kokkos 4.6 makes loops of compare-and-swap of atomic_load and atomic_store.
  using Word = unsigned long long;
  static constexpr int values = 8 / int(sizeof(T)), words = columns / values, row = 32 * words,
                       two_rows = 2 * row;
  static constexpr Word empty = sizeof(T) == 4 ? 0xffbfffffffbfffffull : 0xfff7fffffff7ffffull;
  /// Looks at a place before a warp gives up: some seconds.
  static constexpr int most_tries = 1 << 21;
  static_assert(words * values == columns, "rows fill words");

  static PARITY_INLINE void put(const T (&v)[columns], Word* place) {
    volatile Word* const to = place;
    PARITY_UNROLL
    for (int w = 0; w < words; ++w) {
      Word word;
      T some[values];
      PARITY_UNROLL
      for (int n = 0; n < values; ++n) some[n] = v[w * values + n];
      memcpy(&word, some, sizeof word);
      to[w * 32] = word;
    }
  }
  /// Both rows, as far as they have come.
  static PARITY_INLINE void fetch(T (&rows)[2][columns], const Word* place) {
    PARITY_UNROLL
    for (int which = 0; which < 2; ++which) {
      const volatile Word* const from = place + which * row;
      PARITY_UNROLL
      for (int w = 0; w < words; ++w) {
        const Word word = from[w * 32];
        T some[values];
        memcpy(some, &word, sizeof word);
        PARITY_UNROLL
        for (int n = 0; n < values; ++n) rows[which][w * values + n] = some[n];
      }
    }
  }
  /// True if that was all. The upper half of a word tells.
  static PARITY_INLINE bool complete(const T (&rows)[2][columns]) {
    bool all = true;
    PARITY_UNROLL
    for (int which = 0; which < 2; ++which) {
      PARITY_UNROLL
      for (int w = 0; w < words; ++w) {
        std::uint32_t bits[sizeof(T) / 4];
        memcpy(bits, &rows[which][(w + 1) * values - 1], sizeof(T));
        all = all & (bits[sizeof(T) / 4 - 1] != std::uint32_t(empty >> 32));
      }
    }
    return all;
  }
  static PARITY_INLINE void clear(Word* place) {
    volatile Word* const at = place;
    PARITY_UNROLL
    for (int w = 0; w < 2 * words; ++w) at[w * 32] = empty;
  }
};

/// Messages take turns in 'turns' places, and every turns / 2 of them each side fences. Neighbours are at
/// most one message apart, so that each side has fenced between a word's emptying and its next use.
template <class T, int columns, int turns_>
struct Mailbox : Message<T, columns> {
  using M = Message<T, columns>;
  using typename M::Word;
  static constexpr int turns = turns_, size = turns * M::two_rows;

  /// Row 0 or 1 of a message.
  static PARITY_INLINE Word* place(Word* box, unsigned message, int which) {
    return box + (message % turns * 2 + which) * M::row;
  }
  static PARITY_INLINE void put(const T (&v)[columns], int which, Word* box, unsigned message) {
    M::put(v, place(box, message, which));
  }
  static PARITY_INLINE void fetch(T (&rows)[2][columns], Word* box, unsigned message) {
    M::fetch(rows, place(box, message, 0));
  }
  /// Waits for what has been asked for, the whole warp, and empties its place. Calls give_up() and returns if
  /// it does not come.
  template <class Fence, class GiveUp>
  static PARITY_INLINE void take(T (&rows)[2][columns], Word* box, unsigned message, const Fence& fence,
                                 const GiveUp& give_up) {
    for (int tries = 0; runtime::any_lane(!M::complete(rows)); ++tries) {
      if (tries == M::most_tries) return give_up();
      fetch(rows, box, message);
    }
    M::clear(place(box, message, 0));
    if (message % (turns / 2) == turns / 2 - 1) fence();
  }
};

/// Messages of a team to one that is beside it. A nest of up to 32 steps has one half of the places, a place
/// a step, and both sides fence between nests: in the step there is no count and no fence. A short nest ends
/// where a long one does, and the last step's message goes behind it, where nobody reads: all that is read is
/// read in its launch.
template <class T, int columns>
struct NestMailbox : Message<T, columns> {
  static constexpr int steps = 32, half = (steps + 1) * Message<T, columns>::two_rows, size = 2 * half;
  /// The first place of a nest of so many steps.
  static PARITY_INLINE int first(int nest, int some) {
    return nest % 2 * half + (steps - some) * Message<T, columns>::two_rows;
  }
};

}  // namespace parity::diffusion
