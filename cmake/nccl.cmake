# SPDX-License-Identifier: BSD-3-Clause
# NCCL: optional, for messages between the GPUs of several ranks. Searched only with both CUDA and MPI.
# -DPARITY_NCCL_INCLUDE (the folder of nccl.h) and -DPARITY_NCCL_LIBRARY (the file) name one in another place.
set(PARITY_NCCL_VERSION "")
if(PARITY_ENABLE_CUDA AND PARITY_HAS_MPI)
  get_filename_component(parity_nccl_root ${CMAKE_CUDA_COMPILER} DIRECTORY)
  get_filename_component(parity_nccl_root ${parity_nccl_root} DIRECTORY)
  set(parity_nccl_hints $ENV{NCCL_HOME} $ENV{NCCL_ROOT} ${parity_nccl_root})
  find_path(PARITY_NCCL_INCLUDE nccl.h HINTS ${parity_nccl_hints} PATH_SUFFIXES include)
  find_library(PARITY_NCCL_LIBRARY nccl HINTS ${parity_nccl_hints} PATH_SUFFIXES lib64 lib lib/x86_64-linux-gnu)
  mark_as_advanced(PARITY_NCCL_INCLUDE PARITY_NCCL_LIBRARY)
  if(PARITY_NCCL_INCLUDE AND PARITY_NCCL_LIBRARY)
    file(STRINGS ${PARITY_NCCL_INCLUDE}/nccl.h parity_nccl_lines REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) +[0-9]+")
    string(REGEX REPLACE "[^0-9;]" "" parity_nccl_numbers "${parity_nccl_lines}")
    string(REPLACE ";" "." parity_nccl_found "${parity_nccl_numbers}")
    # Nonblocking communicators came with 2.14.
    if(parity_nccl_found VERSION_GREATER_EQUAL 2.14)
      set(PARITY_NCCL_VERSION ${parity_nccl_found})
    endif()
  endif()
endif()
