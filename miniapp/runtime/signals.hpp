// SPDX-License-Identifier: BSD-3-Clause
// Signals end a command within a second: through stop_if_interrupted() if its work calls that soon, otherwise
// at any point. Either way the program prints one line that says what stays, and removes temporary files.
#pragma once
#include <atomic>
#include <string>

namespace parity::runtime {

/// Installs this handling for signals that end a process, except crashes. Signals that are ignored (as under
/// nohup) or already handled stay so, except SIGINT, SIGTERM and SIGXCPU.
void catch_signals();
/// Also passes signals to this child, which stops and continues with this process; 0: no child.
void pass_signals_on(int child);
/// Throws Interrupted once a signal has arrived.
void stop_if_interrupted();
/// The signal that has arrived, or 0.
int signal_received();
/// Sets the message's words for what a signal leaves behind; the default is "nothing was written".
void say_when_stopped(const std::string& what_stays);
/// Suppresses the message, because another process prints it.
void say_nothing_when_stopped();
/// The words of say_when_stopped(), for other messages.
std::string what_stays();
/// Prints the message, unless it was printed or suppressed, and returns the exit code.
int end_after_signal(int number);

/// Makes a file from mkstemp's pattern, with open()'s mode, which the umask or the folder's default access
/// list narrows. A signal that ends the process removes the file. -1 with errno on failure.
int make_temporary(std::string& pattern, unsigned mode);
/// Takes over a temporary file that another process made.
void adopt_temporary(const std::string& temporary);
/// Renames it to 'target' atomically; false with errno on failure.
bool keep_temporary(const std::string& temporary, const std::string& target);
void remove_temporary(const std::string& temporary);
/// Leaves it to the process that made it.
void leave_temporary(const std::string& temporary);
/// Removes all temporary files, when the process ends without unwinding.
void remove_temporaries();

/// While one exists, the signal watcher does not end the process (it waits 300 ms at most). For short
/// operations that must not be interrupted.
class SignalBlocker {
 public:
  SignalBlocker();
  ~SignalBlocker();
  SignalBlocker(const SignalBlocker&) = delete;
  SignalBlocker& operator=(const SignalBlocker&) = delete;
};

/// A signal ends this process silently once *another is not 0: the process that printed why all stop sets it.
/// *another must live as long as this process.
void say_nothing_when_stopped_by(const std::atomic<int>* another);

}  // namespace parity::runtime
