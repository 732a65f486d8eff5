// SPDX-License-Identifier: BSD-3-Clause
// parity: how close does portable code come to hand-written CUDA, and what do kernel launches really cost?
// Parse the command line, start Kokkos, run one command, return its exit code.
#include <CLI/CLI.hpp>
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

#include "commands/commands.hpp"
#include "harness/environment.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"
#include "runtime/processes.hpp"
#include "runtime/signals.hpp"
#include "runtime/text.hpp"
#include "studies.hpp"

namespace {

using parity::commands::Action;

/// Every rank comes to the same; one says it.
void say(const std::string& message) {
  if (parity::runtime::place().rank == 0) std::fprintf(stderr, "parity: %s\n", message.c_str());
}

/// What ends the program. Where ranks end together, the launcher may stop this one for another's exit code
/// before it is gone: that is no news.
void say_last(const std::string& message) {
  parity::runtime::say_nothing_when_stopped();
  say(message);
}

int usage_error(const std::string& message) {
  say_last(message);
  return parity::runtime::exit_usage;
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
      return "--device is '" + parity::runtime::shown(text) + "': give a whole number from 0";
    parity::runtime::use_device(index);
    setenv("KOKKOS_DEVICE_ID", text.c_str(), 1);
    return std::nullopt;
  }
  // One GPU a rank, as far as there are so many.
  if (!parity::runtime::several_ranks()) return std::nullopt;
  if (const int count = parity::runtime::device_count(); count > 0) {
    const int index = parity::runtime::place().rank_on_node % count;
    parity::runtime::use_device(index);
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

bool is_command(const char* name, int argc, char** argv) {
  const char* const command = command_word(argc, argv);
  return command && std::strcmp(command, name) == 0;
}

/// Whether the command measures in several processes. MPI does not let a rank's process start others;
/// --starts 1 needs none, so that debuggers and profilers find the measurement in the process that they
/// started.
bool has_processes(int argc, char** argv) {
  if (parity::runtime::launched_by_environment().ranks > 1) return false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--starts=1" || (word == "--starts" && i + 1 < argc && std::strcmp(argv[i + 1], "1") == 0))
      return false;
  }
  for (const parity::harness::Study* study : parity::studies())
    if (is_command(study->name().c_str(), argc, argv)) return true;
  return is_command("measure", argc, argv);
}

int output_failed(const std::string& why) {
  if (const int number = parity::runtime::signal_received()) return parity::runtime::end_after_signal(number);
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
  parity::runtime::remove_temporaries();
  say(no_more_threads);
  std::_Exit(parity::runtime::exit_cannot_run);
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

/// What a command runs on. All ranks run it; ranks: rank 0's exit code counts, and rows may be refused;
/// shared: each rank has its part, so that every failure ends all.
enum class On { text, machine, ranks, shared };

int run(int argc, char** argv) {
  using namespace parity;
  // A program that is traced has options, ranks and a GPU of its own.
  const bool traces = is_command("trace", argc, argv);
  std::optional<std::string> wrong_device;
  if (!traces) runtime::agreed([&] { wrong_device = choose_device(argc, argv); });
  CLI::App app{
      "Parity measures how close portable Kokkos code comes to hand-written CUDA and OpenMP, verifies every "
      "result, measures what launches, graphs and barriers cost, filters your own fields and estimates "
      "densities of your own samples.\n\n"
      "Start with 'parity list' and 'parity diffusion --nx 64 --ny 64 --nz 16 --steps 128'.\n"
      "Exit codes: 0 fine; 1 a check failed; 2 wrong usage or input; 3 cannot run here; 128 + signal.",
      "parity"};
  app.formatter(std::make_shared<commands::WrappedHelp>());
  app.set_version_flag("--version", [] { return harness::version_text(); });
  app.require_subcommand(1);
  Machine machine;
  Action action;
  On on = On::text;
  std::string group;
  const auto add = [&](const Action& run_command, On its) {
    CLI::App* const command = app.get_subcommands([](const CLI::App*) { return true; }).back();
    command->group(group);
    if (its != On::text) machine.add_to(*command);
    command->callback([&action, &on, run_command, its, command] {
      action = run_command;
      const CLI::Option* const check = command->get_option_no_throw("--check");  // reads files alone
      on = check && check->count() > 0 ? On::text : its;
    });
  };
  group = "compare portable with native code";
  add(commands::add_list(app, studies()), On::machine);
  if (!traces)
    for (const harness::Study* study : studies()) add(commands::add_study(app, *study, studies()), On::ranks);
  add(commands::add_measure(app, studies()), On::ranks);
  add(commands::add_show(app, studies()), On::text);
  group = "read records";
  add(commands::add_findings(app), On::text);
  add(commands::add_compare(app), On::text);
  add(commands::add_export(app), On::text);
  group = "use it on your own fields, samples and programs";
  add(commands::add_filter(app), On::shared);
  add(commands::add_density(app), On::shared);
  add(commands::add_trace(app), On::text);
  add(commands::add_advise(app), On::text);
  machine.add_to(app);
  try {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (traces) commands::drop_mark(*app.get_subcommand("trace"), words);
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(words);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    const char* const word = command_word(argc, argv);
    return usage_error(commands::explained(app, studies(), e, word ? word : "", {argv + 1, argv + argc}));
  }
  if (wrong_device) return usage_error(*wrong_device);
  if (traces && !(machine.threads.empty() && machine.device.empty()))
    return usage_error("--threads and --device are no options of 'parity trace': give them to the program");
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

int main(int argc, char** argv) {
  parity::runtime::open_standard_streams();
  std::atexit(end_in_own_words);
  const auto process = [&] {
    std::optional<parity::runtime::RanksScope> ranks;
    const int code = guarded([&] {
      if (is_command("filter", argc, argv)) parity::runtime::let_several_threads_send();  // NetCDF does
      if (!is_command("trace", argc, argv)) ranks.emplace();
      return run(argc, argv);
    });
    ends_in_order = true;
    return code;
  };
  if (parity::runtime::resume_as_child()) return process();
  if (has_processes(argc, argv)) {
    ends_in_order = true;  // this process starts no threads
    return guarded([&] { return parity::runtime::repeat_in_processes(argv); });
  }
  parity::runtime::catch_signals();
  return process();
}
