// SPDX-License-Identifier: BSD-3-Clause
// cuda-plane-registers in double: each precision takes minutes to compile.
#define PARITY_IN_DOUBLE
#include "cuda.cu"
