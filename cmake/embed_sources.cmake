# SPDX-License-Identifier: BSD-3-Clause
# Writes OUTPUT, a C++ file whose function NAME in NAMESPACE returns the contents of FILES (separated by '|'; patterns relative to ROOT), each
# with its path relative to ROOT.
string(REPLACE "|" ";" FILES "${FILES}")
list(TRANSFORM FILES PREPEND ${ROOT}/)
file(GLOB files RELATIVE ${ROOT} ${FILES})
set(code "#include <map>\n#include <string>\n\nnamespace ${NAMESPACE} {\nconst std::map<std::string, const char*>& ${NAME}();\n")
string(APPEND code "const std::map<std::string, const char*>& ${NAME}() {\n  static const std::map<std::string, const char*> texts = {\n")
foreach(file IN LISTS files)
  if(NOT file MATCHES "^backend/")
    file(READ ${ROOT}/${file} text)
    string(APPEND code "{\"${file}\", R\"~~~~(${text})~~~~\"},\n")
  endif()
endforeach()
string(APPEND code "  };\n  return texts;\n}\n}\n")
file(WRITE ${OUTPUT} "${code}")
