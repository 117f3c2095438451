// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/json_messages.hpp>
#include <stagecut/io/json/json_line.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace detail = stagecut::io::detail;

namespace {

template <class Read>
std::string refusal(const std::string& text, const Read& read) {
  const auto parsed = detail::parse_json(text, "p");
  try {
    (void)read(detail::json_value(parsed, "p"));
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "read";
}

}  // namespace

TEST_CASE("speeds are read as they are written") {
  const std::vector<double> speeds{1, 0.5, 1.0 / 3};
  const std::string text = stagecut::io::json_line(detail::amounts_json("plan#/speeds", speeds));
  CHECK(text == "[1, 0.5, 0.3333333333333333]");
  const auto parsed = detail::parse_json(text, "p");
  CHECK(detail::read_speeds(detail::json_value(parsed, "p")) == speeds);
  const auto read = [](const detail::json_value& value) { return detail::read_speeds(value); };
  CHECK(refusal("[]", read) == "p: holds no speed");
  CHECK(refusal("[1, -1]", read) == "p#/1: -1 is negative");
  CHECK_THROWS_WITH((void)detail::amounts_json("plan#/speeds", {1, -1}),
                    "stagecut::io::as_json: plan#/speeds/1 = -1.0, must be finite and not negative");
}

TEST_CASE("messages are read as they are written") {
  const stagecut::message_model messages{"stream", {{0.25, 8}, {0, 0}}};
  const std::string text = stagecut::io::json_line(detail::messages_json(messages));
  CHECK(text == R"({"kind": "stream", "links": [{"latency": 0.25, "bandwidth": 8}, {"latency": 0, "bandwidth": 0}]})");
  const auto parsed = detail::parse_json(text, "p");
  CHECK(detail::read_messages(detail::json_value(parsed, "p")) == messages);
  const auto read = [](const detail::json_value& value) { return detail::read_messages(value); };
  CHECK(refusal(R"({"kind": "link", "links": []})", read) == "p#/links: holds no link");
  CHECK(refusal(R"({"links": [{"latency": 0, "bandwidth": 0}]})", read) == "p: \"kind\" is missing");
  CHECK_THROWS_WITH((void)detail::messages_json({"link", {{0, 1}, {0, -1}}}),
                    "stagecut::io::as_json: plan#/messages/links/1/bandwidth = -1.0, must be finite and not negative");
}
