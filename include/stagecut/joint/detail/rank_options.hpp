// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/engine/pareto_front.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/joint/detail/choice_curves.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The memory of a rank, and what it holds besides layers.
struct rank_rules {
  std::vector<std::size_t> stages{};  // of the rank, in the order of the model
  held_moments moments{};             // that matter, of all its stages
  double memory = 0;                  // bytes that layers may take; everything else is subtracted
  std::vector<double> own_forward{};  // for every stage, in integer units: head and tail
  std::vector<double> own_backward{};
  std::vector<double> own_weight{};
  std::vector<double> own_activations{};
  std::vector<double> own_workspace{};
  std::vector<double> own_peak{};                      // workspace including recomputed bytes
  std::vector<double> own_recomputed{};                // between I and W
  std::vector<std::vector<std::size_t>> own_shared{};  // parameters that are shared with layers

  /// The bytes of a stage at a moment besides what it keeps: of the layer that needs most, and recomputed ones.
  [[nodiscard]] double room(std::size_t v, const held_microbatches& held, double workspace, double peak,
                            double recomputed) const noexcept {
    const bool whole = held.recomputed > held.apart;
    const double own = whole ? own_peak[v] : own_workspace[v];
    const double needs = whole ? peak : workspace;
    return (own < needs ? needs : own) + static_cast<double>(held.apart) * (own_recomputed[v] + recomputed);
  }
};

/// The options of a rank: for each of its stages the content, and the way to run it. Options that need too much memory
/// are left out, as are those dominated by one with the same contents: see docs/recomputation.md, "Options".
class rank_options {
 public:
  /// Options with the same contents are adjacent.
  struct contents {
    std::vector<std::uint32_t> of;  // of every stage
    std::uint32_t first;            // its options
    std::uint32_t last;
  };

  /// @param splits  whether input and parameter gradients run apart
  /// @param few     whether a subset of the ways to run a stage suffices, including the leanest and the fastest
  /// @param stop    called while options are built, as there may be many; true: give up
  rank_options(rank_rules rules, bool splits, bool few = false, function_ref<bool()> stop = {})
      : rules_(std::move(rules)), kinds_(splits ? 3 : 2), few_(few && rules_.stages.size() > 1), stop_(stop) {}

  /// Whether it gave up: then options are missing.
  [[nodiscard]] bool gave_up() const noexcept { return gave_up_; }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t stages() const noexcept { return rules_.stages.size(); }
  [[nodiscard]] std::size_t stage(std::size_t v) const noexcept { return rules_.stages[v]; }
  /// Number of durations of an option: F, B (or I) and W of every stage.
  [[nodiscard]] std::size_t width() const noexcept { return stages() * kinds_; }
  [[nodiscard]] std::size_t kinds() const noexcept { return kinds_; }
  /// Duration `j` of all options.
  [[nodiscard]] const double* times(std::size_t j) const noexcept { return times_.data() + j * size_; }
  /// The point on the curve of stage v's content.
  [[nodiscard]] std::uint32_t point(std::size_t option, std::size_t v) const noexcept {
    return points_[option * stages() + v];
  }
  [[nodiscard]] const std::vector<contents>& classes() const noexcept { return classes_; }
  [[nodiscard]] std::uint32_t class_of(std::size_t option) const noexcept { return class_of_[option]; }
  /// The class with these contents, or the number of classes.
  [[nodiscard]] std::size_t find(const std::vector<std::uint32_t>& of) const;
  [[nodiscard]] const rank_rules& rules() const noexcept { return rules_; }

  void clear();

  /// Adds the options with these contents, if any; returns whether there are any.
  ///
  /// @param most  limit of all passes of a microbatch together, in integer units
  bool add(const choice_curves& curves, const std::vector<std::uint32_t>& of, double most);

