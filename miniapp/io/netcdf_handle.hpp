// SPDX-License-Identifier: BSD-3-Clause
// An open NetCDF file whose errors are ours. Used where NetCDF is.
#pragma once
#include <string>
#include <vector>

namespace parity::io {

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
  /// Throws runtime::UsageError with the library's words for a status that is none.
  void check(int status) const;
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
  /// The place of a variable, or -1.
  int find(const std::string& variable) const;
  /// A numeric attribute; empty where there is none.
  std::vector<double> numbers(int variable, const char* attribute) const;
  /// A text attribute; "" where there is none.
  std::string text(int variable, const char* attribute) const;

 private:
  std::string shown_;
  int id_ = -1;
};

}  // namespace parity::io
