// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/plan_stages.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/plan/plan_chain.hpp>

#include "random_requests.hpp"

using stagecut::cuts;
using stagecut::measure;
using stagecut::plan_chain;
using stagecut::plan_objective;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::schedule_kind;
using stagecut::detail::even_cut;
namespace detail = stagecut::detail;

namespace {

using sizes_t = std::vector<std::size_t>;

/// Calls `each(sizes)` with the layers of every stage, for all cuts of blocks into k stages.
template <class Each>
void for_all(const sizes_t& blocks, std::size_t k, sizes_t& sizes, std::size_t first, const Each& each) {
  if (sizes.size() == k) {
    if (first == blocks.size()) each(sizes);
    return;
  }
  std::size_t layers = 0;
  for (std::size_t last = first; last < blocks.size(); ++last) {
    layers += blocks[last];
    sizes.push_back(layers);
    for_all(blocks, k, sizes, last + 1, each);
    sizes.pop_back();
  }
}

/// The cut that is wanted, by trying all that are allowed: the longest stage shortest, then the least squares, then the first
/// stages longest.
template <class Allowed>
std::optional<sizes_t> best_of_all(const sizes_t& blocks, std::size_t k, const Allowed& allowed) {
  std::optional<sizes_t> best;
  const auto squares = [](const sizes_t& sizes) {
    std::size_t sum = 0;
    for (const std::size_t size : sizes) sum += size * size;
    return sum;
  };
  const auto longest = [](const sizes_t& sizes) { return *std::max_element(sizes.begin(), sizes.end()); };
  sizes_t sizes;
  for_all(blocks, k, sizes, 0, [&](const sizes_t& found) {
    if (!allowed(found)) return;
    const auto rank = [&](const sizes_t& of) { return std::pair(longest(of), squares(of)); };
    const bool better = !best || rank(found) < rank(*best) || (rank(found) == rank(*best) && found > *best);
    if (better) best = found;
  });
  return best;
}

/// A chain of layers with one second each, those of a block in one group.
profile grouped(const sizes_t& blocks) {
  profile model;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::size_t i = 0; i < blocks[b]; ++i) {
      stagecut::layer each;
      each.forward = 1;
      each.parameters = 10;
      if (blocks[b] > 1) each.group = std::to_string(b);
      model.layers.push_back(each);
    }
  }
  return model;
}

stagecut::profile model_of(std::size_t layers) {
  stagecut::profile model;
  model.layers.resize(layers);
  return model;
}

std::string refusal(const plan_request& request) {
  try {
    detail::check_stages_request("f", model_of(8), request);
  } catch (const stagecut::argument_error& error) {
    return error.what();
  }
  return "";
}

bool refused_for(const plan_request& request, const char* text) {
  return refusal(request).find(text) != std::string::npos;
}

plan_request with(schedule_kind kind, std::size_t chunks = 1, std::size_t microbatches = 0) {
  plan_request request;
  request.devices = 2, request.stages_per_rank = chunks, request.microbatches = microbatches, request.schedule = kind;
  return request;
}

}  // namespace

TEST_CASE("51 layers of which the last two stand together are 7 7 7 6 6 6 6 6") {
  sizes_t blocks(49, 1);
  blocks.push_back(2);
  const auto made = plan_chain(grouped(blocks), {.devices = 8, .by = measure::layers});
  REQUIRE(made);
  CHECK(made->cuts.sizes() == sizes_t{7, 7, 7, 6, 6, 6, 6, 6});
  CHECK(made->objective.value == 7);
  CHECK(made->objective.bound == 7);
  CHECK(made->stages[7].cost == 6);
}

TEST_CASE("plans by the number of layers are the most even of all, within memory, too") {
  random_requests::dice random(11);
  std::size_t limited = 0, refused = 0;
  for (int round = 0; round < 600; ++round) {
    sizes_t blocks(2 + random.up_to(8));
    std::size_t most = 0;
    for (std::size_t& each : blocks) most = std::max(most, each = 1 + random.up_to(2));
    if (most == 1) blocks[0] = 2;
    const std::size_t k = 1 + random.up_to(std::min<std::size_t>(blocks.size(), 5) - 1);
    plan_request request{.devices = k, .by = measure::layers};
    request.memory_accounting.parameter_multiplier = 1;
    request.memory_accounting.use_resident = false;
    std::vector<std::size_t> room(k, ~std::size_t{0});
    if (round % 2 != 0) {
      std::vector<double> limits;
      for (std::size_t s = 0; s < k; ++s) {
        room[s] = 1 + random.up_to(8);
        limits.push_back(10.0 * static_cast<double>(room[s]));
      }
      request.memory_limit = limits;
    }
    const auto expected = best_of_all(blocks, k, [&](const sizes_t& sizes) {
      for (std::size_t s = 0; s < k; ++s) {
        if (sizes[s] > room[s]) return false;
      }
      return true;
    });
    CAPTURE(round);
    const auto made = plan_chain(grouped(blocks), request);
    REQUIRE(made.has_value() == expected.has_value());
    if (!expected) {
      ++refused;
      continue;
    }
    limited += round % 2 == 1 ? 1U : 0U;
    CHECK(made->cuts.sizes() == *expected);
    CHECK(made->objective.value == static_cast<double>(*std::max_element(expected->begin(), expected->end())));
  }
  CHECK(limited > 20);
  CHECK(refused > 20);
}

