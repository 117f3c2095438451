// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/callback.hpp>
#include <stagecut/core/function_ref.hpp>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using stagecut::callback;

namespace {

bool always() { return true; }

/// A request that a function returns, with functions that nobody else keeps.
struct request {
  callback<bool()> stop{};
  callback<int(int)> add{};
};

request made(int base) {
  const auto copy = std::make_shared<int>(base);
  return {always, [copy](int more) { return *copy + more; }};
}

struct move_only {
  std::unique_ptr<int> value;
  int operator()() const { return *value; }
};

static_assert(!std::is_constructible_v<callback<bool()>, int>);
static_assert(!std::is_constructible_v<callback<bool(int)>, bool (*)()>);
static_assert(std::is_nothrow_move_constructible_v<callback<bool()>>);
static_assert(std::is_nothrow_copy_constructible_v<callback<bool()>>);

}  // namespace

TEST_CASE("a callback owns what it calls, so a request may be returned") {
  const request of = made(40);
  CHECK(of.stop());
  CHECK(of.add(2) == 42);
  const callback<int()> moved(move_only{std::make_unique<int>(7)});
  CHECK(moved() == 7);
}

TEST_CASE("an empty callback") {
  CHECK_FALSE(callback<bool()>());
  bool (*const none)() = nullptr;
  CHECK_FALSE(callback<bool()>(none));
  callback<bool()> one(always);
  CHECK(one);
  one = {};
  CHECK_FALSE(one);
}

TEST_CASE("references to callbacks, and callbacks of references, are empty where those are") {
  using stagecut::function_ref;
  const callback<bool()> none;
  CHECK_FALSE(function_ref<bool()>(none));
  CHECK_FALSE(callback<bool()>(function_ref<bool()>()));
  const callback<bool()> one(always);
  CHECK(function_ref<bool()>(one)());
  const function_ref<bool()> reference(one);
  CHECK(callback<bool()>(reference)());
}

TEST_CASE("copies share the function object, and std::ref refers to the caller's") {
  int calls = 0;
  auto count = [n = 0, &calls]() mutable { return calls = ++n; };
  const callback<int()> first(count);
  const callback<int()> second(first);  // NOLINT(performance-unnecessary-copy-initialization)
  CHECK(first() == 1);
  CHECK(second() == 2);
  CHECK(count() == 1);  // which was copied before
  const callback<int()> referring(std::ref(count));
  CHECK(referring() == 2);
  CHECK(count() == 3);
}

TEST_CASE("assignment and moves destroy what nobody has any more") {
  const auto value = std::make_shared<int>(1);
  {
    callback<int()> a([value] { return *value; });
    callback<int()> b(a);
    CHECK(value.use_count() == 2);
    const callback<int()>& same = a;
    a = same;
    CHECK(a() == 1);
    a = std::move(b);
    CHECK(value.use_count() == 2);
    b = [] { return 5; };
    CHECK(b() == 5);
  }
  CHECK(value.use_count() == 1);
}

TEST_CASE("arguments are passed through, results converted") {
  const callback<std::string(std::string&, int)> joined([](std::string& text, int n) { return (text += std::to_string(n)).c_str(); });
  std::string text = "a";
  CHECK(joined(text, 3) == "a3");
  CHECK(text == "a3");
  const callback<void(int)> ignored([](int n) { return n; });
  ignored(3);
}

TEST_CASE("several threads copy and destroy callbacks of one function object") {
  const callback<int()> one([value = std::make_shared<int>(3)] { return *value; });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&one] {
      for (int i = 0; i < 2000; ++i) {
        const callback<int()> mine(one);  // NOLINT(performance-unnecessary-copy-initialization)
        if (mine() != 3) std::abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(one() == 3);
}
