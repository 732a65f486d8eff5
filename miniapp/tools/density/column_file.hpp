// SPDX-License-Identifier: BSD-3-Clause
// One column of numbers from a .npy or CSV file, or from a pipe that carries one.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "runtime/numbers.hpp"
#include "runtime/share.hpp"

namespace parity::io {

enum class Format { npy, csv };

/// Is told how many numbers an input holds, about as many of CSV, and the bytes of its text, before memory
/// for them is taken; may throw.
using Announce = std::function<void(std::int64_t count, std::int64_t text)>;

/// Which of so many numbers are wanted: one of several processes' part.
using PartOf = std::function<runtime::Share(std::int64_t count)>;

/// What the first row of a CSV file is; unknown: what it looks like.
enum class FirstRow { unknown, header, numbers };

/// A 1-D .npy array (float32 or float64) or one column of a CSV file (io/csv.hpp; with or without a header
/// line), by its content; "-" is standard input. column: a header's name or a number from 1; needed where a
/// CSV file has several; column_option: what a message calls it. what: "samples" and the like, for messages.
/// All threads read and convert. A .npy file needs memory for its numbers alone, a CSV file for its text too.
/// of_column: for a message, " of column 'price'" where the first row of a CSV file is a header, else that it
/// is none.
/// part: all numbers where it is empty. Of .npy only they are read and looked at.
/// Throws runtime::UsageError naming file, line and fix for everything that is not a finite number.
runtime::Numbers read_column(const std::string& path, const std::string& column, const std::string& what,
                             const std::string& column_option = "--column", Format* format = nullptr,
                             const Announce& announce = {}, std::string* of_column = nullptr,
                             const PartOf& part = {}, FirstRow first_row = FirstRow::unknown);

}  // namespace parity::io
