// SPDX-License-Identifier: BSL-1.0
#include <stagecut/testing/check_pipeline_model.hpp>

#include <stagecut/cost/stage_times.hpp>
#include <stagecut/cost/with_speeds.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

using stagecut::testing::check_pipeline_model;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// All that a model may tell; item 3, stage 2 and the cut 4 are what the test says.
template <auto... Promised>
struct told {
  using axioms = stagecut::axioms<Promised...>;
  double forward_time = 1;
  double backward_time = 2;
  double weight_time = 1;
  double own_forward = 1;
  double own_backward = 2;
  double own_weight = 1;
  double bytes = 1;
  double held = 1;        ///< by a microbatch, from the third on
  double resident = 1;    ///< of an item
  double least = 0;       ///< above what is true
  double again = 4;       ///< recomputed of three items
  bool moody = false;     ///< says something else each time
  bool splits = true;
  std::size_t items = 6;
  mutable std::size_t asked = 0;

  std::size_t size() const { return items; }
  bool splits_backward() const { return splits; }
  double mood() const { return moody ? static_cast<double>(asked++) : 0; }
  static bool special(std::size_t s, std::size_t i) { return s == 2 && i == 3; }
  double forward(std::size_t s, std::size_t i) const { return special(s, i) ? forward_time + mood() : 1; }
  double backward(std::size_t s, std::size_t i) const { return special(s, i) ? backward_time : 2; }
  double backward_weight(std::size_t s, std::size_t i) const { return special(s, i) ? weight_time : 1; }
  double stage_forward(std::size_t s) const { return s == 2 ? own_forward : 0; }
  double stage_backward(std::size_t s) const { return s == 2 ? own_backward : 0; }
  double stage_backward_weight(std::size_t s) const { return s == 2 ? own_weight : 0; }
  double sent(std::size_t cut) const { return cut == 4 ? bytes : 1; }
  double memory(std::size_t, std::size_t first, std::size_t last, std::size_t k) const {
    const auto many = static_cast<double>(k);
    return static_cast<double>(last - first) * resident + (k < 3 ? many : 2 + (many - 2) * held);
  }
  double least_memory(std::size_t s, std::size_t first, std::size_t last, std::size_t k) const {
    return memory(s, first, last, k) + least;
  }
  double recomputed(std::size_t, std::size_t first, std::size_t last) const {
    return last - first == 3 ? again : static_cast<double>(last - first);
  }
  bool recomputes() const { return true; }
};
using free_model = told<>;
using same_model = told<stagecut::stage_invariant>;

/// What is violated, by which member and where.
template <class Model>
std::string lie(const Model& model) {
  const auto report = check_pipeline_model(model);
  if (report) return "";
  return report.broken + " " + report.member + " " + std::to_string(report.stage) + " " +
         std::to_string(report.items.first);
}

/// No more than must be.
struct least_model {
  std::size_t size() const { return 3; }
  int forward(std::size_t, std::size_t) const { return 1; }
  int backward(std::size_t, std::size_t) const { return 1; }
};

}  // namespace

TEST_CASE("models that keep their promises") {
  const auto report = check_pipeline_model(free_model{});
  CHECK(report);
  CHECK(report.checks > 500);
  CHECK(report.text() == "no axiom was found broken in " + std::to_string(report.checks) +
                             " checks; optional members: backward_weight, stage_forward, stage_backward, "
                             "stage_backward_weight, sent, memory, least_memory, recomputed, recomputes, "
                             "splits_backward");
  CHECK(check_pipeline_model(same_model{}));
  CHECK(check_pipeline_model(least_model{}));
  CHECK(check_pipeline_model(free_model{.items = 0}));
  CHECK(check_pipeline_model(free_model{.items = 300}));
  // Stages that differ, where nobody says that they do not.
  CHECK(check_pipeline_model(free_model{.forward_time = 7, .own_forward = 9}));
  // The fixed times of stages may still differ.
  CHECK(check_pipeline_model(same_model{.own_forward = 9}));
  const stagecut::item_times lists({1, 2, 3}, {2, 3, 4}, {1, 1, 1}, {5, 5, 5});
  CHECK(check_pipeline_model(lists));
  CHECK(check_pipeline_model(stagecut::with_stage_times<stagecut::item_times>(lists, {{1}, {1, 2, 3, 4}, {}})));
  CHECK(check_pipeline_model(stagecut::with_speeds<stagecut::item_times>(lists, {1, 2, 3}), 3));
}

