// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/instruction_counts.hpp"

#include "runtime/error.hpp"
#include "runtime/host_clock.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <link.h>
#include <signal.h>
#include <ucontext.h>

#include <vector>
#endif

namespace parity::runtime {

#if defined(__x86_64__) && defined(__linux__)
namespace {

constexpr long long trap_flag = 0x100;  // of the processor's flags: stop after each instruction

/// The program's own instructions in memory, and how far they lie from where its file has them.
struct Code {
  std::uintptr_t begin = 0, size = 0, moved = 0;
};

Code code_of_program() {
  Code code;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* found) {
        Code& c = *static_cast<Code*>(found);
        for (int k = 0; k < object->dlpi_phnum; ++k) {
          const auto& part = object->dlpi_phdr[k];
          if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0)
            c = {object->dlpi_addr + part.p_vaddr, part.p_memsz, object->dlpi_addr};
        }
        return 1;  // the first object is the program
      },
      &code);
  return code;
}

// What the handler may touch.
Code code;
std::uint32_t* executed = nullptr;
std::uint64_t elsewhere = 0, until_look = 0;
double end = 0;  // on the host's clock
volatile bool over = false, late = false;
constexpr std::uint64_t between_looks = 256;  // at the clock

void on_trap(int, siginfo_t*, void* context) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (!over && --until_look == 0) {
    until_look = between_looks;
    late = host_seconds() > end;
  }
  if (over || late) {
    registers[REG_EFL] &= ~trap_flag;
    return;
  }
  const std::uintptr_t at = std::uintptr_t(registers[REG_RIP]) - code.begin;
  if (at < code.size)
    ++executed[at];
  else
    ++elsewhere;
}

/// The flag is set on the stack, below what a function without a frame may use of it.
[[gnu::noinline]] void begin_traps() {
  asm volatile("sub $128, %%rsp\n pushfq\n orq $0x100, (%%rsp)\n popfq\n add $128, %%rsp" ::: "memory", "cc");
}

}  // namespace

std::string why_no_instruction_counts() { return {}; }

InstructionCounts count_instructions(const std::function<void()>& work, double seconds) {
  code = code_of_program();
  std::vector<std::uint32_t> counts(code.size);
  executed = counts.data();
  elsewhere = 0, until_look = between_looks;
  end = host_seconds() + seconds;
  over = false;
  late = false;
  struct sigaction action {};
  struct sigaction before {};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, &before);
  begin_traps();
  try {
    work();
  } catch (...) {
    over = true;
    sigaction(SIGTRAP, &before, nullptr);
    throw;
  }
  over = true;  // the next trap is the last
  sigaction(SIGTRAP, &before, nullptr);
  InstructionCounts found;
  found.elsewhere = elsewhere, found.cut = late;
  for (std::size_t at = 0; at < counts.size(); ++at)
    if (counts[at] > 0) found.here[code.begin - code.moved + at] = counts[at];
  return found;
}

#else

std::string why_no_instruction_counts() {
  return "instructions are executed one by one on x86-64 Linux only";
}

InstructionCounts count_instructions(const std::function<void()>&, double) {
  throw CannotRunError(why_no_instruction_counts());
}

#endif

double InstructionCounts::total() const {
  double all = double(elsewhere);
  for (const auto& [address, times] : here) all += double(times);
  return all;
}

}  // namespace parity::runtime
