// SPDX-License-Identifier: BSD-3-Clause
// cuda-plane-cluster in double: each precision takes minutes to compile.
#define PARITY_IN_DOUBLE
#include "cuda.cu"
