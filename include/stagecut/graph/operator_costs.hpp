// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/check_operator_figures.hpp>
#include <stagecut/graph/detail/element_nets.hpp>
#include <stagecut/graph/load_options.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What the elements of a contracted graph take, in whole ticks, so that sums are exact: they depend neither on the order
/// in which an element came into a set nor on how operators are numbered. A tick is a power of two in seconds or bytes,
/// so small that all sums stay below 2^61: figures of less than 53 significant bits that are not too far apart are exact,
/// and others are off by half a tick each.
class operator_costs {
 public:
  /// Ticks.
  using ticks = std::int64_t;

  /// What an element takes.
  struct figures {
    ticks forward = 0;                         ///< on an accelerator
    ticks backward = 0;                        ///< likewise
    ticks cpu = 0;                             ///< both passes on a CPU
    ticks resident = 0;                        ///< of memory
    ticks activations = 0;                     ///< likewise
    ticks workspace = 0;                       ///< likewise, of the operator that needs most
    std::size_t stage = graph_operator::none;  ///< the one on which it has to stand
    bool on_accelerator = true;                ///< whether all of its operators run there
    bool on_cpu = true;                        ///< likewise
  };
  /// That an element is on a net.
  struct link {
    std::uint32_t net;   ///< which
    std::uint32_t pins;  ///< elements on it
  };
  /// What a net takes where it is cut.
  struct net {
    ticks forward = 0;   ///< of the forward pass
    ticks backward = 0;  ///< of the backward pass
    ticks buffers = 0;   ///< of memory
  };

  /// @param graph    what the operators take
  /// @param parts    its contraction, or one of that with more made one
  /// @param options  how a load is reckoned
  /// @param stages   of a plan at most
  /// @throws         invalid_input with `operator I`, `shared I` or `latency` for figures that are negative or not finite,
  ///                 for operators that share an element and have to stand on different stages, and for shared parameters
  ///                 of operators that there are not; argument_error for options that make no sense. O((n + m) log m)
  operator_costs(const operator_graph& graph, const contraction& parts, const load_options& options, std::size_t stages)
      : options_(options) {
    detail::check_load_options("operator_costs", options, stages);
    detail::check_operator_figures(graph);
    const detail::element_nets nets(graph, parts);
    pins_ = nets.pins;
    const detail::rows<std::uint32_t> nets_of = pins_.holding(parts.elements());
    std::vector<link> row;
    for (std::size_t e = 0; e < parts.elements(); ++e) {
      row.clear();
      for (const std::uint32_t i : nets_of[e]) row.push_back({i, static_cast<std::uint32_t>(pins_[i].size())});
      links_.push_back(row);
    }
    sharing_ = detail::sharing_elements(graph, parts);
    shared_by_ = sharing_.holding(parts.elements());
    choose_ticks(graph, stages);
    for (const auto& each : nets.weights) {
      nets_.push_back({time(each.forward), time(each.backward), bytes(options.boundary_buffers * each.bytes)});
    }
    for (const shared_parameters& each : graph.shared) shared_.push_back(bytes(each.resident));
    for (std::size_t e = 0; e < parts.elements(); ++e) elements_.push_back(sum(graph, parts.operators_of(e)));
    for (std::size_t s = 0; s < options.constants.size(); ++s) constants_.push_back(time(options.constants[s]));
    for (const double each : options.speeds) fastest_ = each > fastest_ ? each : fastest_;
    if (options.memory) limit_ = bytes_below(*options.memory);
    by_position_ = options.constants.size() > 1 || !options.speeds.empty();
    const bool keeps = options.memory && options.in_flight;
    for (const figures& each : elements_) {
      if (each.stage != graph_operator::none || (keeps && each.activations != 0)) by_position_ = true;
    }
  }

