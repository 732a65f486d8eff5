// SPDX-License-Identifier: BSD-3-Clause
// Files of which several processes read or write a part each: a pipe has no parts.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "runtime/messages.hpp"

namespace parity::io {

/// Throws runtime::UsageError for standard input and for what is no regular file, without opening it: that
/// would wait for a pipe's other end.
void require_shareable_input(const std::string& path);
/// The same for standard output and for what can only be appended to.
void require_shareable_output(const std::string& path);

/// What rank 0 makes and the others join, who are told its temporary().
template <class File>
std::unique_ptr<File> open_on_all_ranks(
    const std::function<std::unique_ptr<File>()>& make,
    const std::function<std::unique_ptr<File>(const std::string& temporary)>& join) {
  const bool leads = runtime::place().rank == 0;
  std::unique_ptr<File> file;
  runtime::agreed([&] {
    if (leads) file = make();
  });
  const std::string temporary =
      runtime::broadcast(leads && runtime::several_ranks() ? file->temporary() : "");
  runtime::agreed([&] {
    if (!leads) file = join(temporary);
  });
  return file;
}

/// The output appears when every rank's part of it is on the disk.
template <class File>
void commit_on_all_ranks(File& file) {
  const bool leads = runtime::place().rank == 0;
  if (runtime::several_ranks()) runtime::agreed([&] { file.flush(); });
  runtime::agreed([&] {
    if (leads) file.commit();
  });
  if (!leads) file.commit();
}

}  // namespace parity::io
