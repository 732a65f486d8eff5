# SPDX-License-Identifier: BSD-3-Clause
# Architectures for native CUDA code: the user's choice, else those of Kokkos, else this machine's GPU.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  if(Kokkos_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${Kokkos_CUDA_ARCHITECTURES})
  else()
    # Kokkos before 3.6 gives the architecture only as a name.
    foreach(word IN LISTS Kokkos_ARCH)
      if(word MATCHES "^(PASCAL|VOLTA|TURING|AMPERE|ADA|HOPPER|BLACKWELL)([0-9]+)$")
        set(CMAKE_CUDA_ARCHITECTURES ${CMAKE_MATCH_2})
      endif()
    endforeach()
  endif()
endif()
if(NOT CMAKE_CUDA_ARCHITECTURES)
  message(FATAL_ERROR "Which GPU? Give -DCMAKE_CUDA_ARCHITECTURES=60 (P100), 70 (V100), 80 (A100) or 90 (H100, H200).")
endif()
set(PARITY_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES})

function(parity_check_cuda_arch)
  foreach(arch IN LISTS PARITY_CUDA_ARCHITECTURES)
    string(REGEX MATCH "^[0-9]+" number "${arch}")
    if(number AND number LESS 75 AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
      message(FATAL_ERROR "CUDA ${CMAKE_CUDA_COMPILER_VERSION} cannot build for sm_${number} (P100 is 60, V100 is 70): CUDA 12.9 "
                          "is the last that can. Load an older toolkit, or give -DCMAKE_CUDA_ARCHITECTURES=75 or newer.")
    endif()
  endforeach()
endfunction()
