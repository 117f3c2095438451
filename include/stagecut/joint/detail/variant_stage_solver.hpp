// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/joint/detail/variant_choice.hpp>
#include <stagecut/joint/detail/variant_points.hpp>
#include <stagecut/joint/detail/variant_stage_table.hpp>
#include <stagecut/joint/detail/variant_tables.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds the least time of a stage with a number of microbatches in flight, and remembers it.
class variant_stage_solver {
 public:
  using fact = variant_stage_facts::fact;

  /// @param exchanged  bytes that a device sends in the time of all microbatches of an iteration that take a second each
  variant_stage_solver(const variant_tables& tables, const variant_points& points, double exchanged)
      : tables_(tables), points_(points), exchanged_(exchanged) {
    for (const auto& layer : tables.layers) {
      for (const auto& each : layer) {
        varies_ = varies_ || !each.more_parameters.empty();
        differ_ = differ_ || each.varies();
      }
    }
  }

  /// Bytes of a device from now on.
  void set_memory(const std::optional<double>& memory) {
    if (memory == memory_) return;
    memory_ = memory;
    limit_ = memory ? tables_.bytes.whole_below(*memory) : std::numeric_limits<std::int64_t>::max() / 2;
    table_.clear();
  }

  /// Goes to a stage on some devices.
  void look_at(std::size_t first, std::size_t last, std::size_t t, std::size_t replicas) {
    key_ = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last), static_cast<std::uint32_t>(t),
            varies_ ? static_cast<std::uint32_t>(replicas) : 0};
    is_listed_ = false;
    replicas_ = replicas;
    facts_ = table_.find(key_);
    if (facts_ != nullptr) return;
    own_ = {};
    own_.key = key_;
    own_.parameters = points_.between(first, last, t).parameters;
    own_.time = points_.between(first, last, t).time;
    points_.each_layer(first, last, [&](std::size_t v) {
      const auto& each = tables_.layers[v][t];
      for (std::size_t e = 0; e < each.cut.size(); ++e) own_.time += is_cut(v, e) ? each.cut[e] : 0;
    });
    facts_ = table_.put(own_);
    if (facts_ == nullptr) facts_ = &own_;
  }

  /// Time of a microbatch where its layers take so long beyond the fastest.
  [[nodiscard]] double time(std::int64_t more, std::size_t replicas) const noexcept {
    return time_of(facts_->time + more, facts_->parameters, replicas);
  }
  [[nodiscard]] double time_of(std::int64_t time, std::int64_t parameters, std::size_t replicas) const noexcept {
    const double others = static_cast<double>(replicas - 1);
    return (tables_.times.figure(time) + 4 * others * tables_.parameters.figure(parameters) / exchanged_) /
           static_cast<double>(replicas);
  }

  /// A way to run the stage with `held` microbatches in flight that takes at most `most`: the fastest, or any.
  [[nodiscard]] std::optional<fact> solve(std::int64_t held, std::size_t replicas, double most, bool fastest = true) {
    std::int64_t least = 0;
    for (const fact& each : facts_->known) {
      if (each.solves(held)) return within(each, replicas, most);
      if (!fastest && each.room >= held && time(each.figures.time, replicas) <= most) return each;
      if (each.held <= held && each.least > least) least = each.least;
    }
    if (least == variant_choice::none || !(time(least, replicas) <= most)) return std::nullopt;
    list_groups();
    fact made;
    made.held = held;
    made.least = choice_.prepare(held, limit_) ? choice_.bound() : variant_choice::none;
    if (made.least == variant_choice::none || !(time(made.least, replicas) <= most)) {
      facts_->known.push_back(made);
      return std::nullopt;
    }
    if (fastest || !(time(choice_.choose(), replicas) <= most)) made.least = choice_.solve();
    made.figures = choice_.sum();
    made.room = room_of(made.figures);
    facts_->known.push_back(made);
    return within(made, replicas, most);
  }

  /// The same, any with as many microbatches as possible, from `least` to `most_held`.
  [[nodiscard]] std::optional<fact> solve_roomiest(std::int64_t least, std::int64_t most_held, std::size_t replicas,
                                                   double most) {
    std::optional<fact> best = solve(least, replicas, most, false);
    if (!best || best->room >= most_held) return best;
    if (const auto all = solve(most_held, replicas, most, false)) return all;
    std::int64_t beyond = most_held;
    while (best->room + 1 < beyond) {
      const std::int64_t middle = best->room + (beyond - best->room) / 2;
      if (auto here = solve(middle, replicas, most, false))
        best = here;
      else
        beyond = middle;
    }
    return best;
  }

  /// Whether layers may be so that `held` microbatches fit, as far as sums tell.
  [[nodiscard]] bool may_hold(const variant_points::sums& sums, std::int64_t held) const noexcept {
    return sums.least_one + (held - 1) * sums.least_more <= limit_;
  }
  /// How many fit if all layers run in the fastest way, and that is the same on every stage; 0 if it is not.
  [[nodiscard]] std::int64_t room_of_fastest(const variant_points::sums& sums) const noexcept {
    return differ_ ? 0 : room_of(sums.fastest);
  }

  /// Which variant each layer of the stage has, ascending, as they were chosen for `held` microbatches; none if they do not
  /// fit.
  [[nodiscard]] std::vector<std::size_t> variants(std::int64_t held) {
    list_groups();
    std::vector<std::vector<std::size_t>> of_group(members_.size());
    if (!choice_.prepare(held, limit_)) return {};
    static_cast<void>(choice_.solve());
    std::vector<std::pair<std::size_t, std::size_t>> result;  // layer, variant
    for (std::size_t g = 0; g < members_.size(); ++g) {
      const std::vector<std::size_t> chosen = choice_.variants_of(g);
      for (std::size_t i = 0; i < members_[g].size(); ++i) result.emplace_back(members_[g][i], chosen[i]);
    }
    const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
    detail::sort(result, before);
    std::vector<std::size_t> variants;
    for (const auto& each : result) variants.push_back(each.second);
    return variants;
  }

 private:
  [[nodiscard]] bool is_cut(std::size_t v, std::size_t e) const noexcept {
    const std::size_t other = tables_.neighbours[v][e];
    return points_.holds(key_.first, other) || !points_.holds(key_.last, other);
  }
  [[nodiscard]] std::optional<fact> within(const fact& each, std::size_t replicas, double most) const {
    return time(each.figures.time, replicas) <= most ? std::optional<fact>(each) : std::nullopt;
  }
  [[nodiscard]] std::int64_t room_of(const variant_figures& figures) const noexcept {
    if (figures.activations == 0 || !memory_) {
      return figures.resident <= limit_ ? std::numeric_limits<std::int64_t>::max() : 0;
    }
    return figures.resident <= limit_ ? (limit_ - figures.resident) / figures.activations : 0;
  }

  /// Puts the layers of the stage into groups of equal figures.
  void list_groups() {
    if (is_listed_) return;
    is_listed_ = true;
    choice_.clear();
    members_.clear();
    slot_.assign(tables_.groups.size(), 0);
    own_figures_.clear();
    points_.each_layer(key_.first, key_.last, [&](std::size_t v) {
      const auto& each = tables_.layers[v][key_.ways];
      if (differs(v, each)) {
        own_figures_.push_back(figures_of(v, each));
        members_.push_back({v});
        return;
      }
      std::size_t& slot = slot_[each.alike];
      if (slot == 0) {
        members_.emplace_back();
        slot = members_.size();
      }
      members_[slot - 1].push_back(v);
    });
    std::size_t own = 0;
    for (const auto& layers : members_) {
      const auto& each = tables_.layers[layers[0]][key_.ways];
      const bool alone = differs(layers[0], each);
      choice_.add(alone ? view<const variant_figures>(own_figures_[own])
                        : view<const variant_figures>(tables_.groups[each.alike]),
                  layers.size());
      own += alone ? 1 : 0;
    }
  }

  /// Whether what a layer sends or exchanges here depends on its variant.
  [[nodiscard]] bool differs(std::size_t v, const variant_tables::divided& each) const {
    if (!each.more_parameters.empty() && replicas_ > 1) return true;
    if (each.more_cut.empty()) return false;
    for (std::size_t e = 0; e < each.cut.size(); ++e) {
      if (is_cut(v, e)) return true;
    }
    return false;
  }

  [[nodiscard]] std::vector<variant_figures> figures_of(std::size_t v, const variant_tables::divided& each) const {
    std::vector<variant_figures> result = each.variants;
    for (std::size_t r = 0; r < result.size(); ++r) {
      for (std::size_t e = 0; e < each.cut.size() && !each.more_cut.empty(); ++e) {
        result[r].time += is_cut(v, e) ? each.more_cut[r][e] : 0;
      }
      if (each.more_parameters.empty()) continue;
      const double others = static_cast<double>(replicas_ - 1);
      result[r].time += tables_.times.whole(4 * others * each.more_parameters[r] / exchanged_);
    }
    return result;
  }

  const variant_tables& tables_;
  const variant_points& points_;
  double exchanged_;
  bool varies_ = false;  // whether what layers exchange depends on their variants
  bool differ_ = false;  // whether what they exchange or send does
  std::optional<double> memory_{};
  std::int64_t limit_ = std::numeric_limits<std::int64_t>::max() / 2;
  variant_stage_table table_{};
  variant_stage_key key_{};
  std::size_t replicas_ = 1;
  bool is_listed_ = false;
  variant_stage_facts own_{};
  variant_stage_facts* facts_ = nullptr;
  variant_choice choice_{};
  std::vector<std::vector<std::size_t>> members_{};  // of each group
  std::vector<std::size_t> slot_{};                  // of each group of the tables, the number here plus 1
  std::vector<std::vector<variant_figures>> own_figures_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
