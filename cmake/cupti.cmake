# SPDX-License-Identifier: BSD-3-Clause
# CUPTI of the CUDA toolkit in use: optional. Parity loads the library by name at run time, so only its headers are needed here.
set(PARITY_CUPTI_VERSION "")
get_filename_component(parity_cuda_root ${CMAKE_CUDA_COMPILER} DIRECTORY)
get_filename_component(parity_cuda_root ${parity_cuda_root} DIRECTORY)
find_path(PARITY_CUPTI_INCLUDE cupti_activity.h HINTS ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES} ${parity_cuda_root}
          PATH_SUFFIXES include extras/CUPTI/include)
find_library(PARITY_CUPTI_LIBRARY cupti HINTS ${parity_cuda_root} PATH_SUFFIXES lib64 lib extras/CUPTI/lib64)
mark_as_advanced(PARITY_CUPTI_INCLUDE PARITY_CUPTI_LIBRARY)
if(PARITY_CUPTI_INCLUDE AND NOT DEFINED PARITY_CUPTI_COMPILES)
  # The compiler may find the headers of another toolkit first.
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/cupti_probe.cu
       "#include <cupti_activity.h>\n#include <cupti_callbacks.h>\n#include <cupti_version.h>\n#include <cuda_runtime.h>\n"
       "static_assert((CUDART_VERSION >= 13000) == (CUPTI_API_VERSION >= 130000), \"one toolkit\");\n"
       "int main() { return int(sizeof(CUpti_ActivityKernel8)) + CUPTI_ACTIVITY_FLAG_FLUSH_FORCED; }\n")
  try_compile(PARITY_CUPTI_COMPILES ${CMAKE_CURRENT_BINARY_DIR}/cupti_probe SOURCES ${CMAKE_CURRENT_BINARY_DIR}/cupti_probe.cu
              CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${PARITY_CUPTI_INCLUDE}" "-DCMAKE_CUDA_ARCHITECTURES=${PARITY_CUDA_ARCHITECTURES}")
endif()
if(PARITY_CUPTI_COMPILES)
  string(REGEX MATCH "^[0-9]+" parity_cuda_major "${CMAKE_CUDA_COMPILER_VERSION}")
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" PARITY_CUPTI_VERSION "${CMAKE_CUDA_COMPILER_VERSION}")
  # The library's name has the full version up to CUDA 11, and the major version from 12 on.
  if(parity_cuda_major LESS 12)
    set(PARITY_CUPTI_NAME libcupti.so.${PARITY_CUPTI_VERSION})
  else()
    set(PARITY_CUPTI_NAME libcupti.so.${parity_cuda_major})
  endif()
  if(NOT PARITY_CUPTI_LIBRARY)
    set(PARITY_CUPTI_LIBRARY ${PARITY_CUPTI_NAME})
  endif()
endif()
