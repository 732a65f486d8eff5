// SPDX-License-Identifier: BSD-3-Clause
// Functions of a shared library that a build does not link, so that it also runs without the library.
#pragma once
#include <dlfcn.h>

#include <initializer_list>

namespace parity::runtime {

/// Loads the first of these libraries that exists; null if none does. It stays loaded.
inline void* open_library(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  return nullptr;
}

/// Sets 'function' from the library; false if the library does not have it.
template <class F>
bool find_function(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace parity::runtime
