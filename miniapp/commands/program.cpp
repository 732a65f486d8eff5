// SPDX-License-Identifier: BSD-3-Clause
#include "commands/program.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "harness/environment.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"
#include "runtime/processes.hpp"
#include "runtime/program.hpp"
#include "runtime/signals.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

/// Every rank has the same message; rank 0 prints it, even before it has joined the others.
void say(const std::string& message) {
  if (runtime::rank_info().rank != 0 || runtime::launched_by_environment().rank != 0) return;
  // A measuring process does not know whether its parent shows a progress line.
  const bool over_a_line = runtime::child_number() > 0 && isatty(STDERR_FILENO);
  std::fprintf(stderr, "%s%s: %s\n", over_a_line ? "\r\x1b[K" : "", runtime::build_info().program,
               runtime::in_words_of_program(message).c_str());
}

/// Prints the message that ends the program. If ranks end together, the launcher may stop this one for
/// another's exit code before it is gone; that is not reported.
void say_last(const std::string& message) {
  runtime::say_nothing_when_stopped();
  say(message);
}

int usage_error(const std::string& message) {
  say_last(message);
  return runtime::exit_usage;
}

/// The options that choose threads and GPU, common to all commands.
struct Machine {
  std::string threads, device;
  std::optional<runtime::KokkosScope> kokkos = {};

  void add_to(CLI::App& command) {
    // The launch study has its own parameter --threads, the threads of a block.
    const bool taken = command.get_option_no_throw("--threads") != nullptr;
    command.add_option(taken ? "--omp-threads" : "--threads,--omp-threads", threads,
                       "OpenMP threads to compute with (default: OMP_NUM_THREADS, or every core)");
    command.add_option("--device", device, "GPU to compute on, from 0");
  }
  /// All ranks start together.
  void start() {
    using namespace runtime;
    collective_or_throw([this] { choose_device(); });
    collective_or_throw([this] {
      choose_threads(threads);
      kokkos.emplace();
    });
    device_messages_work();  // tested while all ranks are here
    count_ranks_on_device();
  }

 private:
  /// One GPU per rank, as far as there are so many, if the user chose none.
  void choose_device() const {
    using namespace runtime;
    int index = -1;
    if (!device.empty()) {
      const auto [end, error] = std::from_chars(device.data(), device.data() + device.size(), index);
      if (error != std::errc() || end != device.data() + device.size() || index < 0)
        throw UsageError("--device is '" + shown(device) + "': give a whole number from 0");
    } else if (const int count = several_ranks() ? device_count() : 0; count > 0) {
      index = rank_info().rank_on_node % count;
    }
    if (index < 0) return;
    use_device(index);
    setenv("KOKKOS_DEVICE_ID", std::to_string(index).c_str(), 1);
  }
};

int output_failed(const std::string& why) {
  if (const int number = runtime::signal_received()) return runtime::end_after_signal(number);
  return usage_error("standard output cannot be written: " + why);
}

/// Flushes standard output, or reports that it could not be written.
int finished(int code) {
  if (std::fflush(stdout) != 0) return output_failed(std::strerror(errno));
  return std::ferror(stdout) ? output_failed("some of it was lost") : code;
}

constexpr const char* no_more_threads =
    "no more threads can be started here (limits of the user or the machine, or OMP and GOMP variables): "
    "give fewer "
    "with --threads";
bool ends_in_order = false;

/// At exit: OpenMP's library exits with 1 if it cannot start a thread; this says so and exits with 3 instead.
void end_in_own_words() {
  if (ends_in_order) return;
  runtime::remove_temporaries();
  say(no_more_threads);
  std::_Exit(runtime::exit_cannot_run);
}

int guarded(const Action& action) {
  using namespace parity::runtime;
  try {
    return finished(action());
  } catch (const Interrupted& e) {
    return end_after_signal(e.signal);
  } catch (const Error& e) {
    std::fflush(stdout);
    say_last(shown(e.what(), 2000));  // file names may hold anything
    return e.code();
  } catch (const std::bad_alloc&) {
    return usage_error("out of memory: reduce the size of the problem or file, or use a machine with more");
  } catch (const std::system_error& e) {
    if (std::ferror(stdout)) return output_failed(e.code().message());
    say_last(e.code() == std::errc::resource_unavailable_try_again ? no_more_threads : shown(e.what(), 500));
    return exit_cannot_run;
  } catch (const CLI::ConstructionError& e) {  // from a user's own problem
    return usage_error(shown(e.what(), 500) + ": give the parameter or its problem another name");
  } catch (const std::exception& e) {
    if (const int number = signal_received()) return end_after_signal(number);
    say_last(shown(e.what(), 500));
    return exit_cannot_run;
  }
}

