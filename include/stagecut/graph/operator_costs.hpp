// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/tick_scale.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/load_options.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The costs of a contracted graph's elements in whole ticks, so that sums are exact: they depend neither on the order
/// in which elements enter a set nor on how operators are numbered. A tick is a power of two in seconds or bytes, so
/// small that all sums stay below 2^61: figures with fewer than 53 significant bits and similar magnitudes are exact,
/// others are off by half a tick each.
class operator_costs {
 public:
  /// Ticks.
  using ticks = std::int64_t;

  /// The cost of an element.
  struct figures {
    ticks forward = 0;                         ///< on an accelerator
    ticks backward = 0;                        ///< on an accelerator
    ticks cpu = 0;                             ///< both passes on a CPU
    ticks resident = 0;                        ///< of memory
    ticks activations = 0;                     ///< of memory, per microbatch
    ticks workspace = 0;                       ///< of memory, of the operator that needs most
    std::size_t stage = graph_operator::none;  ///< the stage to which it is fixed
    bool on_accelerator = true;                ///< whether all of its operators run there
    bool on_cpu = true;                        ///< whether all of its operators run there
  };
  /// An element's incidence with a net.
  struct link {
    std::uint32_t net;   ///< the net
    std::uint32_t pins;  ///< number of elements on it
  };
  /// The cost of a net that is cut.
  struct net {
    ticks forward = 0;   ///< of the forward pass
    ticks backward = 0;  ///< of the backward pass
    ticks buffers = 0;   ///< of memory
  };

  /// @param graph    the operators
  /// @param parts    its contraction, or that with more elements merged
  /// @param options  how a load is computed
  /// @param stages   the most of a plan
  /// @throws         invalid_input with `operator I`, `shared I` or `latency` for figures that are negative or not
  ///                 finite, for operators that share an element but are fixed to different stages, and for shared
  ///                 parameters of operators that do not exist; argument_error for invalid options. O((n + m) log m)
  operator_costs(const operator_graph& graph, const contraction& parts, const load_options& options,
                 std::size_t stages);

  /// Number of elements.
  [[nodiscard]] std::size_t size() const noexcept { return elements_.size(); }
  /// The cost of an element.
  [[nodiscard]] const figures& of(std::size_t e) const noexcept { return elements_[e]; }
  /// Number of nets: a net joins one producer, or several, to the consumers, or the ends of an edge with its own tensor.
  [[nodiscard]] std::size_t nets() const noexcept { return nets_.size(); }
  /// The cost of a net that is cut.
  [[nodiscard]] const net& weight_of(std::size_t i) const noexcept { return nets_[i]; }
  /// The elements of a net, in ascending order.
  [[nodiscard]] view<const precedence::element> pins(std::size_t i) const noexcept { return pins_[i]; }
  /// The nets of an element, in ascending order.
  [[nodiscard]] view<const link> nets_of(std::size_t e) const noexcept { return links_[e]; }
  /// Number of shared parameters.
  [[nodiscard]] std::size_t shared() const noexcept { return shared_.size(); }
  /// Memory of shared parameters.
  [[nodiscard]] ticks shared_bytes(std::size_t i) const noexcept { return shared_[i]; }
  /// The shared parameters that an element uses.
  [[nodiscard]] view<const std::uint32_t> shared_by(std::size_t e) const noexcept { return shared_by_[e]; }
  /// What a stage costs in addition to its elements.
  [[nodiscard]] ticks constant(std::size_t stage) const noexcept;
  /// The time of work, in ticks, at the speed of a stage.
  [[nodiscard]] ticks at_speed(ticks work, std::size_t stage) const noexcept;
  /// The least time of work, in ticks, on any stage.
  [[nodiscard]] ticks at_best(ticks work) const noexcept {
    return options_.speeds.empty() ? work : static_cast<ticks>(static_cast<double>(work) / fastest_);
  }
  /// Number of microbatches whose activations a stage keeps.
  [[nodiscard]] ticks in_flight(std::size_t stage, std::size_t stages) const noexcept;
  /// Memory of an accelerator.
  [[nodiscard]] ticks limit() const noexcept { return limit_; }
  /// How a load is computed.
  [[nodiscard]] const load_options& options() const noexcept { return options_; }
  /// Whether any cost depends on the number of a stage.
  [[nodiscard]] bool by_position() const noexcept { return by_position_; }
  /// A common divisor of all times, at least 1; above 1 for integral data.
  [[nodiscard]] ticks unit() const noexcept { return unit_; }
  /// Converts ticks to seconds.
  [[nodiscard]] double seconds(ticks count) const noexcept { return times_.figure(count); }
  /// Converts ticks to bytes.
  [[nodiscard]] double bytes_of(ticks count) const noexcept { return memory_.figure(count); }

 private:
  /// Ticks are the same for all contractions of a graph, so that results transfer between them.
  void choose_ticks(const operator_graph& graph, std::size_t stages);

  [[nodiscard]] ticks time(double seconds) const { return times_.nearest(seconds); }
  [[nodiscard]] ticks bytes(double count) const { return memory_.up(count); }
  [[nodiscard]] ticks bytes_below(double count) const { return memory_.down(count, std::numeric_limits<ticks>::max()); }

  void find_unit();

  [[nodiscard]] figures sum(const operator_graph& graph, view<const std::size_t> operators) const;

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
  ticks unit_ = 1;
  engine::tick_scale times_{};
  engine::tick_scale memory_{};
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/operator_costs.ipp>
#endif