TEST_CASE("times and bytes that are none") {
  for (const double each : {infinity, not_a_number}) {
    CHECK(lie(free_model{.forward_time = each}) == "finite forward 2 3");
    CHECK(lie(free_model{.backward_time = each}) == "finite backward 2 3");
    CHECK(lie(free_model{.weight_time = each}) == "finite backward_weight 2 3");
    CHECK(lie(free_model{.own_forward = each}) == "finite stage_forward 2 0");
    CHECK(lie(free_model{.own_backward = each}) == "finite stage_backward 2 0");
    CHECK(lie(free_model{.own_weight = each}) == "finite stage_backward_weight 2 0");
    CHECK(lie(free_model{.bytes = each}) == "finite sent 0 4");
    CHECK(lie(free_model{.resident = each}) == "finite memory 0 0");
  }
  CHECK(lie(free_model{.forward_time = -1}) == "not_negative forward 2 3");
  CHECK(lie(free_model{.backward_time = -1}) == "not_negative backward 2 3");
  CHECK(lie(free_model{.weight_time = -1}) == "not_negative backward_weight 2 3");
  CHECK(lie(free_model{.own_forward = -1}) == "not_negative stage_forward 2 0");
  CHECK(lie(free_model{.own_backward = -1}) == "not_negative stage_backward 2 0");
  CHECK(lie(free_model{.own_weight = -1}) == "not_negative stage_backward_weight 2 0");
  CHECK(lie(free_model{.bytes = -1}) == "not_negative sent 0 4");
  CHECK(lie(free_model{.resident = -1}) == "not_negative memory 0 0");
}

namespace {

/// Gradients that take another time apart.
struct apart_model : free_model {
  double input_time = 1;
  double backward_input(std::size_t s, std::size_t i) const { return special(s, i) ? input_time : 1; }
};
struct same_apart_model : same_model {
  double input_time = 1;
  double backward_input(std::size_t s, std::size_t i) const { return special(s, i) ? input_time : 1; }
};

}  // namespace

TEST_CASE("a gradient of the input, beside which that of the weights is no part of the whole") {
  CHECK(check_pipeline_model(apart_model{}).optional.starts_with("backward_weight, backward_input, stage_forward"));
  apart_model heavy;
  heavy.weight_time = 9;
  heavy.input_time = 9;
  CHECK(check_pipeline_model(heavy));
  heavy.input_time = -1;
  CHECK(lie(heavy) == "not_negative backward_input 2 3");
  same_apart_model differs;
  differs.input_time = 2;
  CHECK(lie(differs) == "stage_invariant backward_input 2 3");
  const stagecut::split_item_times lists({1, 2, 3}, {2, 3, 4}, {5, 1, 1}, {7, 1, 1});
  CHECK(check_pipeline_model(lists));
}

TEST_CASE("a part above its whole") {
  CHECK(lie(free_model{.weight_time = 2.5}) == "part backward_weight 2 3");
  CHECK(lie(free_model{.own_weight = 2.5}) == "part stage_backward_weight 2 0");
}

TEST_CASE("stages that differ although they do not") {
  CHECK(lie(same_model{.forward_time = 2}) == "stage_invariant forward 2 3");
  CHECK(lie(same_model{.backward_time = 3}) == "stage_invariant backward 2 3");
  CHECK(lie(same_model{.weight_time = 0}) == "stage_invariant backward_weight 2 3");
  // It shows at stage 2 only.
  CHECK(check_pipeline_model(same_model{.forward_time = 2}, 2));
}

TEST_CASE("memory that falls with the microbatches in flight, and a least memory above the memory") {
  const auto report = check_pipeline_model(free_model{.held = -0.5});
  CHECK(report.broken == "monotone");
  CHECK(report.member == "memory");
  CHECK(report.in_flight == 3);
  CHECK(report.text() == "monotone does not hold for memory at [0, 1), stage 0, 3 in flight");
  CHECK(check_pipeline_model(free_model{.held = -0.5}, 4, 2));  // nobody asked
  CHECK(lie(free_model{.least = 0.5}) == "least least_memory 0 0");
  CHECK(lie(free_model{.again = 1}) == "least recomputed 0 0");  // of three items less than of two
  CHECK(lie(free_model{.again = -1}).ends_with(" recomputed 0 0"));
}

TEST_CASE("a model that says something else each time") {
  CHECK(lie(free_model{.moody = true}) == "pure forward 2 3");
}

TEST_CASE("which optional members a model has: a misspelt one is missing") {
  struct misspelt : least_model {
    double sends(std::size_t) const { return 1; }
    double memory(std::size_t, std::size_t, std::size_t, std::size_t) const { return 1; }
  };
  CHECK(check_pipeline_model(misspelt()).optional == "memory");
  CHECK(check_pipeline_model(least_model{}).optional.empty());
  const auto text = check_pipeline_model(least_model{}).text();
  CHECK(text.find("checks; optional members: none") != std::string::npos);
  CHECK(check_pipeline_model(stagecut::with_speeds<least_model>({}, {1, 2, 3, 4})).optional ==
        "stage_forward, stage_backward, stage_backward_weight");
}
