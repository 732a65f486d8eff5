// SPDX-License-Identifier: BSD-3-Clause
// The NetCDF library as Parity uses it: one thread, errors that are ours, and files that several ranks write
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

/// Runs 'work' in the one thread that calls the library, which is not made for several, waits for it and
/// throws what it threw. HDF5 below it keeps quiet only in the thread that initialised it: from any other it
/// prints every question that has no answer.
void with_netcdf(const std::function<void()>& work);

class NetcdfHandle {
 public:
  /// shown: the name for messages. Throws runtime::UsageError.
  NetcdfHandle(const std::string& path, int mode, const std::string& shown);
  /// Of a file that is open.
  NetcdfHandle(int id, const std::string& shown) : shown_(shown), id_(id) {}
  ~NetcdfHandle();
  NetcdfHandle(const NetcdfHandle&) = delete;
  NetcdfHandle& operator=(const NetcdfHandle&) = delete;

  int id() const { return id_; }
  const std::string& shown() const { return shown_; }
  /// Throws runtime::UsageError with the library's words for a status that is none. what: was tried, for the
  /// message.
  void check(int status, const std::function<std::string()>& what = {}) const;
  /// What is written is called so: errors are the output's from here on, not those of 'shown'.
  void set_output(const std::string& name) { output_ = name; }
  /// Writes what is left; throws when that fails.
  void close();

  bool is_hdf5() const;
  int variables() const;
  int groups() const;
  std::string variable_name(int variable) const;
  int type(int variable) const;  ///< an nc_type
  std::vector<int> dimensions(int variable) const;
  std::string dimension_name(int dimension) const;
  std::size_t length(int dimension) const;
  /// Bytes that HDF5 holds whole to read or write any value of the variable: a chunk that it compresses.
  /// Throws runtime::UsageError where they are more than 'most'.
  double held_bytes(int variable) const;
  void set_most_held(double most) { most_held_ = most; }
  /// The place of a variable, or -1.
  int find(const std::string& variable) const;
  /// The attribute's name as the file spells it, in any case: 'featuretype' for 'featureType'. The next three
  /// find it by that.
  std::string spelled(int variable, const std::string& attribute) const;
  /// A numeric attribute; empty where there is none.
  std::vector<double> numbers(int variable, const char* attribute) const;
  /// A text attribute; "" where there is none. variable: NC_GLOBAL for the file's own.
  std::string text(int variable, const char* attribute) const;
  /// An nc_type; NC_NAT where there is none.
  int attribute_type(int variable, const char* attribute) const;

 private:
  std::string shown_, output_;
  int id_ = -1;
  double most_held_ = std::numeric_limits<double>::infinity();
};

using runtime::lowered;  // attributes are in any case
bool is_one_of(const std::string& text, std::initializer_list<const char*> words);

/// Why several ranks cannot write a NetCDF-4 file together here, as the end of a sentence with what to do;
/// empty where they can.
std::string why_no_netcdf_of_all_ranks();
/// As nc_open, with its status. From the library's thread, on all ranks alike, as is the next.
int open_netcdf_of_all_ranks(const std::string& path, int mode, int* id);
/// From here on all ranks write a block of the variable at the same time. A status, too.
int write_on_all_ranks(int id, int variable);

}  // namespace parity::io
