// SPDX-License-Identifier: BSD-3-Clause
#include "tools/filter/netcdf_library.hpp"

#include <fmt/format.h>
#include <netcdf.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <future>
#include <numeric>
#include <thread>

#include "io/input.hpp"
#include "runtime/channel.hpp"
#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"
#include "tools/names.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;

// Limits for attributes that Parity interprets; a damaged file may claim any number.
constexpr std::size_t most_values = 1000, most_characters = 1000000;

class LibraryThread {
 public:
  ~LibraryThread() {
    tasks_.close();
    thread_.join();
  }
  void run(const std::function<void()>& work) {
    if (std::this_thread::get_id() == thread_.get_id()) return work();
    std::packaged_task<void()> task(work);
    std::future<void> done = task.get_future();
    tasks_.push(std::move(task));
    done.get();
  }

 private:
  runtime::Channel<std::packaged_task<void()>> tasks_{1};
  std::thread thread_{[this] {
    while (auto task = tasks_.pop()) (*task)();
  }};
};

/// The library's message for a status, and the fix.
std::string words_for(int status) {
  std::string todo;
  if (status == NC_ECANTWRITE)
    todo =
        " (it keeps no order of creation, as h5py writes files, and NetCDF changes no such file; copy it "
        "with nccopy "
        "and filter the copy)";
  if (status == NC_EFILTER || status == NC_ENOFILTER)
    todo =
        " (set HDF5_PLUGIN_PATH to the folder with the filter's plugin, or copy the file without the filter)";
  return nc_strerror(status) + todo;
}

/// The reason why HDF5 cannot open a file. HDF5 locks files that it opens, and marks those that it writes.
std::string why_not_opened(const std::string& path) {
  const InputFile file(path);
  unsigned char start[12] = {};
  file.read_some(start, sizeof start, 0);
  if (flock(file.descriptor(), LOCK_SH | LOCK_NB) != 0)
    return errno == EWOULDBLOCK
               ? " (another program has it open for writing; close it there, or filter a copy of it)"
               : " (its file system has no locks; set HDF5_USE_FILE_LOCKING=FALSE)";
  if (start[8] == 3 && (start[11] & 1) != 0)
    return " (the program that wrote it never closed it; if none does any more: h5clear -s)";
  return " (it is damaged or cut short; copy it anew)";
}

}  // namespace

void with_netcdf(const std::function<void()>& work) {
  static LibraryThread thread;
  thread.run(work);
}

