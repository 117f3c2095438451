// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/csv.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using stagecut::io::parse_csv;

namespace {

const std::string header = "name,kind,forward,backward,parameters,activations,output\n";

/// What the refusal of a text says.
std::string refusal(const std::string& text) {
  try {
    (void)parse_csv(text, "f.csv");
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace

TEST_CASE("a plain list, with and without its header") {
  const auto with = parse_csv("time\n1\n2.5\n", "f.csv");
  CHECK(with.weights_only);
  CHECK(with.times() == std::vector<double>{1, 2.5});
  CHECK(with.layers[1].name == "1");
  CHECK(parse_csv("1\r\n2.5", "f.csv") == with);
  CHECK(parse_csv("\"time\"\n 1 \n\n2.5\n", "f.csv") == with);
}

TEST_CASE("layers with all their columns, in any order, with quotes") {
  const auto model = parse_csv(header + "\"a, \"\"b\"\"\",decoder,1,2,3,4,5\n", "f.csv");
  REQUIRE(model.layers.size() == 1);
  CHECK(!model.weights_only);
  CHECK(model.layers[0] == stagecut::layer{"a, \"b\"", "decoder", 1, 2, 3, 4, 5});
  CHECK(parse_csv("output, activations,parameters,backward,forward,kind,name\n5,4,3,2,1,decoder,\"a, \"\"b\"\"\"\n",
                  "f") == model);
}

TEST_CASE("each mistake is named with its line, field and value") {
  CHECK(refusal("") == "f.csv: is empty");
  CHECK(refusal("\n \n") == "f.csv: is empty");
  CHECK(refusal("time\n") == "f.csv: names no layer");
  CHECK(refusal(header) == "f.csv: names no layer");
  CHECK(refusal("time\n1\nx\n") == "f.csv:3: time: \"x\" is not a number");
  CHECK(refusal("time\n1,2\n") == "f.csv:2: time: \"1,2\" is not a number");
  CHECK(refusal("1\n-2\n") == "f.csv:2: time: \"-2\" is negative");
  CHECK(refusal("name,kind\n") == "f.csv:1: column \"forward\" is missing");
  CHECK(refusal("name,size\n") == "f.csv:1: column \"size\" is not known");
  CHECK(refusal("name,name\n") == "f.csv:1: column \"name\" stands twice");
  CHECK(refusal(header + "a,b,1,2,3,4\n") == "f.csv:2: 6 fields, and the header names 7");
  CHECK(refusal(header + "a,b,1,2,3,4,5\n\na,b,1,nan,3,4,5\n") == "f.csv:4: backward: \"nan\" is NaN");
  CHECK(refusal(header + "a,b,1e308,1e308,3,4,5\n") == "f.csv:2: forward + backward is out of range");
  CHECK(refusal(header + "\"a,b,1,2,3,4,5\n") == "f.csv:2: the quote of field 1 is not closed");
  CHECK(refusal(header + "\"a\"b,b,1,2,3,4,5\n") == "f.csv:2: text after the closing quote of field 1");
}
