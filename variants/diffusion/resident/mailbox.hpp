// SPDX-License-Identifier: BSD-3-Clause
// Two rows at a time from a warp of one team to a warp of another that is at work, through a GPU's memory.
//
// Words of 64 bits hold two floats or a double; each is written and read as one. A word that has not come is
// 'empty', a signalling NaN, which no arithmetic makes: there is no flag and no count. A lane writes words
// for the same lane there, which empties what it has taken. Messages take turns in 'turns' places, and every
// turns / 2 of them each side fences. Neighbours are at most one message apart, so that each side has fenced
// between a word's emptying and its next use.
#pragma once
#include <cstdint>
#include <cstring>

#include "runtime/lanes.hpp"

namespace parity::diffusion {

template <class T, int columns, int turns_>
struct Mailbox {
  // Kokkos 4.6 makes loops of compare-and-swap of atomic_load and atomic_store.
  using Word = unsigned long long;
  static constexpr int turns = turns_, values = 8 / int(sizeof(T)), words = columns / values,
                       row = 32 * words, size = turns * 2 * row;
  static constexpr Word empty = sizeof(T) == 4 ? 0xffbfffffffbfffffull : 0xfff7fffffff7ffffull;
  /// Looks at a place before a warp gives up: some seconds.
  static constexpr int most_tries = 1 << 21;
  static_assert(words * values == columns, "rows fill words");

  /// Row 0 or 1 of a message.
  static PARITY_INLINE Word* place(Word* box, unsigned message, int which) {
    return box + (message % turns * 2 + which) * row;
  }
  static PARITY_INLINE void put(const T (&v)[columns], int which, Word* box, unsigned message) {
    volatile Word* const to = place(box, message, which);
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
  /// Both rows of a message, as far as they have come.
  static PARITY_INLINE void fetch(T (&rows)[2][columns], const Word* box, unsigned message) {
    PARITY_UNROLL
    for (int which = 0; which < 2; ++which) {
      const volatile Word* const from = place(const_cast<Word*>(box), message, which);
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
        all = all && bits[sizeof(T) / 4 - 1] != std::uint32_t(empty >> 32);
      }
    }
    return all;
  }
  /// Waits for what has been asked for, the whole warp, and empties its place. Calls give_up() and returns if
  /// it does not come.
  template <class Fence, class GiveUp>
  static PARITY_INLINE void take(T (&rows)[2][columns], Word* box, unsigned message, const Fence& fence,
                                 const GiveUp& give_up) {
    for (int tries = 0; runtime::any_lane(!complete(rows)); ++tries) {
      if (tries == most_tries) return give_up();
      fetch(rows, box, message);
    }
    volatile Word* const at = place(box, message, 0);
    PARITY_UNROLL
    for (int w = 0; w < 2 * words; ++w) at[w * 32] = empty;
    if (message % (turns / 2) == turns / 2 - 1) fence();
  }
};

}  // namespace parity::diffusion