  /// Number of elements.
  [[nodiscard]] std::size_t size() const noexcept { return elements_.size(); }
  /// What an element takes.
  [[nodiscard]] const figures& of(std::size_t e) const noexcept { return elements_[e]; }
  /// Number of nets: what a producer, or several, hand to others.
  [[nodiscard]] std::size_t nets() const noexcept { return nets_.size(); }
  /// What a net takes where it is cut.
  [[nodiscard]] const net& weight_of(std::size_t i) const noexcept { return nets_[i]; }
  /// The elements of a net, in ascending order.
  [[nodiscard]] view<const precedence::element> pins(std::size_t i) const noexcept { return pins_[i]; }
  /// The nets of an element, in ascending order.
  [[nodiscard]] view<const link> nets_of(std::size_t e) const noexcept { return links_[e]; }
  /// Number of parameters that elements share.
  [[nodiscard]] std::size_t shared() const noexcept { return shared_.size(); }
  /// Memory of shared parameters.
  [[nodiscard]] ticks shared_bytes(std::size_t i) const noexcept { return shared_[i]; }
  /// The shared parameters that an element needs.
  [[nodiscard]] view<const std::uint32_t> shared_by(std::size_t e) const noexcept { return shared_by_[e]; }
  /// What a stage takes beside its elements.
  [[nodiscard]] ticks constant(std::size_t stage) const noexcept {
    if (constants_.empty()) return 0;
    return constants_[constants_.size() == 1 || stage >= constants_.size() ? 0 : stage];
  }
  /// What ticks of work take at the speed of a stage.
  [[nodiscard]] ticks at_speed(ticks work, std::size_t stage) const noexcept {
    if (options_.speeds.empty()) return work;
    return static_cast<ticks>(static_cast<double>(work) / options_.speeds[stage < options_.speeds.size() ? stage : 0]);
  }
  /// What ticks of work take at least, on whichever stage.
  [[nodiscard]] ticks at_best(ticks work) const noexcept {
    return options_.speeds.empty() ? work : static_cast<ticks>(static_cast<double>(work) / fastest_);
  }
  /// Microbatches whose activations a stage keeps.
  [[nodiscard]] ticks in_flight(std::size_t stage, std::size_t stages) const noexcept {
    if (!options_.in_flight) return 1;
    const std::size_t left = stage < stages ? stages - stage : 1;
    return static_cast<ticks>(options_.microbatches != 0 && options_.microbatches < left ? options_.microbatches
                                                                                         : left);
  }
  /// Memory of an accelerator.
  [[nodiscard]] ticks limit() const noexcept { return limit_; }
  /// How a load is reckoned.
  [[nodiscard]] const load_options& options() const noexcept { return options_; }
  /// Whether anything here depends on the number of a stage.
  [[nodiscard]] bool by_position() const noexcept { return by_position_; }
  /// Seconds of so many ticks.
  [[nodiscard]] double seconds(ticks count) const noexcept {
    return std::ldexp(static_cast<double>(count), -time_power_);
  }
  /// Bytes of so many ticks.
  [[nodiscard]] double bytes_of(ticks count) const noexcept {
    return std::ldexp(static_cast<double>(count), -memory_power_);
  }

 private:
  /// Ticks are the same of all contractions of a graph, so that what is known of one can be said of another.
  void choose_ticks(const operator_graph& graph, std::size_t stages) {
    double time = 0;
    double resident = 0;
    double activations = 0;
    for (const graph_operator& each : graph.operators) {
      const double both = each.forward + each.backward;
      time += both > each.cpu ? both : each.cpu;
      resident += each.resident;
      activations += each.activations;
      resident += each.workspace + options_.boundary_buffers * each.output;
    }
    double slowest = 1;
    for (const double each : options_.speeds) slowest = each < slowest ? each : slowest;
    time /= slowest;
    std::vector<bool> feeds(graph.operators.size());
    for (const operator_edge& each : graph.edges) feeds[each.from] = true;
    for (std::size_t v = 0; v < graph.operators.size(); ++v) {
      if (feeds[v]) time += graph.operators[v].sent + graph.operators[v].sent_back + 2 * graph.latency;
    }
    for (const double each : options_.constants) time += each;
    for (const shared_parameters& each : graph.shared) resident += each.resident;
    const auto most = static_cast<double>(options_.in_flight ? stages : 1);
    time_power_ = detail::tick_power(time);
    memory_power_ = detail::tick_power(resident + most * activations);
  }

  [[nodiscard]] ticks time(double seconds) const {
    return static_cast<ticks>(std::llrint(std::ldexp(seconds, time_power_)));
  }
  [[nodiscard]] ticks bytes(double count) const {
    return static_cast<ticks>(std::ceil(std::ldexp(count, memory_power_)));
  }
  [[nodiscard]] ticks bytes_below(double count) const {
    const double scaled = std::floor(std::ldexp(count, memory_power_));
    return scaled < 0x1p62 ? static_cast<ticks>(scaled) : std::numeric_limits<ticks>::max();
  }

  [[nodiscard]] figures sum(const operator_graph& graph, view<const std::size_t> operators) const {
    figures result;
    std::size_t fixed = graph_operator::none;
    for (const std::size_t v : operators) {
      const graph_operator& each = graph.operators[v];
      result.forward += time(each.forward);
      result.backward += time(each.backward);
      result.cpu += time(each.cpu);
      result.resident += bytes(each.resident);
      result.activations += bytes(each.activations);
      result.workspace = std::max(result.workspace, bytes(each.workspace));
      result.on_accelerator = result.on_accelerator && each.on_accelerator;
      result.on_cpu = result.on_cpu && each.on_cpu;
      if (each.stage == graph_operator::none) continue;
      if (result.stage != graph_operator::none && result.stage != each.stage) {
        detail::fail(
            invalid_input(detail::operator_text(graph, v),
                          detail::joined({"has to stand on stage ", each.stage, ", and shares one with operator ",
                                          fixed, ", which has to stand on stage ", result.stage})));
      }
      result.stage = each.stage;
      fixed = v;
    }
    return result;
  }

  load_options options_;
  std::vector<figures> elements_{};
  detail::rows<precedence::element> pins_{};
  detail::rows<link> links_{};
  std::vector<net> nets_{};
  detail::rows<precedence::element> sharing_{};
  detail::rows<std::uint32_t> shared_by_{};
  std::vector<ticks> shared_{};
  std::vector<ticks> constants_{};
  double fastest_ = 0;
  ticks limit_ = std::numeric_limits<ticks>::max();
  bool by_position_ = false;
  int time_power_ = 0;
  int memory_power_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI
