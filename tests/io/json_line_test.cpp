// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/json_line.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace io = stagecut::io;
using json = nlohmann::ordered_json;

TEST_CASE("a value stands on one line, its members in their order, each behind a space") {
  CHECK(io::json_line(json::parse(R"({"b":[1,2.5,{}],"a":{"x":null,"y":[]},"c":"d, \"e\": f"})")) ==
        R"({"b": [1, 2.5, {}], "a": {"x": null, "y": []}, "c": "d, \"e\": f"})");
  CHECK(io::json_line(json("a\nb")) == R"("a\nb")");
  CHECK(io::json_line(true) == "true");
  CHECK_THROWS_AS((void)io::json_line(json("\xff")), json::type_error);
}

TEST_CASE("numbers are written without a fraction where they have none") {
  const auto text = [](double value) { return io::json_line(io::json_number(value)); };
  CHECK(text(3) == "3");
  CHECK(io::json_number(3).is_number_integer());
  CHECK(text(-2) == "-2");
  CHECK(text(0.1) == "0.1");
  CHECK(text(9007199254740992.0) == "9007199254740992");
  CHECK(text(1e300) == "1e+300");
  CHECK(text(5e-324) == "5e-324");
  CHECK(text(std::numeric_limits<double>::quiet_NaN()) == "null");
  CHECK(text(std::numeric_limits<double>::infinity()) == "null");
}
