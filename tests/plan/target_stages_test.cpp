// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/parts/target_stages.hpp>

#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/plan/parts/misplaced_layer.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "target_models.hpp"

namespace detail = stagecut::detail;
using detail::target_stages;
using random_requests::dice;
using stagecut::cuts;
using stagecut::framework;
using target_models::points;

namespace {

/// The stages of a cut in blocks; empty: it parts one.
points in_blocks(const cuts& blocks, const points& cut) {
  points result;
  for (std::size_t b = 0; b <= blocks.stages(); ++b) {
    if (result.size() < cut.size() && blocks[b] == cut[result.size()]) result.push_back(b);
  }
  return result.size() == cut.size() ? result : points{};
}

bool allows(const target_stages& allowed, const points& cut) {
  for (std::size_t s = 0; s + 1 < cut.size(); ++s) {
    if (!allowed(s, cut[s], cut[s + 1])) return false;
  }
  return !cut.empty();
}

}  // namespace

TEST_CASE("cuts of blocks into stages that are allowed are those that the framework builds as they are") {
  dice random(7);
  std::size_t built = 0, others = 0;
  for (int round = 0; round < 150; ++round) {
    const auto model = target_models::random_transformer(random, 5);
    const std::size_t devices = 1 + random.up_to(2), chunks = 1 + random.up_to(1);
    for (const auto& entry : stagecut::targets) {
      const cuts blocks = stagecut::layer_blocks(model, {}, detail::kept_by_target(entry, model));
      if (!detail::kinds_obstacle(entry, model).empty()) continue;
      const target_stages allowed(entry, model, blocks, devices, chunks);
      const bool counts = entry.kind == framework::megatron_flags;  // more than the stages of a cut alone tell
      target_models::each_cut(model, devices * chunks, [&](const points& cut) {
        const bool fine = target_models::is_built(entry.kind, model, cut, devices);
        const points found = in_blocks(blocks, cut);
        const bool says = allows(allowed, found);
        CAPTURE(std::string(entry.name));
        if (counts ? fine && !says : fine != says) FAIL_CHECK("round " << round);
        ++(fine ? built : others);
        const auto stages = cuts(points(cut)).assignment();
        const bool placed = detail::misplaced_layer(entry, model, stages, devices, devices * chunks).empty();
        if (fine) CHECK(placed);
        if (entry.counts == stagecut::decoder_counts::none) CHECK(placed == fine);
      });
    }
  }
  CHECK(built > 5000);
  CHECK(others > 5000);
}

TEST_CASE("a stage is hopeless if it is not allowed, however many blocks are added behind") {
  dice random(8);
  std::size_t hopeless = 0, not_yet = 0;
  for (int round = 0; round < 100; ++round) {
    const auto model = target_models::random_transformer(random, 5);
    const std::size_t devices = 1 + random.up_to(2), chunks = 1 + random.up_to(1);
    for (const auto& entry : stagecut::targets) {
      if (!detail::kinds_obstacle(entry, model).empty()) continue;
      const cuts blocks = stagecut::layer_blocks(model, {}, detail::kept_by_target(entry, model));
      target_stages allowed(entry, model, blocks, devices, chunks);
      const std::size_t stages = devices * chunks, n = blocks.stages();
      const bool pinned = random.up_to(2) == 0 && stages <= n;
      points pin{0};
      for (std::size_t s = 1; s < stages && pinned; ++s) pin.push_back(pin.back() + 1 + (s == 1 ? n - stages : 0));
      pin.push_back(n);
      if (pinned) allowed.pin(cuts(points(pin)));
      for (std::size_t s = 0; s < stages; ++s) {
        for (std::size_t first = 0; first < n; ++first) {
          bool any = false;
          for (std::size_t last = n; last > first; --last) {
            const bool here = allowed(s, first, last);
            if (pinned && here) CHECK((pin[s] == first && pin[s + 1] == last));
            any = any || here;
            CAPTURE(std::string(entry.name));
            // What is hopeless never becomes allowed; without a pin, and in order, what is not becomes so at some time.
            if (allowed.hopeless(s, first, last)) CHECK_FALSE(any);
            if (!pinned && !allowed.hopeless(s, first, last))
              CHECK((any || entry.counts != stagecut::decoder_counts::none));
            ++(allowed.hopeless(s, first, last) ? hopeless : not_yet);
          }
        }
      }
    }
  }
  CHECK(hopeless > 5000);
  CHECK(not_yet > 5000);
}

TEST_CASE("without a target everything is allowed") {
  const target_stages allowed;
  CHECK_FALSE(allowed.any());
  CHECK(allowed(3, 1, 2));
  CHECK_FALSE(allowed.hopeless(3, 1, 2));
  CHECK(allowed.decoders() == 0);
  const auto model = target_models::of_kinds({"embedding", "decoder", "decoder", "head"});
  stagecut::plan_request request;
  request.devices = 2;
  const cuts blocks{0, 1, 2, 3, 4};
  CHECK_FALSE(detail::stages_of_target(model, request, blocks).any());
  request.target = framework::vllm;
  const auto vllm = detail::stages_of_target(model, request, blocks);
  CHECK(vllm.decoders() == 2);
  CHECK(vllm(0, 0, 2));
  CHECK_FALSE(vllm(0, 0, 1));
  CHECK_FALSE(vllm.hopeless(0, 0, 1));
  CHECK_FALSE(vllm(1, 3, 4));
  CHECK(vllm.hopeless(1, 3, 4));
}

TEST_CASE("a layer that is out of its place, and which that is") {
  const auto model = target_models::of_kinds({"embedding", "decoder", "decoder", "norm", "mtp", "mtp", "head"});
  const auto& megatron = stagecut::entry_of(framework::megatron);
  const auto misplaced = [&](const std::vector<std::size_t>& stages) {
    return detail::misplaced_layer(megatron, model, stages, 2, 4);
  };
  CHECK(misplaced({0, 0, 1, 1, 2, 2, 3}) == "");
  CHECK(misplaced({0, 0, 1, 1, 3, 3, 3}) == "");
  CHECK(misplaced({0, 0, 1, 2, 2, 2, 3}) ==
        "layer \"l3\" of kind \"norm\" on stage 2, and its place is stage 1, where the last decoder is");
  CHECK(misplaced({0, 0, 1, 1, 1, 1, 3}) ==
        "layer \"l4\" of kind \"mtp\" on stage 1, and its place is the last stage of a device, from stage 2");
  CHECK(misplaced({0, 0, 1, 1, 2, 3, 3}) ==
        "layer \"l5\" of kind \"mtp\" on stage 3, and its place is stage 2, where the first of its kind is");
  CHECK(misplaced({1, 1, 1, 1, 2, 2, 3}) ==
        "layer \"l0\" of kind \"embedding\" on stage 1, and its place is stage 0, the first");
  CHECK(misplaced({0, 0, 1, 1, 2, 2, 2}) ==
        "layer \"l6\" of kind \"head\" on stage 2, and its place is stage 3, the last");
}
