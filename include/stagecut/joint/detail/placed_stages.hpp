// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/joint/detail/layer_bonds.hpp>
#include <stagecut/joint/detail/layer_ways.hpp>
#include <stagecut/joint/detail/stage_mixtures.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/placed_links.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What stages take on the devices of a machine, given what their layers take: see `profile_options`.
class placed_stages {
 public:
  /// @throws argument_error for choices that make no sense
  explicit placed_stages(const device_choices& choices) : choices_(choices), links_(choices.machine) { check(); }

  /// What a stage has beside its layers.
  struct ends {
    double input = 0;   // bytes that cross the boundary before it
    double output = 0;  // behind it
    layer_bonds::shared_bytes shared{};
  };

  [[nodiscard]] const placed_links& links() const noexcept { return links_; }

  /// The place of a number of ways in the list of them.
  [[nodiscard]] std::size_t way_of(std::size_t ways) const noexcept {
    std::size_t w = 0;
    while (w + 1 < choices_.ways.size() && choices_.ways[w] != ways) ++w;
    return w;
  }

  /// Shows the options of a stage whose layers run in some mixtures, each on the `w`-th number of devices.
  template <class Visit>
  void show(std::size_t w, const stage_mixtures& mixtures, const ends& of, const stage_query& query,
            const Visit& visit) const {
    const std::size_t ways = choices_.ways[w];
    const std::size_t period = links_.period();
    for (const std::size_t d : choices_.replicas) {
      const std::size_t devices = d * ways;
      if (devices > links_.devices()) continue;
      // Positions repeat: a whole number of periods is added, so that nothing falls below 0.
      const std::size_t rounds = (devices + period - 1) / period * period;
      const std::size_t start = (query.device % period + rounds - devices) % period;
      const bool in_nodes = choices_.in_one_node && choices_.machine.levels() > 1;
      if (!is_close(start, d, ways) || (in_nodes && start + devices > period)) continue;
      stage_option option;
      option.replicas = d;
      option.ways = ways;
      const auto share = static_cast<double>(choices_.own_microbatches ? 1 : d);
      if (query.first != 0) option.message = links_.before(start)(of.input / share);
      stage_option roomiest;
      double most = -1;
      for (std::size_t k = 0; k < mixtures.size(); ++k) {
        const way_figures& sum = mixtures[k];
        option.choice = k;
        option.forward = sum.forward / share;
        option.backward = sum.backward / share;
        option.time = option.forward + option.backward;
        if (option.time > query.most_time) break;  // those behind are no faster
        option.all_reduce = sum.update + exchange(start, d, ways, sum.parameters + of.shared.parameters);
        option.activations = sum.activations / share;
        option.resident = sum.resident + of.shared.resident +
                          (sum.workspace + choices_.memory.boundary_buffers * (of.input + of.output)) / share;
        if (!query.roomiest || !query.memory || !(option.activations > 0)) {
          visit(option);
          continue;
        }
        const double room = (*query.memory - option.resident) / option.activations;
        if (room > most) most = room, roomiest = option;
      }
      if (most >= 0) visit(roomiest);
    }
  }

 private:
  void check() const {
    const auto refuse = [](const char* name, const std::string& value, const char* must) {
      fail(argument_error("profile_options", name, value, must));
    };
    for (const auto& [name, list] : {std::pair("replicas", &choices_.replicas), std::pair("ways", &choices_.ways)}) {
      if (list->empty()) refuse(name, "{}", "must have a number");
      for (const std::size_t each : *list) {
        if (each == 0) refuse(name, "0", "must be at least 1");
      }
    }
    if (!is_finite(choices_.gradient_bytes) || is_negative(choices_.gradient_bytes)) {
      refuse("gradient_bytes", number_text(choices_.gradient_bytes), "must be finite and not negative");
    }
  }

  /// Whether every group of so many devices lies close together.
  [[nodiscard]] bool is_close(std::size_t position, std::size_t replicas, std::size_t ways) const noexcept {
    for (std::size_t d = 0; d < replicas && ways > 1; ++d) {
      if (!links_.is_close(position + d * ways, ways)) return false;
    }
    return true;
  }

  /// Seconds of a ring of replicas that sum their gradients.
  [[nodiscard]] double exchange(std::size_t start, std::size_t replicas, std::size_t ways, double parameters) const {
    if (replicas < 2) return 0;
    const link_speed link = links_.within(start, replicas * ways);
    const auto d = static_cast<double>(replicas);
    return 2 * (d - 1) * link(choices_.gradient_bytes * parameters / d);
  }

  device_choices choices_;
  placed_links links_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
