// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/decoder_layouts.hpp>

#include <stagecut/plan/parts/counts_obstacle.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/plan/layer_blocks.hpp>

#include "target_models.hpp"

namespace detail = stagecut::detail;
using random_requests::dice;
using stagecut::cuts;
using stagecut::framework;
using stagecut::outcome;
using stagecut::reason;
using target_models::points;

namespace {

const stagecut::target_entry& flags() { return stagecut::entry_of(framework::megatron_flags); }

/// The decoders of every stage.
std::vector<std::size_t> decoders_of(const stagecut::profile& model, const points& cut) {
  std::vector<std::size_t> result(cut.size() - 1);
  for (std::size_t s = 0; s + 1 < cut.size(); ++s) {
    for (std::size_t i = cut[s]; i < cut[s + 1]; ++i) result[s] += model.layers[i].kind == "decoder" ? 1 : 0;
  }
  return result;
}

points points_of(const cuts& made) {
  points result;
  for (std::size_t s = 0; s <= made.stages(); ++s) result.push_back(made[s]);
  return result;
}

}  // namespace

TEST_CASE("the layouts are all cuts of blocks whose numbers of decoders can be said") {
  dice random(11);
  std::size_t some = 0;
  for (int round = 0; round < 400; ++round) {
    const auto model = target_models::random_transformer(random, 9);
    const std::size_t devices = 1 + random.up_to(3), chunks = 1 + random.up_to(1);
    std::vector<std::size_t> forbidden;
    if (random.up_to(1) == 0) forbidden.push_back(1 + random.up_to(model.layers.size() - 2));
    const cuts blocks = stagecut::layer_blocks(model, forbidden, detail::kept_by_target(flags(), model));
    std::set<points> expected;
    target_models::each_cut(model, devices * chunks, [&](const points& cut) {
      for (const std::size_t c : forbidden) {
        for (const std::size_t each : cut) {
          if (each == c) return;
        }
      }
      const auto decoders = decoders_of(model, cut);
      if (!target_models::is_built(framework::megatron_flags, model, cut, devices)) return;
      CHECK(detail::counts_obstacle(decoders, chunks) == "");
      expected.insert(cut);
    });
    std::set<points> found;
    for (const cuts& each : detail::decoder_layouts(flags(), model, blocks).all(devices, chunks)) {
      points cut;
      for (const std::size_t b : points_of(each)) cut.push_back(blocks[b]);
      CHECK(found.insert(cut).second);
    }
    CAPTURE(round);
    CHECK(found == expected);
    some += expected.size() > 1 ? 1 : 0;
  }
  CHECK(some > 80);
}

TEST_CASE("numbers of decoders that can be said are equal, or those between the first and the last are") {
  for (std::size_t stages = 1; stages <= 5; ++stages) {
    std::vector<std::size_t> counts(stages, 1);
    const std::function<void(std::size_t)> each = [&](std::size_t s) {
      if (s == stages) {
        // Of several stages a device the first and the last may have one less: embedding and loss are accounted for.
        bool equal = true, between = true;
        const std::size_t middle = stages > 2 ? counts[1] : std::max(counts.front(), counts.back());
        for (std::size_t i = 0; i < stages; ++i) {
          const bool at_end = i == 0 || i + 1 == stages;
          equal = equal && (counts[i] == middle || (at_end && counts[i] + 1 == middle));
        }
        for (std::size_t i = 1; i + 1 < stages; ++i) between = between && counts[i] == counts[1];
        CHECK(detail::counts_obstacle(counts, 1).empty() == between);
        CHECK(detail::counts_obstacle(counts, 2).empty() == equal);
        return;
      }
      for (counts[s] = 1; counts[s] <= 3; ++counts[s]) each(s + 1);
      counts[s] = 1;
    };
    each(0);
  }
  CHECK(detail::counts_obstacle({5, 6, 7, 6}, 1) ==
        "24 - 5 - 6 = 13 decoders do not divide by the 2 ranks between the first and the last; format megatron can "
        "express "
        "it");
  CHECK(
      detail::counts_obstacle({5, 6, 8, 6}, 1) ==
      "25 - 5 - 6 = 14 decoders would be 7 on each of the 2 ranks between the first and the last, and are 6, 8; format "
      "megatron can express it");
  CHECK(detail::counts_obstacle({2, 2, 3, 2}, 2) ==
        "stage 2 has 3 decoders and stage 1 has 2, with 2 stages on every device all are equal, but for one less on "
        "the first "
        "and the last; format megatron can express it");
}

TEST_CASE("only targets that are told few numbers have layouts") {
  const auto model = target_models::of_kinds({"embedding", "decoder", "decoder", "head"});
  const cuts blocks{0, 1, 2, 3, 4};
  stagecut::plan_request request;
  request.devices = 2;
  CHECK_FALSE(detail::has_layouts(request));
  request.target = framework::vllm;
  CHECK_FALSE(detail::has_layouts(request));
  CHECK(detail::layouts_of(request, model, blocks).empty());
  request.target = framework::megatron_flags;
  CHECK(detail::has_layouts(request));
  CHECK(detail::layouts_of(request, model, blocks) == std::vector<cuts>{{0, 2, 4}});
}

TEST_CASE("the best layout is the first of least value, whatever their bounds, and none that is worse is made") {
  dice random(12);
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 1 + random.up_to(6);
    std::vector<cuts> layouts;
    std::vector<double> values, bounds;
    for (std::size_t i = 0; i < n; ++i) {
      layouts.push_back({0, i + 1});
      values.push_back(random.up_to(3) == 0 ? -1 : random.whole(6));  // -1: there is none
      bounds.push_back(values[i] < 0 ? random.whole(6) : random.whole(static_cast<std::size_t>(values[i])));
    }
    const auto at = [](const cuts& layout) { return layout[1] - 1; };
    std::size_t made = 0, best = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (values[i] >= 0 && (best == n || values[i] < values[best])) best = i;
    }
    const auto lower = [&](const cuts& layout) { return bounds[at(layout)]; };
    const auto evaluate = [&](const cuts& layout) {
      ++made;
      if (values[at(layout)] < 0) {
        return outcome<std::size_t>::infeasible({reason::cause::constraint, at(layout), 0, "", ""});
      }
      return outcome<std::size_t>::optimal(at(layout));
    };
    const auto value = [&](std::size_t i) { return values[i]; };
    const auto found = detail::best_layout<std::size_t>(layouts, lower, evaluate, value, 0);
    REQUIRE(found.has_value() == (best != n));
    if (best == n) CHECK(found.state() == stagecut::state::infeasible);
    if (best == n) continue;
    CHECK(found.state() == stagecut::state::optimal);
    CHECK(*found == best);
    std::size_t possible = 0;
    for (const double bound : bounds) possible += bound <= values[best] ? 1 : 0;
    CHECK(made <= possible);
    // In no time, the first that there is.
    made = 0;
    const auto hurried = detail::best_layout<std::size_t>(layouts, lower, evaluate, value, 1e-9);
    REQUIRE(hurried);
    if (hurried.state() == stagecut::state::optimal) CHECK(values[*hurried] == values[best]);
  }
}
