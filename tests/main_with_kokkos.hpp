// SPDX-License-Identifier: BSD-3-Clause
// A GoogleTest main that keeps Kokkos alive around all tests. With --version it says whose tests they are.
#pragma once
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "harness/environment.hpp"
#include "kokkos_compat.hpp"

#define PARITY_TEST_MAIN                                           \
  int main(int argc, char** argv) {                                \
    if (argc > 1 && std::strcmp(argv[1], "--version") == 0) {      \
      std::fputs(parity::harness::version_text().c_str(), stdout); \
      return 0;                                                    \
    }                                                              \
    ::testing::InitGoogleTest(&argc, argv);                        \
    const parity::compat::KokkosScope kokkos;                      \
    return RUN_ALL_TESTS();                                        \
  }
