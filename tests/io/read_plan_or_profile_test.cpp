// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/read_plan_or_profile.hpp>

#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/read_profile.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <variant>

#include "worked_plan.hpp"

namespace io = stagecut::io;
using stagecut::plan;
using stagecut::profile;

namespace {

std::string refusal(const std::string& text, const io::read_limits& limits = {}) {
  try {
    (void)io::parse_plan_or_profile(text, "f", limits);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "read";
}

}  // namespace

TEST_CASE("a plan and profiles of every format are told by their content") {
  const plan made = worked_plan();
  const std::string text = io::as_json(made);
  CHECK(std::get<plan>(io::parse_plan_or_profile(text, "f")) == made);
  CHECK(std::get<plan>(io::parse_plan_or_profile("\xEF\xBB\xBF\n \r\n\t" + text, "f")) == made);
  std::istringstream stream(text);
  CHECK(std::get<plan>(io::read_plan_or_profile(stream, "f")) == made);
  CHECK(std::get<profile>(io::parse_plan_or_profile(io::as_json(made.profile), "f")) == made.profile);
  CHECK(std::get<profile>(io::parse_plan_or_profile("time\n1\n2\n", "f")).layers.size() == 2);
  const std::string seeds = std::string(STAGECUT_TEST_DATA) + "/io/seeds/";
  for (const char* const file : {"json_plan/full.json", "json_plan/full_2.json", "json_plan/graph_2.json"}) {
    CHECK(std::holds_alternative<plan>(io::read_plan_or_profile(seeds + file)));
  }
  for (const char* const file : {"json_profile/full.json", "csv/layers.csv", "pipedream/branches.txt",
                                 "dnn_partitioning/training.json", "dot/words.dot"}) {
    CHECK(std::get<profile>(io::read_plan_or_profile(seeds + file)) == io::read_profile(seeds + file));
  }
}

TEST_CASE("what is neither is refused as what it is nearest to") {
  CHECK(refusal("") == "f: is empty");
  CHECK(refusal("{").starts_with("f:1: no JSON"));
  CHECK(refusal("{}") ==
        "f: is neither a profile (\"schema\": \"stagecut-profile-2\"), nor a plan, nor the config.json of a model "
        "(\"model_type\"): \"schema\" is missing");
  CHECK(refusal(R"({"schema": "stagecut-plan-9"})").find("stagecut-plan-9") != std::string::npos);
  CHECK(refusal(R"({"schema": "stagecut-plan-3"})") == "f: \"profile\" is missing");
  CHECK(refusal(R"({"schema": "stagecut-profile-9"})").find("and \"stagecut-profile-2\"") != std::string::npos);
  CHECK(refusal("hello").find("begins no known format") != std::string::npos);
  CHECK(refusal(io::as_json(worked_plan()), {.bytes = 100}).starts_with("f: is larger than 100 bytes"));
  CHECK_THROWS_WITH_AS((void)io::read_plan_or_profile("/no/such/file"), doctest::Contains("cannot be opened"),
                       stagecut::invalid_input);
}
