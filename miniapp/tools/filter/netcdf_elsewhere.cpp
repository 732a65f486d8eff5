// SPDX-License-Identifier: BSD-3-Clause
// Finds the HDF5 that NetCDF loaded by function names: its headers may be absent or of another version.
#include "tools/filter/netcdf_elsewhere.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <type_traits>

#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {

using Id = std::int64_t;  // since HDF5 1.10
constexpr int is_group = 2, is_dataset = 5, is_virtual = 3;
constexpr int hard_link = 0, soft_link = 1;
constexpr int deepest = 64;
constexpr std::int64_t most_objects = 200'000;

using Visit = int (*)(Id group, const char* name, const int* info, void* walk);

struct Hdf5 {
  int (*version)(unsigned*, unsigned*, unsigned*) = nullptr;
  int (*quiet)(Id, void*, void*) = nullptr;
  Id (*open)(const char*, unsigned, Id) = nullptr;
  int (*close)(Id) = nullptr;
  int (*iterate)(Id, int, int, std::uint64_t*, Visit, void*) = nullptr;
  Id (*open_object)(Id, const char*, Id) = nullptr;
  int (*close_object)(Id) = nullptr;
  int (*type)(Id) = nullptr;
  Id (*properties)(Id) = nullptr;
  int (*layout)(Id) = nullptr;
  int (*external_files)(Id) = nullptr;
  int (*close_properties)(Id) = nullptr;
  bool usable = false;

  Hdf5() {
    const auto find = [](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(RTLD_DEFAULT, name));
      return function != nullptr;
    };
    // HDF5 crashes at exit if a file could not be closed on a full disk.
    if (int (*leave)() = nullptr; find(leave, "H5dont_atexit")) leave();
    unsigned major = 0, minor = 0, release = 0;
    usable = find(version, "H5get_libversion") && find(quiet, "H5Eset_auto2") && find(open, "H5Fopen") &&
             find(close, "H5Fclose") && (find(iterate, "H5Literate2") || find(iterate, "H5Literate")) &&
             find(open_object, "H5Oopen") && find(close_object, "H5Oclose") && find(type, "H5Iget_type") &&
             find(properties, "H5Dget_create_plist") && find(layout, "H5Pget_layout") &&
             find(external_files, "H5Pget_external_count") && find(close_properties, "H5Pclose") &&
             version(&major, &minor, &release) >= 0 && (major > 1 || minor >= 10);
  }
};

/// C code calls visit, which must not throw: it stores the reason here.
struct Walk {
  const Hdf5& hdf5;
  std::string path, why;
  int depth = 0;
  std::int64_t objects = 0;
};

/// Returns 0 to continue, 1 to stop with a reason. In all versions info begins with the link's type.
int visit(Id group, const char* name, const int* info, void* to) {
  Walk& w = *static_cast<Walk*>(to);
  const std::string above = w.path;
  w.path += '/' + std::string(name);
  const auto end = [&w](const char* why) {
    w.why = fmt::format("'{}' {}", runtime::shown(w.path, 300), why);
    return 1;
  };
  if (*info != hard_link && *info != soft_link)
    return end(
        "is a link to another file, which an output would write to: copy what it leads to into one file "
        "first");
  if (++w.objects > most_objects || w.depth >= deepest)
    return end(
        "is one of too many groups within groups: a link leads back to a group around it; remove it first");
  const Id object = w.hdf5.open_object(group, name, 0);
  if (object < 0)
    return end(*info == soft_link
                   ? "is a link that leads nowhere: remove it (h5py: del file[name]) or fix it first"
                   : "cannot be opened by HDF5: copy the file anew");
  const int type = w.hdf5.type(object);
  int state = 0;
  if (type == is_group) {
    ++w.depth;
    state = w.hdf5.iterate(object, 0, 0, nullptr, visit, to);
    --w.depth;
  } else if (type == is_dataset) {
    const Id properties = w.hdf5.properties(object);
    if (properties < 0 || w.hdf5.layout(properties) == is_virtual || w.hdf5.external_files(properties) != 0)
      state =
          end("keeps its values in other files, which the output would write to: copy it to plain storage "
              "first, such "
              "as with h5py: new[name] = old[name][...]");
    if (properties >= 0) w.hdf5.close_properties(properties);
  }
  w.hdf5.close_object(object);
  w.path = above;
  return state;
}

}  // namespace

bool require_self_contained(const std::string& path, const std::string& shown) {
  static const Hdf5 hdf5;
  if (!hdf5.usable) return false;
  hdf5.quiet(0, nullptr, nullptr);
  const Id file = hdf5.open(path.c_str(), 0, 0);
  if (file < 0) return false;
  Walk walk{hdf5, "", ""};
  const int state = hdf5.iterate(file, 0, 0, nullptr, visit, &walk);
  hdf5.close(file);
  if (!walk.why.empty()) throw runtime::UsageError(fmt::format("{}: {}", shown, walk.why));
  return state >= 0;
}

}  // namespace parity::io