/// The work of start_computing().
std::function<void()> start;

int run(int argc, char** argv, const Program& program, std::optional<runtime::RanksScope>& ranks) {
  const harness::Studies& studies = program.studies;
  CLI::App app{runtime::in_words_of_program(program.description), runtime::build_info().program};
  app.formatter(std::make_shared<WrappedHelp>());
  app.set_version_flag("--version", [] { return harness::version_text(); });
  app.require_subcommand(1);
  Machine machine;
  Action action;
  const Command* called = nullptr;
  On on = On::text;
  const auto add = [&](const Action& run_command, const Command& its) {
    CLI::App* const command = app.get_subcommands([](const CLI::App*) { return true; }).back();
    command->group(its.group);
    if (its.on != On::text && its.on != On::program) machine.add_to(*command);
    command->callback([&, run_command, command] {
      action = run_command;
      called = &its;
      const CLI::Option* const check = command->get_option_no_throw("--check");  // it only reads files
      on = check && check->count() > 0 ? On::text : its.on;
    });
  };
  for (const Command& c : program.commands)
    if (c.add)
      add(c.add(app, studies), c);
    else
      for (const harness::Study* study : studies) add(add_study(app, *study, studies), c);
  machine.add_to(app);
  const std::vector<std::string> given(argv + 1, argv + argc);
  try {
    std::vector<std::string> words = given;
    for (const Command& c : program.commands)
      if (c.on == On::program && !words.empty() && c.name == words.front())
        program.drop_words(*app.get_subcommand(c.name), words);
    if (!words.empty() && words[0] == "help") {  // 'help list' is 'list --help'
      words.erase(words.begin());
      words.insert(words.begin() + !words.empty(), "--help");
    }
    std::reverse(words.begin(), words.end());  // the order that CLI11 takes
    app.parse(words);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return runtime::launched_by_environment().rank == 0 ? app.exit(e) : 0;
    return usage_error(explained(app, studies, e, given));
  }
  if (on == On::program) {  // it has its own options, ranks and GPU
    if (machine.threads.empty() && machine.device.empty()) return action();
    return usage_error("--threads and --device are no options of 'parity " + called->name +
                       "': give them to the program");
  }
  if (called->threads_send) runtime::let_several_threads_send();
  ranks.emplace();
  const bool leads = runtime::rank_info().rank == 0;
  if (on == On::text) return leads ? action() : runtime::exit_ok;
  if (on == On::machine && runtime::several_ranks())
    return usage_error(
        "this command is one process's: start it without mpirun or srun, or set PARITY_RANKS=0");
  start = [&] {
    machine.start();
    const int sharing = int(runtime::largest(runtime::rank_info().ranks_on_device));
    if (sharing > 1 && on == On::ranks && machine.device.empty())
      say(std::to_string(sharing) +
          " ranks share a GPU, and times are of so many at once: start one a GPU, or give --device where "
          "that is meant");
  };
  if (on != On::ranks) start();
  if (on == On::shared) runtime::cannot_run_ends_all();
  try {
    const int code = action();
    return on == On::ranks && !leads ? runtime::exit_ok : code;
  } catch (const runtime::Error&) {  // on all ranks
    throw;
  } catch (const runtime::Interrupted&) {
    throw;
  } catch (...) {  // the other ranks may wait for this one
    runtime::abort_all_on_error([] { throw; });
    throw;
  }
}

}  // namespace

void start_computing() { start(); }

int run_program(int argc, char** argv, const Program& program) {
  runtime::open_standard_streams();
  runtime::catch_signals();
  if (runtime::child_number() > 0) runtime::say_nothing_when_stopped();
  std::atexit(end_in_own_words);
  std::optional<runtime::RanksScope> ranks;
  const int code = guarded([&] { return run(argc, argv, program, ranks); });
  ends_in_order = true;
  return code;
}

}  // namespace parity::commands
