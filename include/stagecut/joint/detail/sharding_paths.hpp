// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/joint/sharded_layer.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Collectives of `ways` devices in a ring. No bytes take no time.
struct ring_times {
  std::size_t ways = 1;
  link_speed link{};

  /// Each device has a part, and receives all: ways - 1 rounds.
  [[nodiscard]] double gather(double bytes) const;
  /// Each device has a summand, and receives the sum: parts of it are summed, then gathered.
  [[nodiscard]] double all_reduce(double bytes) const { return 2 * gather(bytes); }
};

/// Sharded layers from some layer to the last one, with the input in a given state.
struct sharding_path {
  double time = 0;  // both passes, summed from the last layer to the first
  double forward = 0;
  double backward = 0;
  double parameters = 0;
  sharding kind = sharding::replicated;  // of the first layer
  std::size_t next = 0;                  // index among the paths of the layers after it
};

/// Finds shardings of the layers before a point, from there to the first one. At each point the activation is whole or
/// split, and may change there; so two lists for all layers after a point suffice.
class sharding_paths {
 public:
  /// The paths with the input in each state: whole, split.
  using lists = std::vector<sharding_path>[2];

  /// @param input  bytes of the first layer's input
  /// @param most   limit of a path's parameter bytes; unset: none
  /// @param all    whether to keep slower paths with fewer parameters, not only the fastest one
  sharding_paths(view<const sharded_layer> layers, std::size_t ways, const link_speed& link, double input,
                 std::optional<double> most, bool all)
      : layers_(layers), ring_{ways, link}, input_(input), most_(most), all_(all), points_(layers.size() + 1) {}

  /// Starts after the layers `[0, last)`.
  void start(std::size_t last);

  /// Adds the layer before `point + 1`, whose paths are known.
  void widen(std::size_t point);

  /// The paths from a point with a whole activation, the fastest first.
  [[nodiscard]] const std::vector<sharding_path>& whole(std::size_t point) const { return points_[point].of[0]; }

  /// The sharding of each layer of a path.
  [[nodiscard]] std::vector<sharding> kinds(std::size_t point, sharding_path path) const;

 private:
  struct lists_of_point {
    lists of{};
  };

  /// Bytes that cross a point.
  [[nodiscard]] double sent(std::size_t point) const { return point == 0 ? input_ : layers_[point - 1].output; }

  static sharding_path later(sharding_path path, double forward, double backward);

  /// 1 if the output of a layer is split, else 0.
  static std::size_t state_behind(sharding kind) { return kind == sharding::column || kind == sharding::split ? 1 : 0; }

  [[nodiscard]] const sharding_path& next(std::size_t point, const sharding_path& path) const {
    return points_[point + 1].of[state_behind(path.kind)][path.next];
  }

  void add(std::size_t point, std::size_t state, sharding kind, double forward, double backward, double parameters);

  /// Whether the kinds of one path precede those of another.
  [[nodiscard]] bool kinds_before(std::size_t point, sharding_path a, sharding_path b) const;

  /// Keeps the Pareto-optimal paths.
  void keep(std::size_t point, std::vector<sharding_path>& drafts, std::vector<sharding_path>& kept) const;

  view<const sharded_layer> layers_;
  ring_times ring_;
  double input_;
  std::optional<double> most_;
  bool all_;
  std::size_t last_ = 0;
  std::vector<lists_of_point> points_;
  lists drafts_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/sharding_paths.ipp>
#endif
