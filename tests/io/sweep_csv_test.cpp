// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/tables/sweep_csv.hpp>

#include <stagecut/core/names.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "random_sweep_rows.hpp"

using stagecut::sweep_row;
using stagecut::io::sweep_csv;

namespace {

/// The rows that a CSV holds, read by the rules of RFC 4180: fields in quotes hold commas, and quotes written twice.
std::vector<std::vector<std::string>> records(const std::string& text) {
  std::vector<std::vector<std::string>> result(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = result.back().back();
    if (text[i] == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[++i];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (text[i] == ',' && !quoted) {
      result.back().emplace_back();
    } else if (text[i] == '\n' && !quoted) {
      result.emplace_back(1);
    } else {
      field += text[i];
    }
  }
  REQUIRE(!quoted);
  REQUIRE(result.back() == std::vector<std::string>(1));
  result.pop_back();
  return result;
}

double number(const std::string& field) { return field.empty() ? 0 : std::strtod(field.c_str(), nullptr); }

/// A row from its fields.
sweep_row read(const std::vector<std::string>& fields) {
  REQUIRE(fields.size() == 14);
  sweep_row row;
  row.devices = std::stoul(fields[0]);
  row.microbatches = std::stoul(fields[1]);
  row.schedule = stagecut::find_schedule(fields[2])->kind;
  row.stages_per_rank = std::stoul(fields[3]);
  row.checkpoint = stagecut::find_name(stagecut::checkpointing_names, fields[4])->value;
  row.state = stagecut::find_name(stagecut::state_names, fields[5])->value;
  row.makespan = number(fields[6]);
  row.bound = number(fields[7]);
  row.per_microbatch = number(fields[8]);
  row.memory = number(fields[9]);
  row.memory_bound = number(fields[10]);
  row.on_front = fields[11] == "1";
  row.dominated = fields[12] == "1";
  row.why = fields[13];
  return row;
}

}  // namespace

TEST_CASE("rows are read back as they were written, numbers bit for bit") {
  random_sweep_rows random(3);
  for (int round = 0; round < 300; ++round) {
    const std::vector<sweep_row> rows = random.rows();
    const auto lines = records(sweep_csv(rows));
    REQUIRE(lines.size() == rows.size() + 1);
    for (std::size_t i = 0; i < rows.size(); ++i) REQUIRE(read(lines[i + 1]) == rows[i]);
  }
}

TEST_CASE("the columns have names, and what is not known is empty") {
  const std::string header =
      "devices,microbatches,schedule,stages_per_rank,checkpoint,state,makespan,bound,per_microbatch,memory,memory_bound,front,"
      "dominated,why\n";
  CHECK(sweep_csv({}) == header);
  sweep_row row;
  row.devices = 2;
  row.why = "two, or \"three\"\nlines";
  CHECK(sweep_csv(std::vector<sweep_row>{row}) ==
        header + "2,0,gpipe,1,never,unknown,,,,,,0,0,\"two, or \"\"three\"\" lines\"\n");
  row.state = stagecut::state::optimal;
  row.makespan = row.bound = 0.5;
  row.per_microbatch = 0.125;
  row.on_front = true;
  row.why.clear();
  CHECK(sweep_csv(std::vector<sweep_row>{row}) == header + "2,0,gpipe,1,never,optimal,0.5,0.5,0.125,0,,1,0,\n");
}
