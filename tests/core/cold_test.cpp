// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/cold.hpp>
#include <stagecut/profile/layer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using numbers = stagecut::cold<std::vector<std::size_t>>;
using text = stagecut::cold<std::string>;

static_assert(sizeof(numbers) == sizeof(void*));
static_assert(std::is_nothrow_move_constructible_v<stagecut::layer>);
static_assert(std::is_nothrow_move_assignable_v<stagecut::layer>);
static_assert(sizeof(stagecut::layer) <= 2 * sizeof(std::string) + 26 * sizeof(double));  // a million of them are usual

TEST_CASE("a cold vector is used as a vector") {
  numbers some;
  CHECK(some.empty());
  CHECK(some.begin() == some.end());
  CHECK(std::as_const(some).begin() == std::as_const(some).end());
  CHECK(some == numbers(std::vector<std::size_t>()));
  some.push_back(3);
  CHECK(some.emplace_back(1U) == 1);
  CHECK(some == std::vector<std::size_t>{3, 1});
  std::sort(some.begin(), some.end());
  CHECK(some.front() == 1);
  CHECK(some.back() == 3);
  some[0] = 2;
  const std::vector<std::size_t>& all = some;
  CHECK(all == std::vector<std::size_t>{2, 3});
  CHECK(some != numbers());
  some = {4, 5, 6};
  CHECK(some.size() == 3);
  CHECK(some.at(2) == 6);
  CHECK_THROWS_AS((void)some.at(3), std::out_of_range);
  some.change().erase(some.begin());
  CHECK(some == numbers{5, 6});
  some.clear();
  CHECK(some.size() == 0);
}

TEST_CASE("copies are of their own, and what was moved from is empty") {
  numbers some{1, 2};
  numbers other = some;
  other[0] = 7;
  CHECK(some[0] == 1);
  const numbers moved = std::move(other);
  CHECK(moved[0] == 7);
  CHECK(other.empty());  // NOLINT(bugprone-use-after-move)
  const numbers& same = some;
  some = same;
  CHECK(some == numbers{1, 2});
  some = numbers();
  CHECK(some.empty());
}

TEST_CASE("a cold text is used as a string") {
  text word;
  CHECK(word.empty());
  CHECK(word == "");
  word = "abc";
  CHECK(word == "abc");
  CHECK(word == std::string("abc"));
  CHECK(word != text("abd"));
  const std::string_view view = word;
  CHECK(view == "abc");
  const std::string copy = word;
  CHECK(copy.size() == 3);
  word = std::string_view("xy").substr(1) == "y" ? std::string("y") : std::string();
  CHECK(word == "y");
  const stagecut::layer made{.name = "a", .group = "g", .tied = {{"w", 8}}, .modules = {"a", "b"}, .children = {1, 2}};
  CHECK(made.tied[0].bytes == 8);
  CHECK(made.modules == std::vector<std::string>{"a", "b"});
  CHECK(made.children.size() == 2);
  CHECK(stagecut::layer(made) == made);
}

TEST_CASE("it is used as strings and vectors are") {
  text word = "b";
  std::ostringstream out;
  out << word << text();
  CHECK(out.str() == "b");
  CHECK("a" + word + "c" == "abc");
  CHECK(word + std::string("c") == "bc");
  word += "cd";
  word += 'e';
  CHECK(std::string(word.c_str()) == "bcde");
  CHECK(text() < word);
  stagecut::cold<std::vector<int>> list;
  list.reserve(4);
  list.resize(2);
  list.insert(list.begin(), 7);
  list.insert(list.end(), 8);
  CHECK(list == std::vector<int>{7, 0, 0, 8});
  list.erase(list.begin());
  list.pop_back();
  list.erase(list.begin(), list.end());
  CHECK(list.empty());
  CHECK(stagecut::cold<std::vector<int>>().erase(list.end(), list.end()) == std::vector<int>::iterator());
}
