// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/pareto_front.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/recompute_model.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// One way to run some layers: what they keep and need, and the time of their backward pass. The ways to run the same
/// layers are Pareto-optimal: none keeps less, needs less and is as fast as another.
struct choice_point {
  double activations;     // bytes per microbatch
  double backward;        // in integer units; I, where gradients run apart
  double weight;          // W, in the same units; else 0
  double workspace;       // bytes, for the layer that needs most
  std::uint32_t before;   // the point with one layer less
  std::uint32_t choice;   // how that layer runs
  bool is_lean;           // whether every point that keeps less needs more
  double peak = 0;        // bytes, for the layer that needs most in a whole backward pass, its workspace included
  double recomputed = 0;  // bytes per microbatch between I and W; 0 if gradients do not run apart
};

/// The layers of a stage, by their number of every type: positions do not matter.
struct stage_content {
  std::vector<std::uint32_t> counts;   // for every type
  double forward = 0;                  // in integer units
  double resident = 0;                 // bytes, including shared parameters
  std::vector<std::size_t> shared{};   // indices of these, each once
  std::uint32_t before = 0;            // the content with one layer less
  std::uint32_t type = 0;              // of that layer
  std::vector<choice_point> points{};  // by increasing activations
  bool falls = true;                   // whether more activations mean less time

  [[nodiscard]] std::size_t layers() const noexcept;
};

/// All ways to run any layers that a stage may have, built on demand.
///
/// The ways to run n layers combine those of n - 1 layers with each choice of the last one; dominated ones are dropped,
/// as a longer pass never shortens an iteration.
class choice_curves {
 public:
  /// @param splits  whether the schedule runs input and parameter gradients apart
  choice_curves(const recompute_model& model, const whole_times& unit, bool splits);

  /// Whether all layers are of one type, and may be cut anywhere.
  [[nodiscard]] bool alike() const noexcept { return alike_; }
  [[nodiscard]] const recompute_model& model() const noexcept { return model_; }
  [[nodiscard]] const stage_content& operator[](std::size_t content) const noexcept { return contents_[content]; }

  /// Returns the content of the layers `[first, last)`.
  [[nodiscard]] std::uint32_t of(std::size_t first, std::size_t last);

  /// Whether a cut is allowed there.
  [[nodiscard]] bool may_cut(std::size_t point) const noexcept { return !forbidden_[point]; }

  /// The resident bytes of a content on a stage that already has these shared parameters.
  [[nodiscard]] double resident(std::size_t content, const std::vector<std::size_t>& there) const;

  /// The number of layers of every type that run with each choice, as `[type][choice]`.
  [[nodiscard]] std::vector<std::vector<std::size_t>> counts_of(std::size_t content, std::size_t point) const;

 private:
  [[nodiscard]] std::uint32_t find(const std::vector<std::uint32_t>& counts);

  /// The content with one more layer of that type.
  std::uint32_t add(std::uint32_t before, std::size_t type);

  /// Drops dominated points.
  static void keep_best(std::vector<choice_point>& points);

  static constexpr std::size_t most_kept = 1500;  // layers: the contents of all intervals take 9 MB
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};

  const recompute_model& model_;
  const whole_times& unit_;
  bool splits_;
  bool alike_;
  std::vector<bool> forbidden_{};        // cut points
  std::vector<std::uint32_t> before_{};  // [type][i]: layers of the type before layer i
  std::vector<stage_content> contents_{};
  std::map<std::vector<std::uint32_t>, std::uint32_t> places_{};
  std::vector<std::uint32_t> by_length_{};
  std::vector<std::uint32_t> of_interval_{};  // [first * (n + 1) + last]
};

inline std::size_t stage_content::layers() const noexcept {
  std::size_t sum = 0;
  for (const std::uint32_t count : counts) sum += count;
  return sum;
}

inline choice_curves::choice_curves(const recompute_model& model, const whole_times& unit, bool splits)
    : model_(model), unit_(unit), splits_(splits), alike_(model.types.size() == 1 && model.forbidden_cuts.empty()) {
  const std::size_t n = model.layers.size();
  forbidden_.resize(n + 1);
  for (const std::size_t cut : model.forbidden_cuts) forbidden_[cut] = true;
  before_.assign(model.types.size() * (n + 1), 0);
  for (std::size_t t = 0; t < model.types.size(); ++t) {
    std::uint32_t* const sums = before_.data() + t * (n + 1);
    for (std::size_t i = 0; i < n; ++i) sums[i + 1] = sums[i] + (model.layers[i] == t ? 1U : 0U);
  }
  contents_.push_back({std::vector<std::uint32_t>(model.types.size())});
  contents_[0].points.push_back({0, 0, 0, 0, 0, 0, true});
  places_.emplace(contents_[0].counts, 0);
  by_length_.push_back(0);
  if (!alike_ && n <= most_kept) of_interval_.assign((n + 1) * (n + 1), unknown);
}

