// SPDX-License-Identifier: BSD-3-Clause
// A failure on one rank fails the test on every rank.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "runtime/error.hpp"
#include "runtime/messages.hpp"

inline void expect_on_every_rank(bool right, const std::string& what) {
  try {
    parity::runtime::collective_or_throw([&] {
      if (!right) throw parity::runtime::CannotRunError(what);
    });
  } catch (const parity::runtime::Error& e) {
    ADD_FAILURE() << e.what();
  }
}
