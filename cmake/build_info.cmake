# SPDX-License-Identifier: BSD-3-Clause
# parity_build_info(TARGET PROGRAM SOURCES...): adds a file with the program's build information (miniapp/runtime/program.hpp). Each build
# writes it again, because a commit does not rerun configure. SOURCES: files and folders of this directory that the program is built from;
# other files, such as records and plans, do not count.
set(PARITY_CMAKE ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "")
set(PARITY_KOKKOS_BUILT_FOR ${Kokkos_DEVICES} CACHE INTERNAL "")
function(parity_build_info target PARITY_PROGRAM)
  string(REPLACE ";" " " PARITY_KOKKOS_DEVICES "${PARITY_KOKKOS_BUILT_FOR}")
  string(REPLACE ";" " " PARITY_CUDA_ARCH "${PARITY_CUDA_ARCHITECTURES}")
  set(PARITY_CXX_DESCRIPTION "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" PARITY_CXX_FLAGS)
  if(PARITY_NATIVE_ARCH)
    string(APPEND PARITY_CXX_FLAGS " -march=native")
  endif()
  set(PARITY_CUDA_DESCRIPTION "")
  if(PARITY_ENABLE_CUDA)
    set(PARITY_CUDA_DESCRIPTION "${CMAKE_CUDA_COMPILER_ID} ${CMAKE_CUDA_COMPILER_VERSION}")
  endif()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/write_build_info_of_${target}.cmake)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/generated/build_info_of_${target}.cpp)
  set(text "set(SOURCE_DIR [==[${CMAKE_CURRENT_SOURCE_DIR}]==])\nset(sources ${ARGN})\nset(TEMPLATE [==[${PARITY_CMAKE}/build_info.cpp.in]==])\n")
  foreach(name PARITY_PROGRAM PARITY_VERSION CMAKE_BUILD_TYPE PARITY_CXX_DESCRIPTION PARITY_CXX_FLAGS PARITY_CUDA_DESCRIPTION
               PARITY_CUDA_ARCH PARITY_CUPTI_VERSION PARITY_MPI_VERSION PARITY_KOKKOS_DEVICES KokkosKernels_VERSION)
    string(APPEND text "set(${name} [==[${${name}}]==])\n")
  endforeach()
  string(APPEND text [==[
execute_process(COMMAND git -C ${SOURCE_DIR} rev-parse --short=12 HEAD OUTPUT_VARIABLE PARITY_COMMIT
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE no_git)
set(PARITY_DIRTY false)
set(PARITY_CHANGES "")
if(no_git)
  # Without git, the hashes of the sources identify the version.
  set(PARITY_COMMIT "unknown")
  set(changes "")
  foreach(source IN LISTS sources)
    set(files ${source})
    if(IS_DIRECTORY ${SOURCE_DIR}/${source})
      file(GLOB_RECURSE files RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/${source}/*)
    endif()
    foreach(file IN LISTS files)
      file(SHA256 ${SOURCE_DIR}/${file} hash)
      string(APPEND changes "${file} ${hash}\n")
    endforeach()
  endforeach()
else()
  execute_process(COMMAND git -C ${SOURCE_DIR} status --porcelain -- ${sources} OUTPUT_VARIABLE changes ERROR_QUIET)
endif()
if(NOT "${changes}" STREQUAL "")
  set(PARITY_DIRTY true)
  # Two modified trees of one commit are two programs: hash the diff of tracked files and the content of untracked ones.
  execute_process(COMMAND git -C ${SOURCE_DIR} diff --binary HEAD -- ${sources} COMMAND git -C ${SOURCE_DIR} hash-object --stdin OUTPUT_VARIABLE tracked ERROR_QUIET)
  execute_process(COMMAND git ls-files --others --exclude-standard -- ${sources} COMMAND git hash-object --stdin-paths
                  WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE untracked ERROR_QUIET)
  string(SHA256 PARITY_CHANGES "${changes}${tracked}${untracked}")
  string(SUBSTRING ${PARITY_CHANGES} 0 12 PARITY_CHANGES)
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
]==])
  file(WRITE ${script} "${text}")
  add_custom_target(${target}_build_info COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -P ${script}
    BYPRODUCTS ${output} COMMENT "build information of ${PARITY_PROGRAM}" VERBATIM)
  add_dependencies(${target} ${target}_build_info)
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES GENERATED TRUE SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Records the processor that -march=native targets; jobs compare it with the processor that they run on.
if(NOT PARITY_NATIVE_ARCH)
  file(REMOVE ${CMAKE_CURRENT_BINARY_DIR}/processor.txt)
endif()
# Keep the first processor: configuring again on another one does not recompile the objects.
if(PARITY_NATIVE_ARCH AND NOT EXISTS ${CMAKE_CURRENT_BINARY_DIR}/processor.txt)
  execute_process(COMMAND sh -c "grep -m1 '^model name' /proc/cpuinfo; grep -m1 -E '^(flags|Features)' /proc/cpuinfo"
                  OUTPUT_FILE ${CMAKE_CURRENT_BINARY_DIR}/processor.txt ERROR_QUIET)
endif()
