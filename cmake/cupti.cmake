# SPDX-License-Identifier: BSD-3-Clause
# CUPTI of the CUDA toolkit in use: optional. Its header must be that toolkit's; the library is loaded by name when it is wanted.
set(PARITY_CUPTI_VERSION "")
get_filename_component(parity_cuda_root ${CMAKE_CUDA_COMPILER} DIRECTORY)
get_filename_component(parity_cuda_root ${parity_cuda_root} DIRECTORY)
find_path(PARITY_CUPTI_INCLUDE cupti.h
  HINTS ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES} ${parity_cuda_root} PATH_SUFFIXES include extras/CUPTI/include NO_DEFAULT_PATH)
find_library(PARITY_CUPTI_LIBRARY cupti
  HINTS ${parity_cuda_root} PATH_SUFFIXES lib64 lib extras/CUPTI/lib64 lib/x86_64-linux-gnu lib/aarch64-linux-gnu NO_DEFAULT_PATH)
if(PARITY_CUPTI_INCLUDE)
  # CUDA 11.8's library is libcupti.so.11.8, from CUDA 12 on it has the major version alone.
  string(REGEX MATCH "^[0-9]+" parity_cuda_major "${CMAKE_CUDA_COMPILER_VERSION}")
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" PARITY_CUPTI_VERSION "${CMAKE_CUDA_COMPILER_VERSION}")
  if(parity_cuda_major LESS 12)
    set(PARITY_CUPTI_NAME libcupti.so.${PARITY_CUPTI_VERSION})
  else()
    set(PARITY_CUPTI_NAME libcupti.so.${parity_cuda_major})
  endif()
  if(NOT PARITY_CUPTI_LIBRARY)
    set(PARITY_CUPTI_LIBRARY ${PARITY_CUPTI_NAME})
  endif()
endif()
