// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/joint/detail/hybrid_graph.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// For what a pipeline of stages with replicas is built.
struct hybrid_limits {
  std::size_t devices = 1;
  std::size_t microbatches = 1;
  bool at_most = false;
  std::optional<double> memory{};
};

/// Makes graphs of all plans of so many stages that may end in time.
class hybrid_builder {
 public:
  hybrid_builder(const hybrid_options& options, const hybrid_limits& rules) : options_(options), rules_(rules) {}

  /// All plans of `stages` stages that end by `most` are paths of the graph. False: it has more than `most_edges`, or the
  /// clock said stop.
  bool build(std::size_t stages, double most, std::size_t most_edges, engine::search_clock& clock, hybrid_graph& graph);

  /// How many microbatches a stage keeps from which so many stages are left, itself counted.
  [[nodiscard]] double in_flight(std::size_t left) const noexcept {
    return static_cast<double>(left < rules_.microbatches ? left : rules_.microbatches);
  }

  /// The least devices on which what is behind a point can run in so many stages, none of which takes too long for an end
  /// by `most`: see `need`. False: the clock said stop.
  bool find_needs(std::size_t stages, double most, engine::search_clock& clock);

  /// The devices that so many stages need, as `find_needs` found it last.
  [[nodiscard]] std::size_t need(std::size_t stages) const noexcept { return needs_[stages * options_.points()]; }

 private:
  static constexpr std::uint32_t too_many = ~std::uint32_t{0};

  [[nodiscard]] bool fits(const stage_option& option, std::size_t left) const noexcept {
    return !rules_.memory || bytes_with(option, in_flight(left)) <= *rules_.memory;
  }
  [[nodiscard]] bool is_fast(const stage_option& option, double most) const noexcept {
    return static_cast<double>(rules_.microbatches) * (option.forward + option.backward) <= most;
  }

  /// Of every stage the options that fit where so many stages are left, and that no other one on as many devices beats.
  struct fitting {
    std::vector<std::uint32_t> options{};
    std::vector<std::uint32_t> first{};  // of those of every stage, in the order of the table
  };

  [[nodiscard]] const fitting& fitting_of(std::size_t left);

  [[nodiscard]] bool covers(std::uint32_t a, std::uint32_t b) const noexcept;

  /// Keeps an option unless another one is nowhere slower, and drops those that are nowhere faster.
  void take(std::vector<std::uint32_t>& chosen, std::size_t begin, std::uint32_t option) const;

  /// The edges of a node.
  void grow(hybrid_graph& graph, const fitting& chosen, std::uint32_t u, std::size_t left, double most);

  const hybrid_options& options_;
  const hybrid_limits& rules_;
  std::vector<std::uint32_t> needs_{};
  std::vector<fitting> fitting_{};   // by microbatches in flight
  std::vector<std::uint32_t> at_{};  // nodes of the next step, plus 1
  std::vector<double> trips_{};      // of every node: the least round trip through the stages before
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/hybrid_builder.ipp>
#endif
