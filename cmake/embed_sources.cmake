# SPDX-License-Identifier: BSD-3-Clause
# Writes OUTPUT, a C++ file with the texts of the variants below ROOT, for 'parity show'.
file(GLOB files RELATIVE ${ROOT} ${ROOT}/*/*/algorithm.hpp ${ROOT}/*/*/kokkos*.cpp ${ROOT}/*/*/cuda*.cu ${ROOT}/*/*/openmp*.cpp)
set(code "#include \"variant_sources.hpp\"\n\nconst std::map<std::string, const char*>& parity::variant_sources() {\n  static const std::map<std::string, const char*> texts = {\n")
foreach(file IN LISTS files)
  if(NOT file MATCHES "^backend/")
    file(READ ${ROOT}/${file} text)
    string(APPEND code "{\"${file}\", R\"~~~~(${text})~~~~\"},\n")
  endif()
endforeach()
string(APPEND code "  };\n  return texts;\n}\n")
file(WRITE ${OUTPUT} "${code}")
