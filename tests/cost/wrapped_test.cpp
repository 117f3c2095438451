// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/added_cuts.hpp>
#include <stagecut/cost/all_of.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/convex_of.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>
#include <stagecut/cost/merged_items.hpp>
#include <stagecut/cost/overlapped_cuts.hpp>
#include <stagecut/cost/parts/wrapped.hpp>
#include <stagecut/cost/prefix_sums.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

using stagecut::enable_axioms;
using stagecut::detail::holder;
using stagecut::detail::reference_wrapper;
using stagecut::detail::wrapped_t;

namespace {

int copies = 0;

/// A cost that nothing can be derived from, and that counts its copies.
class final_sums final {
 public:
  using axioms = stagecut::axioms<stagecut::additive>;

  explicit final_sums(const std::vector<double>& items) : sums_(items) {}
  final_sums(const final_sums& other) : sums_(other.sums_) { ++copies; }
  final_sums(final_sums&&) = default;
  final_sums& operator=(const final_sums&) = default;
  final_sums& operator=(final_sums&&) = default;
  ~final_sums() = default;

  [[nodiscard]] std::size_t size() const { return sums_.size(); }
  [[nodiscard]] double prefix(std::size_t i) const { return sums_.prefix(i); }
  [[nodiscard]] double operator()(std::size_t first, std::size_t last) const { return sums_(first, last); }

 private:
  stagecut::prefix_sums<double> sums_;
};

/// A constraint like that.
class final_limit final {
 public:
  using axioms = stagecut::axioms<stagecut::hereditary>;

  explicit final_limit(std::vector<std::size_t> most) : most_(std::move(most)) {}
  final_limit(const final_limit& other) : most_(other.most_) { ++copies; }
  final_limit(final_limit&&) = default;
  final_limit& operator=(const final_limit&) = default;
  final_limit& operator=(final_limit&&) = default;
  ~final_limit() = default;

  [[nodiscard]] bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return last - first <= most_[stage];
  }

 private:
  std::vector<std::size_t> most_;
};

/// What `make` makes of a cost that dies before the result is used, of a temporary, and of a reference.
template <class Inner, class Make, class Ask>
void check(const Inner& inner, const Make& make, const Ask& ask) {
  const auto expected = ask(make(inner));
  const auto from_a_function = [&] {
    const Inner local(inner);
    copies = 0;
    return make(local);
  };
  const auto owner = from_a_function();
  CHECK(copies == 1);
  CHECK(ask(owner) == expected);

  Inner moved(inner);
  copies = 0;
  const auto of_temporary = make(std::move(moved));
  CHECK(copies == 0);
  CHECK(ask(of_temporary) == expected);

  Inner changes(inner);
  copies = 0;
  const auto referring = make(std::cref(changes));
  const auto of_mutable = make(std::ref(changes));
  CHECK(copies == 0);
  CHECK(ask(referring) == expected);
  CHECK(ask(of_mutable) == expected);

  static_assert(std::is_same_v<decltype(referring), decltype(of_mutable)>);
  static_assert(!std::is_same_v<decltype(referring), decltype(owner)>);
  static_assert(enable_axioms<decltype(owner)>.bits == enable_axioms<decltype(referring)>.bits);
  static_assert(std::is_copy_assignable_v<std::remove_const_t<decltype(referring)>>);

  auto copy = owner;
  copies = 0;
  copy = make(std::move(changes));
  CHECK(copies == 0);
  CHECK(ask(copy) == expected);
}

const std::vector<double> items{1, 2, 4, 8};

}  // namespace

TEST_CASE("adaptors hold a copy of a cost, of a final class too, or a reference if that is said") {
  const final_sums cost(items);
  const stagecut::cut_times times({1, 1, 1, 1}, {{0, 2}});
  const auto staged = [](const auto& model) {
    return std::vector<double>{model(0, 1, 3), model(1, 1, 3), static_cast<double>(model.size())};
  };
  check(
      cost,
      [](auto&& of) {
        return stagecut::at_speeds(std::forward<decltype(of)>(of), {1, 2});
      },
      staged);
  check(
      cost, [&](auto&& of) { return stagecut::added_cuts(std::forward<decltype(of)>(of), times); }, staged);
  check(
      cost,
      [&](auto&& of) {
        return stagecut::added_cuts(std::forward<decltype(of)>(of), times, {1, 2});
      },
      staged);
  check(
      cost, [&](auto&& of) { return stagecut::overlapped_cuts(std::forward<decltype(of)>(of), times); }, staged);
  check(
      cost,
      [&](auto&& of) {
        return stagecut::overlapped_cuts(std::forward<decltype(of)>(of), times, {1, 2});
      },
      staged);
  const auto alike = [](const auto& model) {
    return std::vector<double>{model(0, 2), model(1, 2), static_cast<double>(model.size())};
  };
  check(
      cost,
      [](auto&& of) {
        return stagecut::merged_items(std::forward<decltype(of)>(of), stagecut::cuts{0, 2, 4});
      },
      alike);
  const stagecut::forbidden_cuts uncut(4, {1, 2});
  check(
      cost, [&](auto&& of) { return stagecut::merged_items(std::forward<decltype(of)>(of), uncut); }, alike);
  const auto square = [](double x) { return x * x; };
  check(
      cost,
      [&](auto&& of) {
        // A lambda cannot be assigned.
        return stagecut::convex_of(std::forward<decltype(of)>(of), std::function<double(double)>(square));
      },
      alike);
}

