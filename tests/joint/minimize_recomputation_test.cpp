// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <stagecut/joint/detail/explain_infeasible_recomputation.hpp>
#include <stagecut/joint/detail/recompute_rules.hpp>
#include <stagecut/joint/minimize_recomputation.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>

#include <doctest/doctest.h>

#include "random_models.hpp"

using namespace stagecut;

namespace {

/// Compares an answer with the best of all, and the plan with what it says of itself.
void check_answer(const joint_tests::small_case& drawn, const std::optional<double>& best, bool to_the_end) {
  const outcome<recompute_plan> found = minimize_recomputation(drawn.model, drawn.request);
  if (!best) {
    CHECK((found.state() == state::infeasible || (!to_the_end && found.state() == state::unknown)));
    return;
  }
  if (to_the_end) REQUIRE(found.state() == state::optimal);
  if (!found) return;
  const std::vector<std::size_t> points(found->cuts.points().begin(), found->cuts.points().end());
  CHECK(joint_tests::makespan_of(drawn, points, found->choices) == found->value);
  for (std::size_t r = 0; r < drawn.request.schedule.ranks(); ++r) {
    const double peak = joint_tests::peak_of(drawn, r, points, found->choices);
    CHECK(peak == found->memory[r]);
    if (drawn.request.memory_limit.for_all()) CHECK(peak <= *drawn.request.memory_limit.for_all());
  }
  CHECK(found->bound <= *best);
  CHECK(found->value >= *best);
  if (found.state() == state::optimal) CHECK(found->value == *best);
}

}  // namespace

TEST_CASE("small models, compared with all plans") {
  const std::size_t wanted =
      std::getenv("STAGECUT_CASES") ? std::strtoul(std::getenv("STAGECUT_CASES"), nullptr, 10) : 100;
  std::mt19937 dice(23);
  std::size_t infeasible = 0;
  for (std::size_t done = 0; done < wanted;) {
    joint_tests::small_case drawn = joint_tests::drawn_case(dice, 1);
    if (joint_tests::plans_of(drawn) > 20'000) continue;
    ++done;
    CAPTURE(done);
    const std::optional<double> best = joint_tests::best_of_all(drawn);
    infeasible += best ? 0 : 1;
    check_answer(drawn, best, true);
    for (const std::size_t nodes : {0U, 1U, 10U, 100U, 1000U}) {
      drawn.request.search.node_limit = nodes;
      check_answer(drawn, best, false);
    }
  }
  MESSAGE(infeasible, " of ", wanted, " infeasible");
}

TEST_CASE("layers of several types") {
  const std::size_t wanted =
      std::getenv("STAGECUT_CASES") ? std::strtoul(std::getenv("STAGECUT_CASES"), nullptr, 10) : 100;
  std::mt19937 dice(24);
  for (std::size_t done = 0; done < wanted;) {
    joint_tests::small_case drawn = joint_tests::drawn_case(dice, 4);
    if (drawn.model.types.size() < 2 || joint_tests::plans_of(drawn) > 20'000) continue;
    ++done;
    CAPTURE(done);
    check_answer(drawn, joint_tests::best_of_all(drawn), true);
  }
}

TEST_CASE("a plan of one's own is where the search begins: wherever it stops, none is worse") {
  std::mt19937 dice(25);
  const auto at_once = [] { return true; };
  for (std::size_t done = 0; done < 100;) {
    joint_tests::small_case drawn = joint_tests::drawn_case(dice, 2);
    if (joint_tests::plans_of(drawn) > 20'000) continue;
    ++done;
    CAPTURE(done);
    const auto best = minimize_recomputation(drawn.model, drawn.request);
    if (!best) continue;
    drawn.request.starts = {{best->cuts, best->choices}};
    drawn.request.search.stop = at_once;
    const auto stopped = minimize_recomputation(drawn.model, drawn.request);
    REQUIRE(stopped);
    CHECK(stopped->value == best->value);
    check_answer(drawn, best->value, false);
    // One that keeps not to the memory is none.
    if (!drawn.request.memory_limit.for_all()) continue;
    drawn.request.memory_limit = best->memory[0] / 2 - 1;
    const auto none = minimize_recomputation(drawn.model, drawn.request);
    if (none) CHECK(none->memory[0] <= *drawn.request.memory_limit.for_all());
  }
}

TEST_CASE("annealing begins at a plan of one's own, too: near it there are better ones before long") {
  stagecut::recompute_model model;
  for (const double forward : {1.0, 3.0, 1.5, 2.5}) {
    model.types.push_back(
        {"l", forward, 10, 0, 0, {{"full", 3 * forward, 0, 1}, {"none", 2 * forward, 0, 8 + forward}}});
  }
  for (std::size_t i = 0; i < 36; ++i) model.layers.push_back(i * i % 7 % 4);
  stagecut::recompute_request request;
  request.schedule = stagecut::sapp_interleaved(4, 2, 8, stagecut::sapp_memory::big);
  request.memory_limit = 260;
  request.search.time_limit.reset();
  request.search.node_limit = 2000;
  const auto without = minimize_recomputation(model, request);
  REQUIRE(without);
  const stagecut::cuts own{0, 4, 8, 12, 17, 22, 27, 31, 36};
  request.starts = {{own, {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1,
                           1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1}}};
  CHECK(stagecut::simulate_recomputation(model, request, own, request.starts[0].choices).makespan > without->value);
  const auto found = minimize_recomputation(model, request);
  REQUIRE(found);
  CHECK(found->value < without->value);
}

TEST_CASE("neither an even plan nor one of one's own that parts layers is taken, wherever the search stops") {
  const auto at_once = [] { return true; };
  stagecut::recompute_model model;
  model.types = {{"l", 1, 0, 0, 0, {{"none", 2, 0, 5}}}};
  model.layers.assign(8, 0);
  stagecut::recompute_request request;
  request.schedule = stagecut::one_forward_one_backward(2, 4);
  request.search.stop = at_once;
  REQUIRE(minimize_recomputation(model, request)->cuts == stagecut::cuts{0, 4, 8});
  model.forbidden_cuts = {4};
  request.starts = {{stagecut::cuts{0, 4, 8}, std::vector<std::size_t>(8, 0)}};
  const auto parted = minimize_recomputation(model, request);
  if (parted) CHECK(parted->cuts[1] != 4);
  request.starts.push_back({stagecut::cuts{0, 5, 8}, std::vector<std::size_t>(8, 0)});
  const auto found = minimize_recomputation(model, request);
  REQUIRE(found);
  CHECK(found->cuts[1] != 4);
}

namespace {

/// What a rank needs with the buffers for what crosses the ends of its stages.
double peak_with_buffers(const joint_tests::small_case& drawn, std::size_t rank, const std::vector<std::size_t>& points,
                         const std::vector<std::size_t>& choices) {
  const auto sent = [&](std::size_t cut) {
    return cut == 0 ? drawn.model.head.sent_bytes : drawn.model.types[drawn.model.layers[cut - 1]].sent_bytes;
  };
  double bytes = joint_tests::peak_of(drawn, rank, points, choices);
  const schedule& order = drawn.request.schedule;
  for (std::size_t s = 0; s < order.stages(); ++s) {
    if (order.rank_of[s] != rank) continue;
    if (s > 0) bytes += drawn.request.boundary_buffers * sent(points[s]);
    if (s + 1 < order.stages()) bytes += drawn.request.boundary_buffers * sent(points[s + 1]);
  }
  return bytes;
}

/// A few layers of several types that send different numbers of bytes.
joint_tests::small_case unequal_case(std::mt19937& dice) {
  using joint_tests::drawn;
  joint_tests::small_case result;
  const std::size_t chunks = drawn(dice, 1, 2);
  const std::size_t ranks = chunks == 1 ? drawn(dice, 2, 3) : 2;
  result.request.schedule = joint_tests::drawn_order(dice, ranks, chunks);
  result.request.least_layers = drawn(dice, 0, 1);
  result.request.tail_alone = dice() % 4 == 0;
  result.request.constant = static_cast<double>(drawn(dice, 0, 3));
  result.request.boundary_buffers = static_cast<double>(drawn(dice, 1, 2));
  result.request.search.time_limit.reset();
  result.request.search.node_limit = 10;
  stagecut::recompute_model& model = result.model;
  for (std::size_t t = 0; t < 3; ++t) model.types.push_back(joint_tests::drawn_type(dice, drawn(dice, 1, 2)));
  const std::size_t layers = ranks * chunks + drawn(dice, 0, 2);
  for (std::size_t i = 0; i < layers; ++i) model.layers.push_back(drawn(dice, 0, 2));
  model.head = joint_tests::drawn_type(dice, 1);
  model.tail = joint_tests::drawn_type(dice, 1);
  for (auto& type : model.types) type.sent_bytes = static_cast<double>(drawn(dice, 0, 6));
  model.head.sent_bytes = static_cast<double>(drawn(dice, 0, 6));
  return result;
}

/// The least memory of a device with which any plan fits, by trying all.
std::optional<double> least_memory(const joint_tests::small_case& drawn) {
  std::optional<double> least;
  joint_tests::each_cut(drawn, [&](const std::vector<std::size_t>& points) {
    joint_tests::each_choice(drawn.model, points, [&](const std::vector<std::size_t>& choices) {
      double most = 0;
      for (std::size_t r = 0; r < drawn.request.schedule.ranks(); ++r) {
        const double here = peak_with_buffers(drawn, r, points, choices);
        most = here > most ? here : most;
      }
      least = least && *least < most ? least : most;
    });
  });
  return least;
}

}  // namespace

TEST_CASE("too little memory for unequal outputs is infeasible where the smallest buffers prove it") {
  std::mt19937 dice(31);
  std::size_t none = 0;
  std::size_t proved = 0;
  for (std::size_t done = 0; done < 1200;) {
    joint_tests::small_case drawn = unequal_case(dice);
    if (joint_tests::plans_of(drawn) > 2000) continue;
    CAPTURE(done);
    ++done;
    const std::optional<double> least = least_memory(drawn);
    REQUIRE(least);
    const double bytes = std::floor(*least * static_cast<double>(joint_tests::drawn(dice, 40, 102)) / 100);
    drawn.request.memory_limit = bytes;
    const bool is_proved = detail::is_proved_infeasible(drawn.model, drawn.request);
    if (bytes >= *least) CHECK_FALSE(is_proved);
    const auto found = minimize_recomputation(drawn.model, drawn.request);
    CHECK((found.state() == state::infeasible) == is_proved);
    if (bytes >= *least) {
      CHECK(found.state() != state::infeasible);
      continue;
    }
    CHECK_FALSE(found.has_value());
    if (!detail::buffers_differ(drawn.model, drawn.request)) continue;
    ++none;
    if (found.state() != state::infeasible) continue;
    ++proved;
    CHECK(found.why().what == reason::cause::memory);
    CHECK(static_cast<double>(found.why().available) == bytes);
    CHECK(found.why().needed > found.why().available);
    CHECK(static_cast<double>(found.why().needed) <= *least);
    const std::string& remedy = found.why().remedy;  // "40 bytes a device would do"
    REQUIRE(remedy.find(" bytes a device would do") != std::string::npos);
    CHECK(std::stod(remedy) >= *least);
  }
  MESSAGE(proved, " of ", none, " without a plan are proved so");
  CHECK(none > 500);
  CHECK(2 * proved > none);
}