NetcdfHandle::NetcdfHandle(const std::string& path, int mode, const std::string& shown) : shown_(shown) {
  const int status = nc_open(path.c_str(), mode, &id_);
  if (status != NC_NOERR)
    throw UsageError(fmt::format("{}: cannot be opened as NetCDF: {}{}", shown, words_for(status),
                                 status == NC_EHDFERR ? why_not_opened(path) : ""));
}
NetcdfHandle::~NetcdfHandle() {
  if (id_ >= 0) nc_close(id_);
}
void NetcdfHandle::check(int status, const std::function<std::string()>& what) const {
  if (status == NC_NOERR) return;
  const int number = errno;  // the only trace of a full disk in HDF5
  if (output_.empty())
    throw UsageError(fmt::format("{}: {}{}", shown_, what ? what() : "", words_for(status)));
  const bool full = number == ENOSPC || number == EDQUOT || number == EFBIG;
  throw UsageError(fmt::format("{}: cannot be written: {}", output_,
                               status == NC_EHDFERR && full ? std::strerror(number) : words_for(status)));
}
void NetcdfHandle::close() {
  const int status = nc_close(id_);
  id_ = -1;
  check(status);
}
bool NetcdfHandle::is_hdf5() const {
  int format = 0;
  check(nc_inq_format(id_, &format));
  return format == NC_FORMAT_NETCDF4 || format == NC_FORMAT_NETCDF4_CLASSIC;
}
int NetcdfHandle::variables() const {
  int count = 0;
  check(nc_inq_nvars(id_, &count));
  return count;
}
int NetcdfHandle::groups() const {
  int count = 0;
  check(nc_inq_grps(id_, &count, nullptr));
  return count;
}
std::string NetcdfHandle::variable_name(int variable) const {
  char name[NC_MAX_NAME + 1] = {};
  check(nc_inq_varname(id_, variable, name));
  return tools::composed(name);
}
int NetcdfHandle::type(int variable) const {
  nc_type type = NC_NAT;
  check(nc_inq_vartype(id_, variable, &type));
  return type;
}
std::vector<int> NetcdfHandle::dimensions(int variable) const {
  int rank = 0;
  check(nc_inq_varndims(id_, variable, &rank));
  std::vector<int> all(static_cast<std::size_t>(rank));
  check(nc_inq_vardimid(id_, variable, all.data()));
  return all;
}
std::string NetcdfHandle::dimension_name(int dimension) const {
  char name[NC_MAX_NAME + 1] = {};
  check(nc_inq_dimname(id_, dimension, name));
  return tools::composed(name);
}
std::size_t NetcdfHandle::length(int dimension) const {
  std::size_t n = 0;
  check(nc_inq_dimlen(id_, dimension, &n));
  return n;
}
double NetcdfHandle::held_bytes(int variable) const {
  int storage = NC_CONTIGUOUS, shuffled = 0, deflated = 0, level = 0, checked = NC_NOCHECKSUM;
  unsigned filter = 0;
  std::size_t parameters = 0, bytes = 0;
  std::vector<std::size_t> chunk(dimensions(variable).size(), 1);
  if (!is_hdf5() || chunk.empty() || nc_inq_var_chunking(id_, variable, &storage, chunk.data()) != NC_NOERR ||
      storage != NC_CHUNKED || nc_inq_type(id_, type(variable), nullptr, &bytes) != NC_NOERR)
    return 0;
  nc_inq_var_deflate(id_, variable, &shuffled, &deflated, &level);
  nc_inq_var_fletcher32(id_, variable, &checked);
  if (shuffled == 0 && deflated == 0 && checked == NC_NOCHECKSUM &&
      nc_inq_var_filter(id_, variable, &filter, &parameters, nullptr) != NC_NOERR)
    return 0;
  const double held = std::accumulate(chunk.begin(), chunk.end(), double(bytes), std::multiplies<>());
  if (held <= most_held_) return held;
  throw UsageError(
      fmt::format("{}: HDF5 holds a chunk of variable '{}' whole, {}, and {} may be used: give --memory, or "
                  "store it in smaller "
                  "chunks first (nccopy -c)",
                  shown_, runtime::shown(variable_name(variable)), runtime::bytes_text(held),
                  runtime::bytes_text(most_held_)));
}
int NetcdfHandle::find(const std::string& variable) const {
  int place = -1;
  if (nc_inq_varid(id_, variable.c_str(), &place) == NC_NOERR) return place;
  for (int v = 0, count = variables(); v < count; ++v)  // the library composes only the requested name
    if (variable_name(v) == tools::composed(variable)) return v;
  return -1;
}
std::string NetcdfHandle::spelled(int variable, const std::string& attribute) const {
  int count = 0;
  nc_type type = NC_NAT;
  if (nc_inq_atttype(id_, variable, attribute.c_str(), &type) == NC_NOERR ||
      nc_inq_varnatts(id_, variable, &count) != NC_NOERR)
    return attribute;
  for (int k = 0; k < count; ++k) {
    char name[NC_MAX_NAME + 1] = {};
    if (nc_inq_attname(id_, variable, k, name) == NC_NOERR && lowered(name) == lowered(attribute))
      return name;
  }
  return attribute;
}
std::vector<double> NetcdfHandle::numbers(int variable, const char* key) const {
  const std::string found = spelled(variable, key);
  const char* const attribute = found.c_str();
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(id_, variable, attribute, &type, &length) != NC_NOERR || type == NC_CHAR ||
      type == NC_STRING || length == 0)
    return {};
  if (length > most_values)
    throw UsageError(fmt::format("{}: the attribute {} of variable '{}' has {} values", shown_, attribute,
                                 runtime::shown(variable_name(variable)), length));
  std::vector<double> values(length);
  check(nc_get_att_double(id_, variable, attribute, values.data()));
  return values;
}
std::string NetcdfHandle::text(int variable, const char* key) const {
  const std::string found = spelled(variable, key);
  const char* const attribute = found.c_str();
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(id_, variable, attribute, &type, &length) != NC_NOERR || length == 0 ||
      length > most_characters)
    return "";
  std::string value;
  if (type == NC_STRING) {  // netCDF-4 has strings in addition to characters
    std::vector<char*> words(length, nullptr);
    check(nc_get_att_string(id_, variable, attribute, words.data()));
    for (const char* const word : words)
      if (word && value.size() < most_characters) value += (value.empty() ? "" : " ") + std::string(word);
    nc_free_string(length, words.data());
  } else if (type == NC_CHAR) {
    value.resize(length);
    check(nc_get_att_text(id_, variable, attribute, value.data()));
  }
  value.erase(value.find_last_not_of(std::string_view("\0 \t\n", 4)) + 1);
  return tools::composed(value);
}

int NetcdfHandle::attribute_type(int variable, const char* attribute) const {
  nc_type type = NC_NAT;
  const std::string found = spelled(variable, attribute);
  return nc_inq_atttype(id_, variable, found.c_str(), &type) == NC_NOERR ? type : NC_NAT;
}

bool is_one_of(const std::string& text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return text == w; });
}

#ifndef PARITY_HAS_NETCDF_OF_ALL_RANKS
std::string why_no_netcdf_of_all_ranks() {
  return "a parallel NetCDF library, and this build has none (-DPARITY_NETCDF_PARALLEL=ON)";
}
int open_netcdf_of_all_ranks(const std::string&, int, int*) { return NC_ENOPAR; }
int write_on_all_ranks(int, int) { return NC_ENOPAR; }
#endif

}  // namespace parity::io
