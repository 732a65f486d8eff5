// SPDX-License-Identifier: BSD-3-Clause
// GoogleTest's main, which initialises Kokkos around all tests.
#include <gtest/gtest.h>

#include "runtime/device.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const parity::runtime::KokkosScope kokkos;
  return RUN_ALL_TESTS();
}