  /// Sorts classes by a key, those with equal keys in the order in which they were added, and stores each duration
  /// contiguously. Returns the key of every class.
  template <class Key>
  std::vector<Key> finish(const std::vector<Key>& keys) {
    std::vector<std::size_t> order(classes_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    std::vector<contents> sorted;
    std::vector<Key> sorted_keys;
    times_.assign(width() * size_, 0);
    points_.clear();
    class_of_.clear();
    std::size_t at = 0;
    for (const std::size_t i : order) {
      contents here = classes_[i];
      const std::size_t first = at;
      for (std::size_t o = here.first; o < here.last; ++o, ++at) {
        for (std::size_t v = 0; v < stages(); ++v) {
          const made_stage& from = made_[o * stages() + v];
          times_[(v * kinds_ + engine::tick_f) * size_ + at] = from.forward;
          times_[(v * kinds_ + engine::tick_b) * size_ + at] = from.backward;
          if (kinds_ == 3) times_[(v * kinds_ + engine::tick_w) * size_ + at] = from.weight;
          points_.push_back(from.point);
        }
        class_of_.push_back(static_cast<std::uint32_t>(sorted.size()));
      }
      here.first = static_cast<std::uint32_t>(first);
      here.last = static_cast<std::uint32_t>(at);
      places_[here.of] = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back(std::move(here));
      sorted_keys.push_back(keys[i]);
    }
    classes_ = std::move(sorted);
    made_.clear();
    return sorted_keys;
  }

 private:
  struct candidate {
    std::vector<std::uint32_t> points;
    std::vector<double> backward;
    std::vector<double> weight;
  };
  struct made_stage {
    double forward, backward, weight;
    std::uint32_t point;
  };

  /// Tries all points that fit, of the stages from v on.
  void choose(const choice_curves& curves, const std::vector<std::uint32_t>& of, std::size_t v,
              std::vector<std::uint32_t>& chosen, const std::vector<double>& left, double time);

  /// Keeps a candidate unless another one is nowhere slower, and drops those that are nowhere faster.
  void take(const choice_curves& curves, const std::vector<std::uint32_t>& of,
            const std::vector<std::uint32_t>& chosen);

  rank_rules rules_;
  std::size_t kinds_;
  std::size_t size_ = 0;
  std::vector<double> times_{};          // [duration * size + option]
  std::vector<std::uint32_t> points_{};  // [option * stages + v]
  std::vector<std::uint32_t> class_of_{};
  std::vector<contents> classes_{};
  std::map<std::vector<std::uint32_t>, std::uint32_t> places_{};
  std::vector<candidate> found_{};
  candidate made_one_{};
  bool few_;
  function_ref<bool()> stop_;
  std::size_t asked_ = 0;
  bool gave_up_ = false;
  std::vector<made_stage> made_{};
};

inline std::size_t rank_options::find(const std::vector<std::uint32_t>& of) const {
  const auto found = places_.find(of);
  return found == places_.end() ? classes_.size() : found->second;
}

inline void rank_options::clear() {
  size_ = 0;
  made_.clear();
  classes_.clear();
  places_.clear();
}

inline bool rank_options::add(const choice_curves& curves, const std::vector<std::uint32_t>& of, double most) {
  const auto known = places_.find(of);
  if (known != places_.end()) return true;
  double memory = rules_.memory;
  double forward = 0;
  for (std::size_t v = 0; v < of.size(); ++v) {
    const stage_content& here = curves[of[v]];
    memory -= curves.resident(of[v], rules_.own_shared[v]);
    forward += here.forward + rules_.own_forward[v] + rules_.own_backward[v] + rules_.own_weight[v];
  }
  if (memory < 0 || forward > most) return false;
  found_.clear();
  std::vector<std::uint32_t> chosen(of.size());
  std::vector<double> left;
  for (const auto& moment : rules_.moments) {
    double here = memory;
    for (std::size_t v = 0; v < of.size(); ++v)
      here -= static_cast<double>(moment[v].in_flight) * rules_.own_activations[v];
    left.push_back(here);
  }
  choose(curves, of, 0, chosen, left, most - forward);
  if (found_.empty()) return false;
  places_.emplace(of, static_cast<std::uint32_t>(classes_.size()));
  const auto first = static_cast<std::uint32_t>(size_);
  size_ += found_.size();
  classes_.push_back({of, first, static_cast<std::uint32_t>(size_)});
  for (const candidate& each : found_) {
    for (std::size_t v = 0; v < of.size(); ++v) {
      made_.push_back({curves[of[v]].forward + rules_.own_forward[v], each.backward[v] + rules_.own_backward[v],
                       each.weight[v] + rules_.own_weight[v], each.points[v]});
    }
  }
  return true;
}

inline void rank_options::choose(const choice_curves& curves, const std::vector<std::uint32_t>& of, std::size_t v,
                                 std::vector<std::uint32_t>& chosen, const std::vector<double>& left, double time) {
  if (time < 0) return;
  if (++asked_ % 4096 == 0 && stop_ && stop_()) gave_up_ = true;
  if (gave_up_) return;
  if (v == of.size()) return take(curves, of, chosen);
  const std::vector<choice_point>& points = curves[of[v]].points;
  // With one kind of backward pass the last stage takes the fastest way that fits.
  const bool only_fastest = v + 1 == of.size() && kinds_ == 2 && curves[of[v]].falls;
  std::vector<double> rest = left;
  const std::size_t jump = few_ && !only_fastest ? points.size() / 8 + 1 : 1;
  for (std::size_t i = points.size(); i-- > 0;) {
    // A subset of ways includes the fastest, and those that need least memory.
    if ((points.size() - 1 - i) % jump != 0 && !points[i].is_lean) continue;
    bool fits = true;
    for (std::size_t w = 0; w < rest.size(); ++w) {
      const held_microbatches& held = rules_.moments[w][v];
      rest[w] = left[w] - rules_.room(v, held, points[i].workspace, points[i].peak, points[i].recomputed) -
                static_cast<double>(held.in_flight) * points[i].activations;
      fits = fits && rest[w] >= 0;
    }
    if (!fits) continue;
    chosen[v] = static_cast<std::uint32_t>(i);
    choose(curves, of, v + 1, chosen, rest, time - points[i].backward - points[i].weight);
    if (only_fastest) break;
  }
}

inline void rank_options::take(const choice_curves& curves, const std::vector<std::uint32_t>& of,
                               const std::vector<std::uint32_t>& chosen) {
  made_one_.points = chosen;
  made_one_.backward.clear();
  made_one_.weight.clear();
  for (std::size_t u = 0; u < of.size(); ++u) {
    made_one_.backward.push_back(curves[of[u]].points[chosen[u]].backward);
    made_one_.weight.push_back(curves[of[u]].points[chosen[u]].weight);
  }
  const auto covers = [](const candidate& a, const candidate& b) {
    for (std::size_t v = 0; v < a.backward.size(); ++v) {
      if (a.backward[v] > b.backward[v] || a.weight[v] > b.weight[v]) return false;
    }
    return true;
  };
  engine::add_to_front(found_, made_one_, covers);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
