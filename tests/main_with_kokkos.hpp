// SPDX-License-Identifier: BSD-3-Clause
// A GoogleTest main that keeps Kokkos alive around all tests.
#pragma once
#include <gtest/gtest.h>

#include "runtime/device.hpp"

#define PARITY_TEST_MAIN                       \
  int main(int argc, char** argv) {            \
    ::testing::InitGoogleTest(&argc, argv);    \
    const parity::runtime::KokkosScope kokkos; \
    return RUN_ALL_TESTS();                    \
  }
