// SPDX-License-Identifier: BSD-3-Clause
// Signals that end a command: in order where its work comes to stop_if_interrupted() soon, otherwise wherever
// it is. Either way within a second, with one line that says what stays, and without temporary files.
#pragma once
#include <atomic>
#include <string>

namespace parity::runtime {

/// From now on signals that end a process end this one so, unless they are ignored, as under nohup, or
/// handled by somebody else; crashes are left alone.
void catch_signals();
/// From now on this child gets them, too, and stops and goes on with this process; 0: none does.
void pass_signals_on(int child);
/// Throws Interrupted once a signal has arrived.
void stop_if_interrupted();
/// The signal that has arrived, or 0.
int signal_received();
/// What the message will say that a signal leaves behind; "nothing was written" where a command says nothing.
void say_when_stopped(const std::string& what_stays);
/// That another process says it.
void say_nothing_when_stopped();
/// That, for other messages.
std::string what_stays();
/// Prints the message, unless it is printed, and returns the exit code.
int end_after_signal(int number);

/// Makes a file from mkstemp's pattern, with a mode as open() takes it: the umask or the folder's default
/// access list narrows it. A signal that ends the process removes it. -1 with errno where it cannot be made.
int make_temporary(std::string& pattern, unsigned mode);
/// Makes this process's own what another one made.
void adopt_temporary(const std::string& temporary);
/// Renames it to 'target' in one piece; false with errno.
bool keep_temporary(const std::string& temporary, const std::string& target);
void remove_temporary(const std::string& temporary);
/// Leaves it to the process that made it.
void leave_temporary(const std::string& temporary);
/// All of them: of a process that ends where it is.
void remove_temporaries();

/// While one exists, a signal does not end the process from outside: for what must not be cut in two. For
/// moments only.
class SignalBlocker {
 public:
  SignalBlocker();
  ~SignalBlocker();
  SignalBlocker(const SignalBlocker&) = delete;
  SignalBlocker& operator=(const SignalBlocker&) = delete;
};

/// A signal ends this process without a word once 'another' is set, by the process that said why all are
/// stopped. Lives as long as this one.
void say_nothing_when_stopped_by(const std::atomic<int>* another);

}  // namespace parity::runtime
