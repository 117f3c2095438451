// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/placed_stages.hpp>

#include <cstddef>
#include <string>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/cost/link_speed.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::size_t placed_stages::way_of(std::size_t ways) const noexcept {
  std::size_t w = 0;
  while (w + 1 < choices_.tensor_parallel.size() && choices_.tensor_parallel[w] != ways) ++w;
  return w;
}

STAGECUT_DECL void placed_stages::check() const {
  const auto refuse = [](const char* name, const std::string& value, const char* must) {
    fail(argument_error("profile_options", name, value, must));
  };
  for (const auto& [name, list] : {std::pair("replicas", &choices_.replicas), std::pair("tensor_parallel", &choices_.tensor_parallel)}) {
    if (list->empty()) refuse(name, "{}", "must have a number");
    for (const std::size_t each : *list) {
      if (each == 0) refuse(name, "0", "must be at least 1");
    }
  }
  if (choices_.microbatches == 0) refuse("microbatches", "0", "must be at least 1");
  if (choices_.device_size == 0) refuse("device_size", "0", "must be at least 1");
  if (!is_finite(choices_.gradient_bytes) || is_negative(choices_.gradient_bytes)) {
    refuse("gradient_bytes", number_text(choices_.gradient_bytes), "must be finite and not negative");
  }
}

STAGECUT_DECL bool placed_stages::is_close(std::size_t position, std::size_t replicas,
                                           std::size_t ways) const noexcept {
  for (std::size_t d = 0; d < replicas && ways > 1; ++d) {
    const std::size_t first = position + d * ways;
    if (!links_.is_close(first, ways)) return false;
    // On devices with several processors each, no row of a replica larger than a group may straddle two groups.
    const bool crosses = choices_.device_size > 1 && choices_.machine.levels() > 1 && ways > choices_.machine.span(0);
    if (crosses && first * choices_.device_size % ways != 0) return false;
  }
  return true;
}

STAGECUT_DECL double placed_stages::measured(const stage_option& option, span at, const ends& of,
                                             double parameters) const {
  const auto sent = [](double bytes, const link_speed& link) { return bytes > 0 ? link(bytes) - link.latency : 0; };
  const auto r = static_cast<double>(option.replicas);
  const double before = 2 * sent(of.input, links_.before(at.start));
  const double behind = 2 * sent(of.output, links_.before(at.end));
  double exchanged = 0;
  if (option.replicas > 1) {
    const link_speed link = links_.within(at.start, option.devices());
    exchanged = 4 * (r - 1) * sent(choices_.gradient_bytes * parameters, link) / r;
  }
  // All figures are of one replica, and of a microbatch of all of them.
  const double both = (option.forward + option.backward) * (choices_.own_microbatches ? 1 : r);
  double whole = both + before + behind + exchanged * r / static_cast<double>(choices_.microbatches);
  if (choices_.measure == stage_measure::pipedream) {
    whole = both + exchanged;
    whole = whole < before ? before : whole;
    whole = whole < behind ? behind : whole;
  }
  return choices_.own_microbatches ? whole : whole / r;
}

STAGECUT_DECL double placed_stages::exchange(std::size_t start, std::size_t replicas, std::size_t ways,
                                             double parameters) const {
  if (replicas < 2) return 0;
  const link_speed link = links_.within(start, replicas * ways);
  const auto d = static_cast<double>(replicas);
  return 2 * (d - 1) * link(choices_.gradient_bytes * parameters / d);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
