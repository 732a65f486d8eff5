// SPDX-License-Identifier: BSD-3-Clause
#include "main_with_kokkos.hpp"
PARITY_TEST_MAIN
