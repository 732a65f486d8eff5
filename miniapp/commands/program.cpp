// SPDX-License-Identifier: BSD-3-Clause
#include "commands/program.hpp"

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

/// Every rank comes to the same; one says it.
void say(const std::string& message) {
  if (runtime::place().rank != 0) return;
  std::fprintf(stderr, "%s: %s\n", runtime::build_info().program,
               runtime::in_words_of_program(message).c_str());
}

/// What ends the program. Where ranks end together, the launcher may stop this one for another's exit code
/// before it is gone: that is no news.
void say_last(const std::string& message) {
  runtime::say_nothing_when_stopped();
  say(message);
}

int usage_error(const std::string& message) {
  say_last(message);
  return runtime::exit_usage;
}

/// What a command computes with, the same for all of them.
struct Machine {
  std::string threads, device;
  void add_to(CLI::App& command) {
    // The launch study has a parameter --threads, those of a block.
    const bool taken = command.get_option_no_throw("--threads") != nullptr;
    command.add_option(taken ? "--omp-threads" : "--threads,--omp-threads", threads,
                       "OpenMP threads to compute with (default: OMP_NUM_THREADS, or every core)");
    command.add_option("--device", device, "GPU to compute on, from 0");
  }
};

/// The GPU must be chosen before the registries ask which variants can run, which is before the command line
/// is parsed: this looks for '--device N' alone. What is wrong with it is said later, if it was an option.
std::optional<std::string> choose_device(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    std::string text;
    if (word == "--device" && i + 1 < argc)
      text = argv[i + 1];
    else if (word.rfind("--device=", 0) == 0)
      text = word.substr(9);
    else
      continue;
    int index = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size() || index < 0)
      return "--device is '" + runtime::shown(text) + "': give a whole number from 0";
    runtime::use_device(index);
    setenv("KOKKOS_DEVICE_ID", text.c_str(), 1);
    return std::nullopt;
  }
  // One GPU a rank, as far as there are so many.
  if (!runtime::several_ranks()) return std::nullopt;
  if (const int count = runtime::device_count(); count > 0) {
    const int index = runtime::place().rank_on_node % count;
    runtime::use_device(index);
    setenv("KOKKOS_DEVICE_ID", std::to_string(index).c_str(), 1);
  }
  return std::nullopt;
}

/// The first word that is neither an option nor the value of one that may stand before the command.
const char* command_word(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--threads" || word == "--omp-threads" || word == "--device")
      ++i;
    else if (word.rfind('-', 0) != 0)
      return argv[i];
  }
  return nullptr;
}

/// The one that the command line names; null where it is none of the program's.
const Command* command_of(const Program& program, int argc, char** argv) {
  const char* const word = command_word(argc, argv);
  for (const Command& c : program.commands)
    if (word && c.name == word) return &c;
  for (const harness::Study* study : program.studies)
    if (word && study->name() == word)
      for (const Command& c : program.commands)
        if (c.name.empty()) return &c;
  return nullptr;
}

/// Whether a command that measures does so in several processes. MPI does not let a rank's process start
/// others; --starts 1 needs none, so that debuggers and profilers find the measurement in the process that
/// they started.
bool has_processes(int argc, char** argv) {
  if (runtime::launched_by_environment().ranks > 1) return false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--starts=1" || (word == "--starts" && i + 1 < argc && std::strcmp(argv[i + 1], "1") == 0))
      return false;
  }
  return true;
}

int output_failed(const std::string& why) {
  if (const int number = runtime::signal_received()) return runtime::end_after_signal(number);
  return usage_error("standard output cannot be written: " + why);
}

/// Whatever is still to be written is written, or the process says that it was not.
int finished(int code) {
  if (std::fflush(stdout) != 0) return output_failed(std::strerror(errno));
  return std::ferror(stdout) ? output_failed("some of it was lost") : code;
}

constexpr const char* no_more_threads =
    "no more threads can be started here (limits of the user or the machine, or OMP and GOMP variables): "
    "give fewer "
    "with --threads";
bool ends_in_order = false;

