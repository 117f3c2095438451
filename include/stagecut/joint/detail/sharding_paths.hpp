// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/detail/sort.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/joint/sharded_layer.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Collectives of `ways` devices in a ring. Nothing takes no time.
struct ring_times {
  std::size_t ways = 1;
  link_speed link{};

  /// Each device has a part, and gets all: ways - 1 rounds.
  [[nodiscard]] double gather(double bytes) const {
    if (bytes == 0 || ways == 1) return 0;
    const auto rounds = static_cast<double>(ways - 1);
    const double sent = link.bandwidth == 0 ? 0 : rounds / static_cast<double>(ways) * bytes / link.bandwidth;
    return sent + rounds * link.latency;
  }
  /// Each device has a summand, and gets the sum: parts of it are summed, and gathered.
  [[nodiscard]] double all_reduce(double bytes) const { return 2 * gather(bytes); }
};

/// Sharded layers from some layer to the last one, with the input in some state.
struct sharding_path {
  double time = 0;  // both passes, as summed from the last layer to the first
  double forward = 0;
  double backward = 0;
  double parameters = 0;
  sharding kind = sharding::replicated;  // of the first layer
  std::size_t next = 0;                  // among the paths of the layers behind it
};

/// What finds the ways to shard the layers before a point, from there to the first one. At each point the activation is
/// whole or split, which may change there; so of all layers behind a point two lists are enough.
class sharding_paths {
 public:
  /// The paths with the input in a state: whole, split.
  using lists = std::vector<sharding_path>[2];

  /// @param input  bytes of the first layer's input
  /// @param most   bytes of parameters that no path may have more of; unset: any
  /// @param all    whether paths of fewer parameters are kept beside the fastest one
  sharding_paths(view<const sharded_layer> layers, std::size_t ways, const link_speed& link, double input,
                 std::optional<double> most, bool all)
      : layers_(layers), ring_{ways, link}, input_(input), most_(most), all_(all), points_(layers.size() + 1) {}

  /// Starts behind the layers `[0, last)`.
  void start(std::size_t last) {
    for (auto& list : points_[last].of) list.clear();
    points_[last].of[0].push_back({});
    const double gathered = ring_.gather(sent(last));
    points_[last].of[1].push_back({gathered, gathered, 0, 0, sharding::replicated, 0});
    last_ = last;
  }

  /// Takes in the layer before `point + 1`, whose paths are known.
  void widen(std::size_t point) {
    const sharded_layer& layer = layers_[point];
    const double ways = static_cast<double>(ring_.ways);
    for (auto& list : drafts_) list.clear();
    add(point, 0, sharding::replicated, layer.forward, layer.backward, layer.parameters);
    const double forward = layer.forward / ways;
    const double backward = layer.backward / ways;
    const double parameters = layer.parameters / ways;
    if (stagecut::may_be(layer, sharding::column, ring_.ways)) {
      add(point, 0, sharding::column, forward, backward + ring_.all_reduce(sent(point)), parameters);
    }
    if (stagecut::may_be(layer, sharding::row, ring_.ways)) {
      add(point, 1, sharding::row, forward + ring_.all_reduce(layer.output), backward, parameters);
    }
    if (stagecut::may_be(layer, sharding::split, ring_.ways)) {
      add(point, 1, sharding::split, forward, backward, parameters);
    }
    // Split, what was whole: its gradient is gathered. Whole, what was split: it is gathered itself.
    const double gathered = ring_.gather(sent(point));
    const std::size_t whole = drafts_[0].size();
    const std::size_t split = drafts_[1].size();
    for (std::size_t i = 0; i < split; ++i) drafts_[0].push_back(later(drafts_[1][i], 0, gathered));
    for (std::size_t i = 0; i < whole; ++i) drafts_[1].push_back(later(drafts_[0][i], gathered, 0));
    for (std::size_t s = 0; s < 2; ++s) keep(point, drafts_[s], points_[point].of[s]);
  }

  /// The paths from a point on, the fastest first, where the activation is whole.
  [[nodiscard]] const std::vector<sharding_path>& whole(std::size_t point) const { return points_[point].of[0]; }

  /// How a path shards its layers.
  [[nodiscard]] std::vector<sharding> kinds(std::size_t point, sharding_path path) const {
    std::vector<sharding> result;
    for (; point < last_; path = next(point++, path)) result.push_back(path.kind);
    return result;
  }

 private:
  struct lists_of_point {
    lists of{};
  };

  /// Bytes that pass a point.
  [[nodiscard]] double sent(std::size_t point) const { return point == 0 ? input_ : layers_[point - 1].output; }

  static sharding_path later(sharding_path path, double forward, double backward) {
    path.time = forward + backward + path.time;
    path.forward += forward;
    path.backward += backward;
    return path;
  }

  /// Where the output of a layer is split.
  static std::size_t state_behind(sharding kind) { return kind == sharding::column || kind == sharding::split ? 1 : 0; }

  [[nodiscard]] const sharding_path& next(std::size_t point, const sharding_path& path) const {
    return points_[point + 1].of[state_behind(path.kind)][path.next];
  }

  void add(std::size_t point, std::size_t state, sharding kind, double forward, double backward, double parameters) {
    const std::vector<sharding_path>& behind = points_[point + 1].of[state_behind(kind)];
    for (std::size_t i = 0; i < behind.size(); ++i) {
      const sharding_path& path = behind[i];
      const double bytes = parameters + path.parameters;
      if (most_ && bytes > *most_) continue;
      drafts_[state].push_back(
          {forward + backward + path.time, forward + path.forward, backward + path.backward, bytes, kind, i});
    }
  }

  /// Whether the kinds of a path come before those of another one.
  [[nodiscard]] bool kinds_before(std::size_t point, sharding_path a, sharding_path b) const {
    for (; a.kind == b.kind; ++point) {
      if (a.next == b.next || point + 1 >= last_) return false;
      const sharding_path of_a = next(point, a);
      b = next(point, b);
      a = of_a;
    }
    return a.kind < b.kind;
  }

  /// Keeps what no other one beats.
  void keep(std::size_t point, std::vector<sharding_path>& drafts, std::vector<sharding_path>& kept) const {
    const auto before = [&](const sharding_path& a, const sharding_path& b) {
      if (a.time != b.time) return a.time < b.time;
      if (a.parameters != b.parameters) return a.parameters < b.parameters;
      return kinds_before(point, a, b);
    };
    detail::sort(drafts, before);
    kept.clear();
    for (const sharding_path& each : drafts) {
      if (!kept.empty() && !(all_ && each.parameters < kept.back().parameters)) continue;
      kept.push_back(each);
    }
  }

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