TEST_CASE("constraints hold a copy of what they ask, or a reference") {
  const auto answers = [](const auto& allowed) {
    std::vector<bool> all;
    for (std::size_t s = 0; s < 2; ++s) {
      for (std::size_t last = 0; last <= 2; ++last) all.push_back(allowed(s, 0, last));
    }
    return all;
  };
  const final_sums cost(items);
  check(
      cost, [](auto&& of) { return stagecut::at_most(std::forward<decltype(of)>(of), 2); }, answers);
  check(
      cost,
      [](auto&& of) {
        return stagecut::at_most(std::forward<decltype(of)>(of), {2, 5});
      },
      answers);
  const final_limit limit({1, 2});
  check(
      limit,
      [](auto&& of) {
        return stagecut::merged_constraint(std::forward<decltype(of)>(of), stagecut::cuts{0, 1, 4});
      },
      answers);
  check(
      limit, [](auto&& of) { return stagecut::all_of(std::forward<decltype(of)>(of)); }, answers);
  const stagecut::forbidden_cuts uncut(4, {1});
  check(
      limit, [&](auto&& of) { return stagecut::all_of(std::cref(uncut), std::forward<decltype(of)>(of)); }, answers);
}

TEST_CASE("a reference tells why nothing is possible, as the constraint does") {
  const stagecut::forbidden_cuts uncut(3, {1, 2});
  const stagecut::all_of all(std::cref(uncut));
  CHECK(all.hopeless(0, 1, 2));
  CHECK(all.obstacle(3, 2) == uncut.obstacle(3, 2));
}

TEST_CASE("no temporary is referred to") {
  using of_limit = stagecut::all_of<const final_limit&>;
  static_assert(std::is_constructible_v<of_limit, const final_limit&>);
  static_assert(std::is_constructible_v<of_limit, std::reference_wrapper<final_limit>>);
  static_assert(!std::is_constructible_v<of_limit, final_limit>);
  using two = stagecut::all_of<const final_limit&, final_limit>;
  static_assert(std::is_constructible_v<two, const final_limit&, final_limit>);
  static_assert(!std::is_constructible_v<two, final_limit, const final_limit&>);
  using of_blocks = stagecut::merged_constraint<const final_limit&>;
  static_assert(std::is_constructible_v<of_blocks, const final_limit&, stagecut::cuts>);
  static_assert(!std::is_constructible_v<of_blocks, final_limit, stagecut::cuts>);
  using convex = stagecut::convex_of<const final_sums&, double (*)(double)>;
  static_assert(std::is_constructible_v<convex, const final_sums&, double (*)(double)>);
  static_assert(!std::is_constructible_v<convex, final_sums, double (*)(double)>);
  static_assert(!std::is_constructible_v<holder<const final_sums&>, final_sums>);
}

TEST_CASE("only a std::reference_wrapper is one") {
  struct like_one {
    using type = int;
    int value = 0;
    [[nodiscard]] type& get() { return value; }
    [[nodiscard]] const type& get() const { return value; }
  };
  struct more_like_one : like_one {
    int* target = nullptr;
    [[nodiscard]] type& get() const { return *target; }
  };
  static_assert(reference_wrapper<std::reference_wrapper<int>> && reference_wrapper<std::reference_wrapper<const int>>);
  static_assert(!reference_wrapper<like_one> && !reference_wrapper<more_like_one>);
  static_assert(!reference_wrapper<int> && !reference_wrapper<std::shared_ptr<int>>);
  static_assert(std::is_same_v<wrapped_t<std::reference_wrapper<int>>, const int&>);
  static_assert(std::is_same_v<wrapped_t<std::reference_wrapper<const int>>, const int&>);
  static_assert(std::is_same_v<wrapped_t<more_like_one>, more_like_one>);
  static_assert(enable_axioms<std::reference_wrapper<const final_sums>>.bits == stagecut::additive.bits);
  static_assert(enable_axioms<const final_sums&>.bits == stagecut::additive.bits);
  static_assert(enable_axioms<std::reference_wrapper<int>>.bits == 0);
  int number = 3;
  const holder<const int&> referring(std::ref(number));
  const holder<int> owner(number);
  number = 4;
  CHECK(*referring == 4);
  CHECK(*owner == 3);
}