/// OpenMP's library ends the process with 1 where it cannot start a thread.
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
    say_last(shown(e.what(), 2000));  // names of files may hold anything
    return e.code();
  } catch (const std::bad_alloc&) {
    return usage_error("out of memory: reduce the size of the problem or file, or use a machine with more");
  } catch (const std::system_error& e) {
    if (std::ferror(stdout)) return output_failed(e.code().message());
    say_last(e.code() == std::errc::resource_unavailable_try_again ? no_more_threads : shown(e.what(), 500));
    return exit_cannot_run;
  } catch (const std::exception& e) {
    if (const int number = signal_received()) return end_after_signal(number);
    say_last(shown(e.what(), 500));
    return exit_cannot_run;
  }
}

int run(int argc, char** argv, const Program& program, const Command* called) {
  const harness::Studies& studies = program.studies;
  const bool traces = called && called->on == On::program;  // the other program has options of its own
  std::optional<std::string> wrong_device;
  if (!traces) runtime::agreed([&] { wrong_device = choose_device(argc, argv); });
  CLI::App app{runtime::in_words_of_program(program.description), runtime::build_info().program};
  app.formatter(std::make_shared<WrappedHelp>());
  app.set_version_flag("--version", [] { return harness::version_text(); });
  app.require_subcommand(1);
  Machine machine;
  Action action;
  On on = On::text;
  const auto add = [&](const Action& run_command, const Command& its) {
    CLI::App* const command = app.get_subcommands([](const CLI::App*) { return true; }).back();
    command->group(its.group);
    if (its.on != On::text && its.on != On::program) machine.add_to(*command);
    command->callback([&action, &on, run_command, its = its.on, command] {
      action = run_command;
      const CLI::Option* const check = command->get_option_no_throw("--check");  // reads files alone
      on = its == On::program || (check && check->count() > 0) ? On::text : its;
    });
  };
  for (const Command& c : program.commands)
    if (c.add)
      add(c.add(app, studies), c);
    else if (!traces)
      for (const harness::Study* study : studies) add(add_study(app, *study, studies), c);
  machine.add_to(app);
  try {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (traces) program.drop_words(*app.get_subcommand(called->name), words);
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(words);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    const char* const word = command_word(argc, argv);
    return usage_error(explained(app, studies, e, word ? word : "", {argv + 1, argv + argc}));
  }
  if (wrong_device) return usage_error(*wrong_device);
  if (traces && !(machine.threads.empty() && machine.device.empty()))
    return usage_error("--threads and --device are no options of 'parity " + called->name +
                       "': give them to the program");
  const bool leads = runtime::place().rank == 0;
  if (on == On::text) return leads ? action() : runtime::exit_ok;
  if (on == On::machine && runtime::several_ranks())
    return usage_error(
        "this command is one process's: start it without mpirun or srun, or set PARITY_RANKS=0");
  std::optional<runtime::KokkosScope> kokkos;
  runtime::agreed([&] {
    runtime::choose_threads(machine.threads);
    kokkos.emplace();
  });
  runtime::device_messages_work();  // found out while all ranks are here
  runtime::count_ranks_on_device();
  const int sharing = int(runtime::largest(runtime::place().ranks_on_device));
  if (sharing > 1 && on == On::ranks && machine.device.empty())
    say(std::to_string(sharing) +
        " ranks share a GPU, and times are of so many at once: start one a GPU, or give --device where that "
        "is meant");
  if (on == On::shared) runtime::every_failure_ends_all();
  try {
    const int code = action();
    return on == On::ranks && !leads ? runtime::exit_ok : code;
  } catch (const runtime::Error&) {  // of all ranks
    throw;
  } catch (const runtime::Interrupted&) {
    throw;
  } catch (...) {  // the others may wait for this rank
    runtime::linked([] { throw; });
    throw;
  }
}

}  // namespace

int run_program(int argc, char** argv, const Program& program) {
  const Command* const called = command_of(program, argc, argv);
  runtime::open_standard_streams();
  std::atexit(end_in_own_words);
  const auto process = [&] {
    std::optional<runtime::RanksScope> ranks;
    const int code = guarded([&] {
      if (called && called->threads_send) runtime::let_several_threads_send();
      if (!called || called->on != On::program) ranks.emplace();
      return run(argc, argv, program, called);
    });
    ends_in_order = true;
    return code;
  };
  if (runtime::resume_as_child()) return process();
  if (called && called->on == On::ranks && has_processes(argc, argv)) {
    ends_in_order = true;  // this process starts no threads
    return guarded([&] { return runtime::repeat_in_processes(argv); });
  }
  runtime::catch_signals();
  return process();
}

}  // namespace parity::commands
