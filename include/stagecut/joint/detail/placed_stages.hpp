// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/layer_bonds.hpp>
#include <stagecut/joint/detail/layer_ways.hpp>
#include <stagecut/joint/detail/stage_mixtures.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/placed_links.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The figures of stages on the devices of a machine, from those of their layers: see `profile_options`.
class placed_stages {
 public:
  /// @throws argument_error for invalid choices
  explicit placed_stages(const device_choices& choices) : choices_(choices), links_(choices.machine) { check(); }

  /// The messages and shared bytes of a stage.
  struct ends {
    double input = 0;   // bytes that cross the boundary before it
    double output = 0;  // after it
    layer_bonds::shared_bytes shared{};
  };

  [[nodiscard]] const placed_links& links() const noexcept { return links_; }

  /// Whether a wider stage never takes less time.
  [[nodiscard]] bool grows() const noexcept { return choices_.measure == stage_measure::passes; }

  /// The index of a tensor-parallel degree in their list.
  [[nodiscard]] std::size_t way_of(std::size_t ways) const noexcept;

  /// Visits the options of a stage whose layers run in some mixtures, each at the `w`-th tensor-parallel degree.
  template <class Visit>
  void show(std::size_t w, const stage_mixtures& mixtures, const ends& of, const stage_query& query,
            const Visit& visit) const {
    const std::size_t ways = choices_.tensor_parallel[w];
    const std::size_t period = links_.period();
    for (const std::size_t d : choices_.replicas) {
      const std::size_t devices = d * ways;
      if (devices > links_.devices()) continue;
      // Positions repeat: a whole number of periods is added, so that nothing becomes negative.
      const std::size_t rounds = (devices + period - 1) / period * period;
      const std::size_t start = (query.device % period + rounds - devices) % period;
      const bool in_nodes = choices_.in_one_node && choices_.machine.levels() > 1;
      if (!is_close(start, d, ways) || (in_nodes && start + devices > period)) continue;
      stage_option option;
      option.replicas = d;
      option.tensor_parallel = ways;
      const auto share = static_cast<double>(choices_.own_microbatches ? 1 : d);
      if (query.first != 0) option.message = links_.before(start)(of.input / share);
      stage_option smallest_memory;
      double most = -1;
      for (std::size_t k = 0; k < mixtures.size(); ++k) {
        const way_figures& sum = mixtures[k];
        option.choice = k;
        option.forward = sum.forward / share;
        option.backward = sum.backward / share;
        option.time = option.forward + option.backward;
        if (option.time > query.most_time) break;  // the following ones are no faster
        if (choices_.measure != stage_measure::passes) {
          option.time = measured(option, {start, query.device % period}, of, sum.parameters + of.shared.parameters);
          if (option.time > query.most_time) continue;
        }
        option.all_reduce = sum.update + exchange(start, d, ways, sum.parameters + of.shared.parameters);
        option.activations = sum.activations / share;
        option.resident =
            sum.resident + of.shared.resident +
            (sum.workspace + choices_.memory_accounting.boundary_buffers * (of.input + of.output)) / share;
        if (!query.smallest_memory || !query.memory || !(option.activations > 0)) {
          visit(option);
          continue;
        }
        const double room = (*query.memory - option.resident) / option.activations;
        if (room > most) most = room, smallest_memory = option;
      }
      if (most >= 0) visit(smallest_memory);
    }
  }

 private:
  void check() const;

  /// Whether every group of `ways` devices lies in one innermost group.
  [[nodiscard]] bool is_close(std::size_t position, std::size_t replicas, std::size_t ways) const noexcept;

  /// The first device of a stage, and of the next one.
  struct span {
    std::size_t start;
    std::size_t end;
  };

  /// The time of a stage by the chosen measure.
  [[nodiscard]] double measured(const stage_option& option, span at, const ends& of, double parameters) const;

  /// Seconds in which a ring of replicas sums gradients.
  [[nodiscard]] double exchange(std::size_t start, std::size_t replicas, std::size_t ways, double parameters) const;

  device_choices choices_;
  placed_links links_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/placed_stages.ipp>
#endif
