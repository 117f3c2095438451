// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/names.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string_view>

using stagecut::find_name;
using stagecut::list_names;
using stagecut::name_of;
using stagecut::named;

namespace {

enum class colour { red, green, blue, none };

constexpr named<colour> colours[] = {{"red", colour::red}, {"green", colour::green}, {"blue", colour::blue}};

struct fruit {
  std::string_view name;
  int grams = 0;
};

constexpr std::array<fruit, 2> fruits = {{{"apple", 150}, {"pear", 170}}};

static_assert(find_name(colours, "green")->value == colour::green);
static_assert(find_name(colours, "gree") == nullptr);
static_assert(find_name(fruits, "pear")->grams == 170);
static_assert(std::string_view(name_of(colours, colour::blue)) == "blue");

}  // namespace

TEST_CASE("words stand for values, and values for words") {
  for (const auto& [name, value] : colours) {
    REQUIRE(find_name(colours, name) != nullptr);
    CHECK(find_name(colours, name)->value == value);
    CHECK(std::string_view(name_of(colours, value)) == name);
  }
  CHECK(find_name(colours, "") == nullptr);
  CHECK(find_name(colours, "Red") == nullptr);
  CHECK(std::string_view(name_of(colours, colour::none)) == "?");
}

TEST_CASE("the known ones are listed in the order of the table") {
  CHECK(list_names(colours) == "red, green, blue");
  CHECK(list_names(colours, " or ") == "red, green or blue");
  CHECK(list_names(fruits, " or ") == "apple or pear");
  const auto is = [](colour of) { return [of](const auto& each) { return each.value == of; }; };
  CHECK(list_names(colours, " or ", is(colour::green)) == "green");
  CHECK(list_names(colours, " or ", is(colour::none)).empty());
  CHECK(list_names(colours, " nor ", [](const auto& each) { return each.value != colour::red; }) == "green nor blue");
}
