// SPDX-License-Identifier: BSD-3-Clause
// Records as they were written before metrics were a list and rows named their run.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace parity::harness {

/// A measurement of schema 1 in the words of the present schema. Throws runtime::UsageError, after 'where',
/// for what is no measurement of it.
nlohmann::json from_schema_1(const nlohmann::json& record, const std::string& where);

}  // namespace parity::harness
