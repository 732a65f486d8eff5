// SPDX-License-Identifier: BSD-3-Clause
// Functions of a shared library that a build does not link, so that it runs where the library is missing.
#pragma once
#include <dlfcn.h>

#include <initializer_list>

namespace parity::runtime {

/// The first of these libraries that is there, or null. It stays loaded.
inline void* open_library(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  return nullptr;
}

/// Whether the library has the function.
template <class F>
bool find_function(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace parity::runtime
