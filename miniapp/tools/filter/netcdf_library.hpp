// SPDX-License-Identifier: BSD-3-Clause
// Parity's wrapper of the NetCDF library: one thread, our own exceptions, and files that several ranks write
// together.
#pragma once
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "runtime/text.hpp"
#include "tools/filter/field_file.hpp"

namespace parity::io {

/// Runs 'work' in the only thread that calls the library, which is not thread-safe; waits for it and rethrows
/// its exception. HDF5 silences its error output only in the thread that initialised it; in any other thread
/// it would print every failed query.
void with_netcdf(const std::function<void()>& work);

class NetcdfHandle {
 public:
  /// shown: the name for messages. Throws runtime::UsageError.
  NetcdfHandle(const std::string& path, int mode, const std::string& shown);
  /// Wraps an open file.
  NetcdfHandle(int id, const std::string& shown) : shown_(shown), id_(id) {}
  ~NetcdfHandle();
  NetcdfHandle(const NetcdfHandle&) = delete;
  NetcdfHandle& operator=(const NetcdfHandle&) = delete;

  int id() const { return id_; }
  const std::string& shown() const { return shown_; }
  /// Throws runtime::UsageError with the library's message if the status is an error. what: the attempted
  /// action, for the message.
  void check(int status, const std::function<std::string()>& what = {}) const;
  /// Sets the output's name: from here on, errors name the output instead of 'shown'.
  void set_output(const std::string& name) { output_ = name; }
  /// Writes buffered data and closes the file; throws if that fails.
  void close();

  bool is_hdf5() const;
  int variables() const;
  int groups() const;
  std::string variable_name(int variable) const;
  int type(int variable) const;  ///< an nc_type
  std::vector<int> dimensions(int variable) const;
  std::string dimension_name(int dimension) const;
  std::size_t length(int dimension) const;
  /// Bytes that HDF5 holds to read or write any value of the variable: a whole chunk that it compresses.
  /// Throws runtime::UsageError if they exceed the limit of set_most_held.
  double held_bytes(int variable) const;
  void set_most_held(double most) { most_held_ = most; }
  /// Index of a variable, or -1.
  int find(const std::string& variable) const;
  /// The attribute's name as spelled in the file, ignoring case: 'featuretype' for 'featureType'. The next
  /// three functions use it.
  std::string spelled(int variable, const std::string& attribute) const;
  /// A numeric attribute; empty if absent.
  std::vector<double> numbers(int variable, const char* attribute) const;
  /// A text attribute; "" if absent. variable: NC_GLOBAL for the file's attributes.
  std::string text(int variable, const char* attribute) const;
  /// An nc_type; NC_NAT if absent.
  int attribute_type(int variable, const char* attribute) const;

 private:
  std::string shown_, output_;
  int id_ = -1;
  double most_held_ = std::numeric_limits<double>::infinity();
};

using runtime::lowered;  // attributes are in any case
bool is_one_of(const std::string& text, std::initializer_list<const char*> words);

/// The reason why several ranks cannot write a NetCDF-4 file together here, as the end of a sentence, with
/// the fix; empty if they can.
std::string why_no_netcdf_of_all_ranks();
/// Like nc_open, including its status. Collective; call it and the next from the library's thread.
int open_netcdf_of_all_ranks(const std::string& path, int mode, int* id);
/// From here on all ranks write a block of the variable at the same time. Returns a status, too.
int write_on_all_ranks(int id, int variable);

}  // namespace parity::io
