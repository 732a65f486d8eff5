// SPDX-License-Identifier: BSD-3-Clause
// Passes two rows at a time through a GPU's memory from a warp of a team to a warp of another, resident team.
//
// Words of 64 bits hold two floats or a double; each is written and read as one. A word that has not arrived
// is 'empty', a signalling NaN, which no arithmetic produces: there is neither a flag nor a count. A lane
// writes words for the same lane of the other warp, which empties what it has taken.
#pragma once
#include <cstdint>
#include <cstring>

#include "runtime/lanes.hpp"

namespace parity::diffusion {

/// A message: each lane's words of two rows, 32 words apart.
template <class T, int columns>
struct Message {
  // Volatile, because Kokkos 4.6 turns atomic_load and atomic_store into loops of compare-and-swap.
  using Word = unsigned long long;
  static constexpr int values = 8 / int(sizeof(T)), words = columns / values, row = 32 * words,
                       two_rows = 2 * row;
  static constexpr Word empty = sizeof(T) == 4 ? 0xffbfffffffbfffffull : 0xfff7fffffff7ffffull;
  /// Polls before a warp gives up: some seconds.
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
  /// Reads both rows; words that have not arrived are empty.
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
  /// True if all words have arrived, which the upper half of each word shows.
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

/// Messages use 'turns' places in turn, and each side fences after every turns / 2 of them. Neighbours are at
/// most one message apart, so that each side has fenced between a word's emptying and its next use.
template <class T, int columns, int turns_>
struct Mailbox : Message<T, columns> {
  using M = Message<T, columns>;
  using typename M::Word;
  static constexpr int turns = turns_, size = turns * M::two_rows;

  /// Address of row 0 or 1 of a message.
  static PARITY_INLINE Word* place(Word* box, unsigned message, int which) {
    return box + (message % turns * 2 + which) * M::row;
  }
  static PARITY_INLINE void put(const T (&v)[columns], int which, Word* box, unsigned message) {
    M::put(v, place(box, message, which));
  }
  static PARITY_INLINE void fetch(T (&rows)[2][columns], Word* box, unsigned message) {
    M::fetch(rows, place(box, message, 0));
  }
  /// Waits, with the whole warp, for a fetched message, and empties its place. If the message does not
  /// arrive, it calls give_up() and returns.
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

/// Mailbox between adjacent teams. A nest of up to 32 steps uses one half of the places, one per step, and
/// both sides fence between nests: a step has neither a count nor a fence. A short nest ends where a long one
/// does, and the last step's message goes behind it, where nobody reads: each message is read in its own
/// launch.
template <class T, int columns>
struct NestMailbox : Message<T, columns> {
  static constexpr int steps = 32, half = (steps + 1) * Message<T, columns>::two_rows, size = 2 * half;
  /// The first place of a nest of 'some' steps.
  static PARITY_INLINE int first(int nest, int some) {
    return nest % 2 * half + (steps - some) * Message<T, columns>::two_rows;
  }
};

}  // namespace parity::diffusion
