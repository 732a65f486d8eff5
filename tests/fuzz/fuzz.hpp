// SPDX-License-Identifier: BSD-3-Clause
// Shared by the fuzz targets: the input as a file, checks of messages, and the end after a finding.
#pragma once
#include <exception>
#include <string>

#include "runtime/error.hpp"

namespace parity::fuzz {

/// The reader under test.
void run(const std::string& data);

/// Ends the process and saves the input.
[[noreturn]] void finding(const std::string& what);
inline void require(bool holds, const std::string& what) {
  if (!holds) finding(what);
}

/// A path in a folder of this process, which is removed at its end.
std::string path_of(const std::string& name);
/// Writes the input to a file there and returns its path.
std::string input_file(const std::string& name, const std::string& data);
std::string contents(const std::string& path);

/// Requires one line that a terminal shows as it is: UTF-8 without control characters.
void check_message(const std::string& message);
/// Checks that readers that failed or finished have closed their files.
void check_open_files();

/// Runs a reader and returns true if it took the input. It may refuse with a message for the user; any other
/// exception is a finding.
template <class F>
bool taken(const F& read) {
  bool well = false;
  try {
    read();
    well = true;
  } catch (const runtime::Error& e) {
    check_message(e.what());
  } catch (const std::exception& e) {
    finding(std::string("an exception that is no message for the user: ") + e.what());
  }
  check_open_files();
  return well;
}

}  // namespace parity::fuzz