inline std::uint32_t choice_curves::of(std::size_t first, std::size_t last) {
  if (alike_) {
    while (by_length_.size() <= last - first) by_length_.push_back(add(by_length_.back(), 0));
    return by_length_[last - first];
  }
  const std::size_t n = model_.layers.size();
  const std::size_t place = first * (n + 1) + last;
  if (place < of_interval_.size() && of_interval_[place] != unknown) return of_interval_[place];
  std::vector<std::uint32_t> counts(model_.types.size());
  for (std::size_t t = 0; t < counts.size(); ++t) {
    counts[t] = before_[t * (n + 1) + last] - before_[t * (n + 1) + first];
  }
  const std::uint32_t found = find(counts);
  if (place < of_interval_.size()) of_interval_[place] = found;
  return found;
}

inline std::vector<std::vector<std::size_t>> choice_curves::counts_of(std::size_t content, std::size_t point) const {
  std::vector<std::vector<std::size_t>> result;
  for (const layer_type& type : model_.types) result.emplace_back(type.choices.size());
  while (content != 0) {
    const stage_content& here = contents_[content];
    ++result[here.type][here.points[point].choice];
    point = here.points[point].before;
    content = here.before;
  }
  return result;
}

inline double choice_curves::resident(std::size_t content, const std::vector<std::size_t>& there) const {
  const stage_content& here = contents_[content];
  double bytes = here.resident;
  for (const std::size_t each : here.shared) {
    if (std::find(there.begin(), there.end(), each) != there.end()) bytes -= model_.shared[each];
  }
  return bytes;
}

inline std::uint32_t choice_curves::find(const std::vector<std::uint32_t>& counts) {
  const auto found = places_.find(counts);
  if (found != places_.end()) return found->second;
  std::vector<std::uint32_t> fewer = counts;
  std::size_t last = counts.size();
  while (fewer[last - 1] == 0) --last;
  --fewer[last - 1];
  return add(find(fewer), last - 1);
}

inline std::uint32_t choice_curves::add(std::uint32_t before, std::size_t type) {
  const layer_type& added = model_.types[type];
  const stage_content& old = contents_[before];
  stage_content made{old.counts};
  ++made.counts[type];
  made.forward = old.forward + unit_.whole(added.forward);
  made.resident = old.resident + added.resident;
  made.shared = old.shared;
  for (const std::size_t each : added.shared) {
    if (std::find(made.shared.begin(), made.shared.end(), each) != made.shared.end()) continue;
    made.shared.push_back(each);
    made.resident += model_.shared[each];
  }
  made.before = before;
  made.type = static_cast<std::uint32_t>(type);
  for (std::size_t p = 0; p < old.points.size(); ++p) {
    for (std::size_t r = 0; r < added.choices.size(); ++r) {
      const recompute_choice& way = added.choices[r];
      const double weight = splits_ ? unit_.whole(way.backward_weight) : 0;
      const choice_point& from = old.points[p];
      double workspace = from.workspace < added.workspace ? added.workspace : from.workspace;
      workspace = std::max(workspace, way.workspace);
      made.points.push_back({from.activations + way.activations, from.backward + unit_.whole(way.backward) - weight,
                             from.weight + weight, workspace, static_cast<std::uint32_t>(p),
                             static_cast<std::uint32_t>(r), true,
                             std::max(from.peak, std::max(added.workspace, way.workspace) + way.recomputed_whole),
                             from.recomputed + (splits_ ? way.recomputed_apart : 0)});
    }
  }
  keep_best(made.points);
  choice_point least = made.points[0];
  for (std::size_t p = 1; p < made.points.size(); ++p) {
    choice_point& here = made.points[p];
    made.falls = made.falls && here.backward < made.points[p - 1].backward;
    here.is_lean = here.workspace < least.workspace || here.peak < least.peak || here.recomputed < least.recomputed;
    least.workspace = std::min(least.workspace, here.workspace);
    least.peak = std::min(least.peak, here.peak);
    least.recomputed = std::min(least.recomputed, here.recomputed);
  }
  const auto place = static_cast<std::uint32_t>(contents_.size());
  places_.emplace(made.counts, place);
  contents_.push_back(std::move(made));
  return place;
}

inline void choice_curves::keep_best(std::vector<choice_point>& points) {
  const auto before = [](const choice_point& a, const choice_point& b) {
    if (a.activations != b.activations) return a.activations < b.activations;
    if (a.backward != b.backward) return a.backward < b.backward;
    if (a.weight != b.weight) return a.weight < b.weight;
    if (a.workspace != b.workspace) return a.workspace < b.workspace;
    return a.peak != b.peak ? a.peak < b.peak : a.recomputed < b.recomputed;
  };
  const auto dominates = [](const choice_point& a, const choice_point& b) {
    return a.backward <= b.backward && a.weight <= b.weight && a.workspace <= b.workspace && a.peak <= b.peak &&
           a.recomputed <= b.recomputed;
  };
  bool flat = true;  // then the last one kept is the fastest so far
  for (const choice_point& point : points) {
    flat = flat && point.weight == points[0].weight && point.workspace == points[0].workspace &&
           point.peak == points[0].peak && point.recomputed == points[0].recomputed;
  }
  engine::keep_front(points, engine::front_rule{before, dominates, flat});
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
