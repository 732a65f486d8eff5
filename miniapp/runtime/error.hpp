// SPDX-License-Identifier: BSD-3-Clause
// Errors that a user can cause, each with the program's exit code.
#pragma once
#include <stdexcept>
#include <string>

namespace parity::runtime {

enum ExitCode : int { exit_ok = 0, exit_check_failed = 1, exit_usage = 2, exit_cannot_run = 3 };

/// An error and the exit code that main returns for it.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Wrong usage or input (exit code 2). The message names the fix.
struct UsageError : Error {
  explicit UsageError(const std::string& message) : Error(exit_usage, message) {}
};

/// The request cannot run on this machine or in this build (exit code 3).
struct CannotRunError : Error {
  explicit CannotRunError(const std::string& message) : Error(exit_cannot_run, message) {}
};

/// A signal ended the work; finished results are already on disk.
struct Interrupted : std::runtime_error {
  explicit Interrupted(int number) : std::runtime_error("interrupted"), signal(number) {}
  int signal;
};

}  // namespace parity::runtime
