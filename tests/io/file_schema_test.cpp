// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/file_schema.hpp>

#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/io/json/json_profile.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "random_plans.hpp"

using stagecut::io::is_former_schema;
using stagecut::io::schema_of;
using stagecut::io::unknown_members;

namespace {

std::vector<std::string> pointers(const std::vector<stagecut::io::unknown_member>& all) {
  std::vector<std::string> result;
  for (const auto& each : all) result.push_back(each.pointer);
  return result;
}

}  // namespace

TEST_CASE("the schema of a text is the first member of that name") {
  CHECK(schema_of(stagecut::io::as_json(full_plan())) == "stagecut-plan-3");
  CHECK(schema_of(stagecut::io::as_json(full_profile())) == "stagecut-profile-2");
  CHECK(schema_of(" \n{\"name\": \"schema\", \"x\": \"\\\"schema\\\"\", \"schema\" :\t\"stagecut-plan-2\"}") == "stagecut-plan-2");
  CHECK(schema_of("\xEF\xBB\xBF\r\n{\"schema\":\"stagecut-profile-1\"}") == "stagecut-profile-1");
  for (const char* const text : {"", "[]", "{", "{}", "{\"schema\"", "{\"schema\":", "{\"schema\": 1}", "{\"schema\": \"",
                                 "{\"schema\": \"x\"}", "schema: \"stagecut-plan-1\"", "\"schema\": \"stagecut-plan-1\""}) {
    CAPTURE(text);
    CHECK(schema_of(text).empty());
  }
}

TEST_CASE("former schemas are those that are read and not written") {
  for (const char* const schema : {"stagecut-plan-1", "stagecut-plan-2", "stagecut-profile-1"}) {
    CHECK(is_former_schema(schema));
  }
  for (const char* const schema : {"stagecut-plan-3", "stagecut-profile-2", "stagecut-plan-4", "stagecut-profile-0", ""}) {
    CHECK_FALSE(is_former_schema(schema));
  }
}

TEST_CASE("unknown members have their place, and the names that are known there") {
  const auto model = stagecut::io::parse_json_profile(R"({"schema": "stagecut-profile-2", "nmae": "x", "layers": [
      {"name": "a", "foward": 1, "a/b": null},
      {"name": "b", "recomputations": [{"name": "full", "x": 1}], "shardings": [{"name": "row"}, {"name": "column", "way": 2}]}]})",
                                                      "p.json");
  const auto all = unknown_members(model);
  CHECK(pointers(all) == std::vector<std::string>{"/nmae", "/layers/0/foward", "/layers/0/a~1b",
                                                  "/layers/1/recomputations/0/x", "/layers/1/shardings/1/way"});
  CHECK(all[1].name == "foward");
  CHECK(all[2].name == "a/b");
  const auto knows = [&](std::size_t i, std::string_view name) {
    return std::find(all[i].known.begin(), all[i].known.end(), name) != all[i].known.end();
  };
  CHECK(knows(0, "name"));
  CHECK_FALSE(knows(0, "forward"));
  CHECK(knows(1, "forward"));
  CHECK(knows(4, "tensor_parallel"));
  CHECK_FALSE(knows(4, "ways"));  // a former name is none to suggest
}

TEST_CASE("unknown members of a plan are those of its profile, too") {
  stagecut::plan made = full_plan();
  CHECK(pointers(unknown_members(made)).front() == "/of plan");
  CHECK(pointers(unknown_members(made))[1] == "/profile/of profile");
  made.unknown_fields = made.profile.unknown_fields = "";
  for (stagecut::layer& layer : made.profile.layers) {
    layer.unknown_fields = "";
    for (auto* const variants : {&layer.recomputations, &layer.shardings}) {
      for (stagecut::layer_variant& variant : *variants) variant.unknown_fields = "[1]";
    }
  }
  CHECK(unknown_members(made).empty());
  made.unknown_fields = "{";
  CHECK_THROWS_AS((void)unknown_members(made), stagecut::invalid_input);
}
