// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/outcome.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using stagecut::outcome;
using stagecut::reason;
using stagecut::state;

TEST_CASE("an outcome is an answer or a reason") {
  const auto best = outcome<int>::optimal(7);
  CHECK(best);
  CHECK(*best == 7);
  CHECK(best.state() == state::optimal);

  const auto good = outcome<std::string>::feasible("cut");
  CHECK(good->size() == 3);
  CHECK(good.state() == state::feasible);

  const reason why{reason::cause::more_stages_than_layers, 8, 3};
  const auto none = outcome<int>::infeasible(why);
  CHECK(!none);
  CHECK(none.state() == state::infeasible);
  CHECK(none.why() == why);
  CHECK(none.why().text() == "8 stages need at least 8 layers, and there are 3");

  CHECK(outcome<int>().state() == state::unknown);
  CHECK(outcome<int>::unknown({}).why().text() == "a limit was reached before an answer was found");
}

TEST_CASE("reasons name the place, the bytes and the remedy") {
  CHECK(reason{reason::cause::constraint}.text() == "no cut keeps to the constraint");
  CHECK(reason{reason::cause::memory, 1536, 1024, "stage 3", "2 devices would do"}.text() ==
        "stage 3 needs at least 1536 bytes (1.5 KiB), and a device has 1024 bytes (1.0 KiB); 2 devices would do");
  CHECK(reason{reason::cause::layer_too_large, 2, 1, "layer 0"}.text() ==
        "layer 0 needs at least 2 bytes, and a device has 1 byte");
  CHECK(reason{reason::cause::more_stages_than_layers, 2, 1, {}, "groups count as one"}.text() ==
        "2 stages need at least 2 layers, and there are 1; groups count as one");
}

TEST_CASE("bytes in the largest unit of which there is one") {
  using stagecut::detail::bytes_text;
  CHECK(bytes_text(0) == "0 bytes");
  CHECK(bytes_text(1023) == "1023 bytes");
  CHECK(bytes_text(1024) == "1024 bytes (1.0 KiB)");
  CHECK(bytes_text(1048575) == "1048575 bytes (1023.9 KiB)");
  CHECK(bytes_text(85899345920) == "85899345920 bytes (80.0 GiB)");
  CHECK(bytes_text(~std::size_t{0}) == "18446744073709551615 bytes (16383.9 PiB)");
}

TEST_CASE("of reasons, the one that lacks fewer bytes") {
  const reason few{reason::cause::memory, 10, 5};
  const reason many{reason::cause::layer_too_large, 20, 5};
  const reason other{reason::cause::constraint};
  CHECK(few.lacks_fewer_bytes_than(many));
  CHECK(!many.lacks_fewer_bytes_than(few));
  CHECK(!few.lacks_fewer_bytes_than(few));
  CHECK(many.lacks_fewer_bytes_than(other));
  CHECK(!other.lacks_fewer_bytes_than(many));
}

TEST_CASE("reading an answer that is not there throws the reason") {
  const auto none = outcome<int>::infeasible({reason::cause::more_stages_than_layers, 2, 1});
  CHECK_THROWS_WITH_AS((void)*none, "stagecut::outcome: no answer: 2 stages need at least 2 layers, and there are 1",
                       stagecut::no_answer);
  CHECK_THROWS_AS((void)none.value(), stagecut::no_answer);
  CHECK_THROWS_AS((void)none.operator->(), stagecut::no_answer);
}

TEST_CASE("an answer may be moved out, and need not be copyable") {
  auto owner = outcome<std::unique_ptr<int>>::optimal(std::make_unique<int>(3));
  const std::unique_ptr<int> taken = *std::move(owner);
  CHECK(*taken == 3);
}

TEST_CASE("an outcome that was moved from is unknown and has no answer") {
  const auto is_empty = [](const auto& from) {
    CHECK(from.state() == state::unknown);
    CHECK_FALSE(from.has_value());
    CHECK_THROWS_AS((void)*from, stagecut::no_answer);
    CHECK(from.why() == reason{});
  };
  auto first = outcome<std::string>::optimal("a long enough answer to be allocated");
  auto second = std::move(first);
  is_empty(first);
  CHECK((second.state() == state::optimal && *second == "a long enough answer to be allocated"));

  auto third = outcome<std::string>::infeasible({reason::cause::more_stages_than_layers, 8, 3});
  third = std::move(second);
  is_empty(second);
  CHECK((third.state() == state::optimal && *third == "a long enough answer to be allocated"));
  CHECK(third.why() == reason{});

  second = outcome<std::string>::infeasible({reason::cause::memory, 2, 1, "stage 0", "more would do"});
  const auto fourth = std::move(second);
  is_empty(second);
  CHECK((fourth.state() == state::infeasible && fourth.why().place == "stage 0"));

  auto& same = third;
  third = std::move(same);
  CHECK((third.state() == state::optimal && *third == "a long enough answer to be allocated"));
  const auto copy = third;
  CHECK((copy.state() == state::optimal && *copy == *third));

  auto numbers = outcome<int>::feasible(7);  // of what moving leaves as it was
  const auto taken = std::move(numbers);
  is_empty(numbers);
  CHECK(*taken == 7);
}

TEST_CASE("an answer that is taken leaves the outcome in its state") {
  auto found = outcome<std::string>::feasible("a long enough answer to be allocated");
  const std::string taken = std::move(*found);
  CHECK(taken == "a long enough answer to be allocated");
  CHECK((found.has_value() && found.state() == state::feasible));
  *found = "another";
  CHECK(std::move(found).value() == "another");
}

TEST_CASE("an answer of an outcome that dies is the caller's") {
  struct made {
    std::vector<std::string> parts;
  };
  const auto make = [] { return outcome<made>::optimal({{"long enough to be allocated", "so that reads show"}}); };
  static_assert(std::is_same_v<decltype(*make()), made> && std::is_same_v<decltype(make().value()), made>);
  std::string all;
  for (const auto& part : (*make()).parts) all += part;
  for (const auto& part : make().value().parts) all += part;
  const auto& kept = *make();
  CHECK(all.size() == 2 * (kept.parts[0].size() + kept.parts[1].size()));
  CHECK(make()->parts.size() == 2);  // within the expression
  static_assert(std::is_same_v<decltype(*std::declval<outcome<made>&>()), made&>);
  static_assert(std::is_same_v<decltype(*std::declval<const outcome<made>&>()), const made&>);
}

TEST_CASE("moves ask of an answer only that it moves") {
  struct fixed {
    const int value;
  };
  auto found = outcome<fixed>::optimal({3});
  found = outcome<fixed>::feasible({4});
  CHECK((found.state() == state::feasible && found->value == 4));
  static_assert(std::is_nothrow_move_constructible_v<outcome<std::unique_ptr<int>>>);
  static_assert(std::is_nothrow_move_assignable_v<outcome<std::unique_ptr<int>>>);
  static_assert(!std::is_copy_constructible_v<outcome<std::unique_ptr<int>>>);
  static_assert(!std::is_copy_assignable_v<outcome<std::unique_ptr<int>>>);
  static_assert(std::is_copy_constructible_v<outcome<std::string>>);
}

TEST_CASE("states have names") {
  CHECK(std::string(to_string(state::optimal)) == "optimal");
  CHECK(std::string(to_string(state::feasible)) == "feasible");
  CHECK(std::string(to_string(state::infeasible)) == "infeasible");
  CHECK(std::string(to_string(state::unknown)) == "unknown");
}
