# SPDX-License-Identifier: BSD-3-Clause
# build_info.hpp says what a binary was built from. Made again at each build, because a commit needs no new configure.
string(REPLACE ";" " " PARITY_KOKKOS_DEVICES "${Kokkos_DEVICES}")
string(REPLACE ";" " " PARITY_CUDA_ARCH "${PARITY_CUDA_ARCHITECTURES}")
set(PARITY_CXX_DESCRIPTION "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
string(TOUPPER "${CMAKE_BUILD_TYPE}" parity_type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${parity_type}}" PARITY_CXX_FLAGS)
# What -march=native stands for: jobs compare it with the processor that they run on.
if(NOT PARITY_NATIVE_ARCH)
  file(REMOVE ${CMAKE_CURRENT_BINARY_DIR}/processor.txt)
else()
  string(APPEND PARITY_CXX_FLAGS " -march=native")
endif()
# The first processor stays: configured anew on another one, what is compiled is not compiled again.
if(PARITY_NATIVE_ARCH AND NOT EXISTS ${CMAKE_CURRENT_BINARY_DIR}/processor.txt)
  execute_process(COMMAND sh -c "grep -m1 '^model name' /proc/cpuinfo; grep -m1 -E '^(flags|Features)' /proc/cpuinfo"
                  OUTPUT_FILE ${CMAKE_CURRENT_BINARY_DIR}/processor.txt ERROR_QUIET)
endif()
set(PARITY_CUDA_DESCRIPTION "")
if(PARITY_ENABLE_CUDA)
  set(PARITY_CUDA_DESCRIPTION "${CMAKE_CUDA_COMPILER_ID} ${CMAKE_CUDA_COMPILER_VERSION}")
endif()
set(parity_info_script ${CMAKE_CURRENT_BINARY_DIR}/write_build_info.cmake)
set(parity_info "set(SOURCE_DIR [==[${CMAKE_CURRENT_SOURCE_DIR}]==])\n")
foreach(name PROJECT_VERSION CMAKE_BUILD_TYPE PARITY_CXX_DESCRIPTION PARITY_CXX_FLAGS PARITY_CUDA_DESCRIPTION PARITY_CUDA_ARCH PARITY_CUPTI_VERSION PARITY_MPI_VERSION
             PARITY_KOKKOS_DEVICES KokkosKernels_VERSION)
  string(APPEND parity_info "set(${name} [==[${${name}}]==])\n")
endforeach()
string(APPEND parity_info [==[
execute_process(COMMAND git -C ${SOURCE_DIR} rev-parse --short=12 HEAD OUTPUT_VARIABLE PARITY_COMMIT
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE no_git)
# What the program is made of: records and plans beside it make it no other program.
set(sources CMakeLists.txt cmake miniapp variants)
execute_process(COMMAND git -C ${SOURCE_DIR} status --porcelain -- ${sources} OUTPUT_VARIABLE changes ERROR_QUIET)
if(no_git)
  set(PARITY_COMMIT "unknown")
endif()
set(PARITY_DIRTY false)
set(PARITY_CHANGES "")
if(NOT "${changes}" STREQUAL "")
  set(PARITY_DIRTY true)
  # Two modified trees of one commit are two programs: what tracked files differ in, and what untracked ones hold.
  execute_process(COMMAND git -C ${SOURCE_DIR} diff --binary HEAD -- ${sources} COMMAND git -C ${SOURCE_DIR} hash-object --stdin OUTPUT_VARIABLE tracked ERROR_QUIET)
  execute_process(COMMAND git -C ${SOURCE_DIR} ls-files --others --exclude-standard -- ${sources} COMMAND git -C ${SOURCE_DIR} hash-object --stdin-paths
                  OUTPUT_VARIABLE untracked ERROR_QUIET)
  string(SHA256 PARITY_CHANGES "${changes}${tracked}${untracked}")
  string(SUBSTRING ${PARITY_CHANGES} 0 12 PARITY_CHANGES)
endif()
configure_file(${SOURCE_DIR}/cmake/build_info.hpp.in ${OUTPUT} @ONLY)
]==])
file(WRITE ${parity_info_script} "${parity_info}")
add_custom_target(parity_build_info
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/generated/build_info.hpp -P ${parity_info_script}
  BYPRODUCTS ${CMAKE_CURRENT_BINARY_DIR}/generated/build_info.hpp
  COMMENT "build_info.hpp" VERBATIM)