TEST_CASE("what is allowed is asked for stages that are short enough alone") {
  const cuts blocks{0, 1, 2, 3, 4, 5, 6, 7};
  std::size_t asked = 0;
  const auto allowed = [&](std::size_t, std::size_t first, std::size_t last) {
    ++asked;
    CHECK(first < last);
    CHECK(last - first <= 3);
    return true;
  };
  CHECK(even_cut(blocks, 3, 3, allowed) == cuts{0, 3, 5, 7});
  CHECK(asked <= 3 * 3 * 3);
}

TEST_CASE("stages of a device are as many as its schedule has") {
  CHECK(refusal(with(schedule_kind::one_forward_one_backward)) == "");
  CHECK(refusal(with(schedule_kind::one_forward_one_backward, 3)) == "");  // interleaved
  CHECK(refusal(with(schedule_kind::zbv, 2)) == "");
  CHECK(refused_for(with(schedule_kind::interleaved), "needs stages_per_rank above 1"));
  CHECK(refused_for(with(schedule_kind::zb_h1, 2), "has one stage on each device: stages_per_rank must be 1"));
  CHECK(refused_for(with(schedule_kind::zbv), "has 2 stages on each device: set stages_per_rank"));
  CHECK(refused_for(with(schedule_kind::interleaved, 2, 5), "microbatches = 5"));
  CHECK(refusal(with(schedule_kind::interleaved, 2, 6)) == "");
}

TEST_CASE("what is least by the mean is not of unlike devices, nor a makespan of stages") {
  for (const plan_objective objective : {plan_objective::range, plan_objective::variance}) {
    auto request = with(schedule_kind::gpipe);
    request.objective = objective;
    CHECK(refusal(request) == "");
    request.speeds = {1, 2};
    CHECK(refused_for(request, "is of equal devices without messages"));
    request.speeds.clear();
    request.links = {{1, 1}};
    CHECK(refused_for(request, "is of equal devices without messages"));
    request.objective = plan_objective::bottleneck;
    CHECK(refusal(request) == "");
  }
  auto request = with(schedule_kind::gpipe);
  request.objective = plan_objective::makespan;
  CHECK(refused_for(request, "is what make_plan minimises"));
}

TEST_CASE("memory is limited where it is known what is kept") {
  auto request = with(schedule_kind::interleaved, 2);
  request.memory_limit = 1;
  CHECK(refused_for(request, "memory_limit = 1"));
  CHECK(refused_for(request, "keeps, and that is not known: the number of microbatches is not known"));
  CHECK_FALSE(detail::knows_in_flight(request));
  request.microbatches = 4;
  CHECK(refusal(request) == "");
  CHECK(detail::knows_in_flight(request));
  auto plain = with(schedule_kind::one_forward_one_backward);
  plain.memory_limit = 1;
  CHECK(refusal(plain) == "");
}

TEST_CASE("what stages keep: by the rule of the schedule, else by its order, never more than there are microbatches") {
  const auto kept = [](const plan_request& request) { return detail::microbatches_kept(model_of(8), request); };
  CHECK(kept(with(schedule_kind::one_forward_one_backward)) == std::vector<std::size_t>{2, 1});
  CHECK(kept(with(schedule_kind::one_forward_one_backward, 1, 1)) == std::vector<std::size_t>{1, 1});
  CHECK(kept(with(schedule_kind::gpipe, 1, 5)) == std::vector<std::size_t>{5, 5});
  CHECK(kept(with(schedule_kind::gpipe)).empty());
  CHECK(kept(with(schedule_kind::interleaved, 2)).empty());
  for (const schedule_kind kind : {schedule_kind::interleaved, schedule_kind::zbv}) {
    const auto request = with(kind, 2, 4);
    CHECK(kept(request) == stagecut::microbatches_in_flight(stagecut::detail::schedule_of_request(request)));
    CHECK(kept(request).size() == 4);
  }
  auto said = with(schedule_kind::in_flight, 1, 2);
  said.in_flight = {3, 1};
  CHECK(kept(said) == std::vector<std::size_t>{2, 1});
  auto serving = model_of(8);
  serving.inference = true;
  CHECK(detail::microbatches_kept(serving, with(schedule_kind::gpipe, 1, 5)) == std::vector<std::size_t>{1, 1});
}
