// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/joint/detail/sharding_paths.hpp>
#include <stagecut/joint/sharded_layer.hpp>
#include <stagecut/plan/memory_shortage.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What a stage takes whose layers are sharded: a device's times of one microbatch, and its bytes.
struct sharded_figures {
  double time = 0;        ///< both passes, with collectives, as summed from the last layer to the first
  double forward = 0;     ///< of the forward pass
  double backward = 0;    ///< of the backward pass
  double parameters = 0;  ///< bytes

  /// Equal in every part.
  friend bool operator==(const sharded_figures&, const sharded_figures&) = default;
};

/// A stage, and how each of its layers is sharded.
struct sharded_stage : sharded_figures {
  std::vector<sharding> kinds{};  ///< of each layer

  /// Equal in every part.
  friend bool operator==(const sharded_stage&, const sharded_stage&) = default;
};

namespace detail {

/// A path as it is told.
[[nodiscard]] inline sharded_figures figures_of(const sharding_path& path) {
  return {path.time, path.forward, path.backward, path.parameters};
}

/// Why no sharding of layers has so few bytes.
[[nodiscard]] inline reason why_not_sharded(view<const sharded_layer> layers, std::size_t ways, double most) {
  double least = 0;
  for (std::size_t i = layers.size(); i-- > 0;) {
    bool any = false;
    for (const sharding kind : {sharding::column, sharding::row, sharding::split}) {
      any = any || stagecut::may_be(layers[i], kind, ways);
    }
    least = layers[i].parameters / static_cast<double>(any ? ways : 1) + least;
  }
  const std::size_t needed = whole_bytes(least);
  return {reason::cause::memory, needed, most < 9.2e18 ? static_cast<std::size_t>(most) : std::size_t{1} << 63U,
          joined({"a stage of ", layers.size(), layers.size() == 1 ? " layer on " : " layers on ", ways,
                  ways == 1 ? " device" : " devices"}),
          joined({"its parameters fit into ", bytes_text(needed)})};
}

}  // namespace detail

/// See `shard`.
struct shard_fn {
  /// See `shard`.
  [[nodiscard]] outcome<sharded_stage> operator()(view<const sharded_layer> layers, std::size_t ways,
                                                  const link_speed& link, double input,
                                                  std::optional<double> most_parameters = {}) const {
    detail::check_sharded("shard", layers, ways, link, input);
    if (most_parameters && (is_nan(*most_parameters) || is_negative(*most_parameters))) {
      detail::fail(
          argument_error("shard", "most_parameters", std::to_string(*most_parameters), "must not be negative"));
    }
    detail::sharding_paths paths(layers, ways, link, input, most_parameters, most_parameters.has_value());
    paths.start(layers.size());
    for (std::size_t i = layers.size(); i-- > 0;) paths.widen(i);
    if (paths.whole(0).empty()) {
      return outcome<sharded_stage>::infeasible(detail::why_not_sharded(layers, ways, *most_parameters));
    }
    const detail::sharding_path& best = paths.whole(0)[0];
    return outcome<sharded_stage>::optimal({detail::figures_of(best), paths.kinds(0, best)});
  }
};

/// Shards the layers of a stage over several devices, so that both passes of a microbatch take the least time: which of them
/// by columns, which by rows, and which are replicated. The input and the output of the stage are whole.
///
/// @param layers           from the input of the stage to its output; none is a stage of nothing
/// @param ways             devices, which form a ring for collectives
/// @param link             between neighbours in the ring
/// @param input            bytes of the input of the first layer; 0: nothing needs its gradient
/// @param most_parameters  bytes of a device's parameters that may not be exceeded; unset: any
/// @return                 optimal; infeasible: `memory`, with the bytes that would do
/// @throws                 argument_error for no device, and for a link, an input or a limit that is none; invalid_input
///                         for a layer's figure that is negative or not finite, and a sum that is not
///
/// Of g devices each takes a g-th of the times and parameters of a layer that is not replicated. A column's gradient of the
/// input and a row's output are summed by an all-reduce. Between two layers a split activation is gathered to make it whole,
/// and a whole one split for nothing; in the backward pass it is the other way round. An all-reduce of x bytes takes
/// `2 (g - 1) / g x / bandwidth + 2 (g - 1) latency`, a gather half of it; of no bytes, nothing.
///
/// Exact, of times as summed from the last layer to the first. Ties: fewest bytes, then the kinds that come first in order.
/// Without a limit O(n) for n layers; with one the number of choices of time and bytes, of which none beats another, is a
/// factor: few where layers are alike, 2^n at worst.
///
/// Source: Shoeybi et al., Megatron-LM (2019), for columns and rows; TorchShard has them as `dim`.
inline constexpr shard_fn shard{};

/// What every stage of a chain takes whose layers are sharded over the same number of devices: found at once, then told in
/// constant time.
class sharded_intervals {
 public:
  /// @param layers  a chain
  /// @param ways    devices of a stage
  /// @param link    between neighbours in the ring that they form
  /// @param input   bytes of the input of the first layer
  /// @param all     whether choices of fewer parameters are kept beside the fastest one
  /// @throws        as `shard`
  ///
  /// O(n^2) for n layers and the fastest choice alone; see `shard` for all.
  sharded_intervals(std::vector<sharded_layer> layers, std::size_t ways, const link_speed& link, double input,
                    bool all = true)
      : layers_(std::move(layers)), ways_(ways), link_(link), input_(input), all_(all) {
    detail::check_sharded("sharded_intervals", layers_, ways, link, input);
    detail::sharding_paths paths(layers_, ways, link, input, {}, all);
    ends_.push_back(0);
    for (std::size_t last = 1; last <= layers_.size(); ++last) {
      paths.start(last);
      for (std::size_t first = last; first-- > 0;) {
        paths.widen(first);
        for (const auto& path : paths.whole(first)) choices_.push_back(detail::figures_of(path));
        ends_.push_back(choices_.size());
      }
    }
  }

  /// Layers.
  [[nodiscard]] std::size_t size() const noexcept { return layers_.size(); }

  /// What the layers `[first, last)` may take: the fastest choice, then those of fewer and fewer parameters.
  /// @pre `first < last && last <= size()`
  [[nodiscard]] view<const sharded_figures> choices(std::size_t first, std::size_t last) const noexcept {
    const std::size_t place = (last - 1) * last / 2 + (last - 1 - first);
    return view<const sharded_figures>(choices_).slice(ends_[place], ends_[place + 1]);
  }

  /// What the layers `[first, last)` take at least.
  /// @pre as of `choices`
  [[nodiscard]] double operator()(std::size_t first, std::size_t last) const noexcept {
    return choices(first, last)[0].time;
  }

  /// How a choice shards its layers. Found anew: as `shard`.
  /// @pre as of `choices`, and `choice` is one of them
  [[nodiscard]] std::vector<sharding> kinds(std::size_t first, std::size_t last, std::size_t choice) const {
    const view<const sharded_layer> part = view<const sharded_layer>(layers_).slice(first, last);
    detail::sharding_paths paths(part, ways_, link_, first == 0 ? input_ : layers_[first - 1].output, {}, all_);
    paths.start(part.size());
    for (std::size_t i = part.size(); i-- > 0;) paths.widen(i);
    return paths.kinds(0, paths.whole(0)[choice]);
  }

 private:
  std::vector<sharded_layer> layers_;
  std::size_t ways_;
  link_speed link_;
  double input_;
  bool all_;
  std::vector<sharded_figures> choices_{};
  std::vector<std::size_t> ends_{};  // of every stage, by its last layer, then from narrow to wide
};

}  // namespace stagecut::inline STAGECUT_ABI
