// SPDX-License-Identifier: BSD-3-Clause
// Traces of every kind that parity detects by content, and the advice on them.
#include "fuzz.hpp"
#include "tools/trace/trace.hpp"

void parity::fuzz::run(const std::string& data) {
  using namespace parity;
  const std::string input = fuzz::input_file("trace", data);
  fuzz::taken([&] {
    for (const analysis::Trace& trace : analysis::read_traces(input)) {
      fuzz::require(trace.program(false).size() <= trace.program(true).size() + 1,
                    "a name longer than its line");
      analysis::advise(trace, {});
    }
  });
}
