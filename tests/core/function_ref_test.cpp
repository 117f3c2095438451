// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/function_ref.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <string>
#include <type_traits>

using stagecut::function_ref;

namespace {

struct doubles {
  int operator()(int value) const { return 2 * value; }
};

struct counter {
  int calls = 0;
  int operator()(int value) { return calls += value; }
};

int ask(function_ref<int(int)> function, int value) { return function(value); }

}  // namespace

TEST_CASE("none") {
  const function_ref<int(int)> none;
  CHECK_FALSE(none);
  function_ref<int(int)> other = none;
  CHECK_FALSE(other);
}

TEST_CASE("refers to a function object, and changes it") {
  const doubles twice;
  function_ref<int(int)> function = twice;
  REQUIRE(function);
  CHECK(function(4) == 8);
  counter counts;
  function = counts;
  CHECK(function(4) == 4);
  CHECK(function(3) == 7);
  CHECK(counts.calls == 7);
  const function_ref<int(int)> copy = function;
  CHECK(copy(1) == 8);
  function = {};
  CHECK_FALSE(function);
  CHECK(copy);
  CHECK(ask(counts, 2) == 10);
  auto local = [&](int value) { return value + counts.calls; };
  CHECK(ask(local, 1) == 11);
}

TEST_CASE("arguments by reference, results that convert or are left aside") {
  const auto append = [](std::string& text, const std::string& more) { text += more; };
  const function_ref<void(std::string&, const std::string&)> function = append;
  std::string text = "a";
  function(text, "b");
  CHECK(text == "ab");
  const auto number = [](int value) { return value; };
  const function_ref<void(int)> ignored = number;
  ignored(3);
  const function_ref<double(int)> converted = number;
  CHECK(converted(3) == 3.0);
}

TEST_CASE("is made of nothing that would be gone") {
  static_assert(std::constructible_from<function_ref<int(int)>, doubles&>);
  static_assert(std::constructible_from<function_ref<int(int)>, const doubles&>);
  static_assert(!std::constructible_from<function_ref<int(int)>, doubles>);
  static_assert(!std::constructible_from<function_ref<int(int)>, const doubles>);
  static_assert(!std::constructible_from<function_ref<int(int)>, std::string&>);
  static_assert(!std::constructible_from<function_ref<int(std::string)>, doubles&>);
  static_assert(std::is_trivially_copyable_v<function_ref<int(int)>>);
  static_assert(sizeof(function_ref<int(int)>) == 2 * sizeof(void*));
  CHECK(std::copyable<function_ref<int(int)>>);
}
