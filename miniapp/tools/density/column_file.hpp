// SPDX-License-Identifier: BSD-3-Clause
// One column of numbers from a .npy or CSV file, or from a pipe.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "runtime/numbers.hpp"
#include "runtime/share.hpp"

namespace parity::io {

enum class Format { npy, csv };

/// Receives the number of values in an input (approximate for CSV) and the bytes of its text, before memory
/// for them is allocated; may throw.
using Announce = std::function<void(std::int64_t count, std::int64_t text)>;

/// The part of 'count' numbers that this process wants.
using PartOf = std::function<runtime::Share(std::int64_t count)>;

/// Type of a CSV file's first row; unknown: detect it.
enum class FirstRow { unknown, header, numbers };

/// Reads a 1-D .npy array (float32 or float64) or one column of a CSV file (csv.hpp; with or without a
/// header), told apart by content; "-" is standard input. column: a header's name or a number from 1;
/// required if a CSV file has several columns. column_option: the option's name in messages. what: "samples"
/// and the like, for messages. All threads read and convert. A .npy file needs memory for its numbers only, a
/// CSV file for its text too. of_column: for a message, " of column 'price'" if a CSV file's first row is a
/// header, else a note that it is not. part: empty for all numbers; from a .npy file only the part is read
/// and checked.
/// Throws runtime::UsageError with file, line and fix for anything but finite numbers.
runtime::Numbers read_column(const std::string& path, const std::string& column, const std::string& what,
                             const std::string& column_option = "--column", Format* format = nullptr,
                             const Announce& announce = {}, std::string* of_column = nullptr,
                             const PartOf& part = {}, FirstRow first_row = FirstRow::unknown);

}  // namespace parity::io
