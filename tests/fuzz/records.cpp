// SPDX-License-Identifier: BSD-3-Clause
// Files of records. Measurements and skipped variants are written and read again without a change, and pairs
// can be computed.
#include <nlohmann/json.hpp>

#include "analysis/pairs.hpp"
#include "fuzz.hpp"
#include "harness/records.hpp"

void parity::fuzz::run(const std::string& data) {
  using namespace parity;
  const std::string input = fuzz::input_file("records.jsonl", data);
  fuzz::taken([&] {
    for (const harness::RecordLine& line : harness::read_lines(input)) {
      if (line.environment) harness::to_json(*line.environment).dump();
      if (line.skipped) {
        const auto skipped = harness::to_json(*line.skipped);
        fuzz::require(harness::to_json(harness::skipped_of(skipped, "again: ")) == skipped,
                      "a skipped row changes when it is written and read again");
      }
      if (!line.measurement) continue;
      auto written = harness::to_json(*line.measurement);
      const auto again = harness::measurement_of(written, "again: ");
      auto written_again = harness::to_json(again);
      // The error of a failed result may be lost; the failure may not.
      for (auto* const record : {&written, &written_again}) (*record)["verification"].erase("error");
      fuzz::require(written_again == written, "a record changes when it is written and read again");
      fuzz::require(harness::key(again) == harness::key(*line.measurement), "its key changes");
    }
  });
  fuzz::taken([&] {
    const harness::Records records = harness::read_records({input}, /*skipped_are_enough=*/true);
    for (const analysis::Pair& pair : analysis::pairs_of(records.measurements))
      harness::ratio_text(pair.ratio, 3);
  });
}
