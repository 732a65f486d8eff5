// SPDX-License-Identifier: BSD-3-Clause
// parity new: writes a program that compares a user's own kernels, like tests/own_kernels/axpy.
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <system_error>

#include "commands/commands.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::commands {

const std::map<std::string, const char*>& new_files();  ///< generated

namespace {

namespace fs = std::filesystem;

/// Replaces "axpy" and "Axpy" by the name, as a word and as a type.
std::string renamed(std::string text, const std::string& name) {
  std::string type;
  for (std::size_t k = 0; k < name.size(); ++k)
    if (name[k] != '_') type += k == 0 || name[k - 1] == '_' ? char(std::toupper(name[k])) : name[k];
  text = std::regex_replace(text, std::regex("^[/#]+ SPDX[^\n]*\n"), "");
  return std::regex_replace(std::regex_replace(text, std::regex("axpy"), name), std::regex("Axpy"), type);
}

int write_new(const std::string& name) {
  constexpr std::size_t most = 100;  // std::regex overflows the stack on long names
  if (name.size() > most || !std::regex_match(name, std::regex("[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*")))
    throw runtime::UsageError(
        fmt::format("'{}' is no name of a kernel: give at most {} small letters, digits and '_' before a "
                    "letter, as in axpy",
                    runtime::shown(name), most));
  // C++ keywords, commands of the generated program, and words that select how a file is compiled.
  static const std::set<std::string> taken = {
      "auto",     "bool",    "break",   "case",    "catch",    "char",   "class",  "compare", "const",
      "continue", "default", "do",      "double",  "else",     "enum",   "export", "false",   "findings",
      "float",    "for",     "goto",    "if",      "int",      "list",   "long",   "measure", "new",
      "native",   "openmp",  "parity",  "private", "public",   "return", "short",  "show",    "signed",
      "sizeof",   "static",  "struct",  "switch",  "template", "this",   "true",   "try",     "union",
      "unsigned", "using",   "virtual", "void",    "while"};
  if (taken.count(name) || name.find("openmp") != std::string::npos ||
      name.find("native") != std::string::npos)
    throw runtime::UsageError(fmt::format(
        "'{}' means something else to C++, CMake or the program: give another name, as in axpy", name));
  if (std::error_code why; !fs::create_directory(name, why))
    throw runtime::UsageError(
        !why || why == std::errc::file_exists
            ? fmt::format("{} exists here already: give another name, or go to another folder", name)
            : fmt::format("{} cannot be made here: {}; go to another folder", name, why.message()));
  std::string files;
  for (const auto& [file, text] : new_files()) {
    write_text(name + "/" + renamed(file, name), renamed(text, name));
    files += " " + renamed(file, name);
  }
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  const auto word = [](const fs::path& path) {
    return path.string().find(' ') == std::string::npos ? path.string() : "\"" + path.string() + "\"";
  };
  std::string prefix = word(folder.parent_path()), install;
  if (!fs::exists(folder.parent_path() / "include/parity/study.hpp")) {
    prefix = "$HOME/parity";
    install = fmt::format("  cmake --install {} --prefix {}\n", word(folder), prefix);
  }
  fmt::print(
      "{0}/ has{1}: y = s x + y until you write your own.\nBuild and compare:\n{2}"
      "  cmake -S {0} -B {0}/build -DCMAKE_PREFIX_PATH={3} && cmake --build {0}/build\n"
      "  {0}/build/my_kernels {4} --n 1e6,1e8\n",
      name, files, install, prefix, runtime::with_dashes(name));
  return runtime::exit_ok;
}

}  // namespace

Action add_new(CLI::App& app, const harness::Studies&) {
  const auto name = std::make_shared<std::string>();
  app.add_subcommand("new", "Write the files of a program that compares your own kernels")
      ->add_option("name", *name, "Of the kernel and the folder, such as axpy")
      ->required();
  return [name] { return write_new(*name); };
}

}  // namespace parity::commands
