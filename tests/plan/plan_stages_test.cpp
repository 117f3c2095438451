// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/plan_stages.hpp>

#include <stagecut/plan/plan_chain.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "random_requests.hpp"

using stagecut::cuts;
using stagecut::measure;
using stagecut::plan_chain;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::detail::even_cut;

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
    for (const std::size_t each : sizes) sum += each * each;
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
    request.memory.parameter_multiplier = 1;
    request.memory.use_resident = false;
    std::vector<std::size_t> room(k, ~std::size_t{0});
    if (round % 2 != 0) {
      for (std::size_t s = 0; s < k; ++s) {
        room[s] = 1 + random.up_to(8);
        request.memory_of_devices.push_back(10.0 * static_cast<double>(room[s]));
      }
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
