// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/table_options.hpp>

#include <stagecut/io/read_plan_or_profile.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/io/tables/csv.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace io = stagecut::io;

TEST_CASE("every reader that reads tables takes the options, and notes what it takes for granted") {
  const std::string text = "name,fwd,num_params\na,1,10\n";
  std::vector<std::string> notes;
  const io::table_options options{.bytes_per_parameter = 4, .notes = &notes};
  const auto check = [&](const stagecut::profile& model) {
    CHECK(model.layers[0].parameters == 40);
    REQUIRE(notes.size() == 2);
    CHECK(notes[1].find("4 bytes each") != std::string::npos);
    notes.clear();
  };
  check(io::parse_csv(text, "f", {}, options));
  check(io::parse_profile(text, "f", {}, options));
  check(std::get<stagecut::profile>(io::parse_plan_or_profile(text, "f", {}, options)));
  std::istringstream stream(text);
  check(io::read_profile(stream, "f", {}, options));
  std::istringstream other(text);
  check(std::get<stagecut::profile>(io::read_plan_or_profile(other, "f", {}, options)));
  CHECK(io::parse_csv(text, "f").layers[0].parameters == 20);
}

TEST_CASE("bytes of a parameter that are none") {
  for (const double bytes :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_WITH_AS((void)io::parse_csv("1\n", "f", {}, {.bytes_per_parameter = bytes}),
                         doctest::Contains("options.bytes_per_parameter = "), stagecut::argument_error);
  }
}
