// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is a value that is read again from its JSON, or `invalid_input` with a place. What is JSON is
// read as such.
#include <stagecut/io/detail/yaml_subset.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <stagecut/io/detail/json_parse.hpp>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    namespace detail = stagecut::io::detail;
    const detail::json value = detail::parse_yaml(text, source, limits_for(text));
    require(detail::parse_yaml(value.dump(), "again", {.depth = 1000}) == value);
    require(detail::json_nesting(value.dump()) <= limits_for(text).depth);
    if (text.starts_with("\xEF\xBB\xBF\xEF\xBB\xBF")) return;  // nlohmann's parser skips another mark
    const detail::json_reading json = detail::read_json(text, 1000);
    if (json.problem.empty()) require(json.value == value);
  });
}
