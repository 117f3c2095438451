// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/synthesis_request.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

// Stages for schedule synthesis.
namespace bench {

using ticks = std::int64_t;

/// The placement of stages.
enum class placement { one, vee, loop };

/// Pieces of a model, two per rank, that form its stages: two per stage, if ranks have one.
struct pieces {
  std::vector<ticks> forward{}, input{}, weight{};
  std::size_t ranks = 0;
  std::size_t microbatches = 0;
};

/// A problem of schedule synthesis.
struct order_instance {
  std::string name{};
  std::size_t ranks = 0;
  double unit = 1;  ///< ticks
  stagecut::pass_times<ticks> times{};
  stagecut::transfer_times<ticks> hops{stagecut::transfer_kind::latency, {}, {}};
  stagecut::synthesis_request request{};
};

/// splitmix64, as a number in [0, 1).
[[nodiscard]] inline double draw(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
}

/// Pieces whose sizes differ by up to 30 % from the usual one, or equal ones except the last, 1.8 times as large: F
/// 1000 for the usual size, I about as much as F, W about 0.7 of it.
[[nodiscard]] inline pieces uneven_pieces(std::size_t ranks, std::size_t microbatches, bool heavy_head,
                                          std::uint64_t seed) {
  pieces made;
  made.ranks = ranks;
  made.microbatches = microbatches;
  for (std::size_t i = 0; i < 2 * ranks; ++i) {
    const double size = !heavy_head ? 0.7 + 0.6 * draw(seed) : i + 1 == 2 * ranks ? 1.8 : 1;
    made.forward.push_back(std::llround(1000 * size));
    made.input.push_back(std::llround(1000 * size * (0.9 + 0.2 * draw(seed))));
    made.weight.push_back(std::llround(1000 * size * (0.6 + 0.2 * draw(seed))));
  }
  return made;
}

/// Equal pieces.
[[nodiscard]] inline pieces even_pieces(std::size_t ranks, std::size_t microbatches, ticks forward, ticks input,
                                        ticks weight) {
  return {std::vector<ticks>(2 * ranks, forward), std::vector<ticks>(2 * ranks, input),
          std::vector<ticks>(2 * ranks, weight), ranks, microbatches};
}

/// Turns pieces into stages.
///
/// @param late    the share of a stage's bytes per microbatch that is kept until the end of W; the bytes equal its F
/// @param memory  per rank, in units of the fullest one's use under 1F1B with one stage per rank
/// @param hop     message time, in units of a mean F
[[nodiscard]] inline order_instance instance_of(const pieces& from, placement where, bool split, double late,
                                                double memory, double hop) {
  order_instance made;
  made.ranks = from.ranks;
  made.request.microbatches = from.microbatches;
  made.request.split = split;
  made.request.rank_of = where == placement::vee
                             ? stagecut::v_placement(from.ranks)
                             : stagecut::loop_placement(from.ranks, where == placement::loop ? 2 : 1);
  const std::size_t group = where == placement::one ? 2 : 1;
  std::vector<ticks> backward;
  for (std::size_t i = 0; i < from.forward.size(); i += group) {
    const auto sum = [&](const std::vector<ticks>& of) {
      return std::accumulate(of.begin() + static_cast<std::ptrdiff_t>(i),
                             of.begin() + static_cast<std::ptrdiff_t>(i + group), ticks{0});
    };
    made.times.forward.push_back(sum(from.forward));
    made.times.backward_input.push_back(sum(from.input));
    made.times.backward_weight.push_back(sum(from.weight));
    backward.push_back(sum(from.input) + sum(from.weight));
    made.request.bytes.activations.push_back(static_cast<double>(20 * made.times.forward.back()));
    made.request.bytes.weight_part.push_back(std::round(late * made.request.bytes.activations.back()));
  }
  double most = 0;
  for (std::size_t r = 0; r < from.ranks; ++r) {
    const auto held = static_cast<double>(std::min(from.ranks - r, from.microbatches));
    most = std::max(most, held * 20 * static_cast<double>(from.forward[2 * r] + from.forward[2 * r + 1]));
  }
  made.request.memory_limit = {memory * most};
  const ticks all = std::accumulate(from.forward.begin(), from.forward.end(), ticks{0});
  const ticks each = std::llround(hop * static_cast<double>(all) / static_cast<double>(backward.size()));
  if (each > 0) made.hops.forward = made.hops.backward = {each};
  if (!split) {
    made.times.backward = backward;
    made.times.backward_input.clear();
    made.times.backward_weight.clear();
    made.request.bytes.weight_part.clear();
  }
  return made;
}

}  // namespace bench
