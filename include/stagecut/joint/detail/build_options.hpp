// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/joint/detail/choice_curves.hpp>
#include <stagecut/joint/detail/link_options.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/rank_options.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Builds the graph of all options that a plan may have.
///
/// If all layers are equal, a node is the number of layers of the earlier ranks: their positions do not matter.
/// Otherwise, and if cut points have ranges, it is the positions of all cut points between stages of earlier ranks and
/// stages of later ones.
class option_builder {
 public:
  /// The first and the last position of a cut point.
  struct range {
    std::size_t first;
    std::size_t last;
  };

  /// @param least    the fewest layers of every stage
  /// @param longest  the most layers of a stage
  /// @param most     limit of the work of a microbatch on a rank, in integer units
  /// @param ranges   of all cut points, including both ends; empty: anywhere
  /// @param few      whether a subset of the ways to run the same layers suffices
  /// @param stop     called often where nodes are cut points; true: give up
  option_builder(choice_curves& curves, const schedule& order, const std::vector<rank_rules>& rules, bool splits,
                 std::vector<std::size_t> least, std::size_t longest, double most, std::vector<range> ranges = {},
                 bool few = false, function_ref<bool()> stop = {});

  /// More edges or options than this take too long: it gives up.
  static constexpr std::size_t most_edges = 1'000'000;
  static constexpr std::size_t most_options = 300'000;

  /// Returns the graph. Without edges there is no plan, or it gave up, see `complete()`.
  option_graph build();
  [[nodiscard]] bool complete() const noexcept { return complete_; }

 private:
  using label = std::vector<std::uint32_t>;

  void add_step(std::size_t r);

  /// Adds all numbers of layers of the stages of a rank, whatever the earlier ranks have.
  template <class Node>
  void add_alike(std::size_t r, const Node& node) {
    rank_options& rank = result_.ranks[r];
    std::vector<std::uint32_t> of(rank.stages());
    std::vector<std::size_t> totals;
    const auto all = [&](const auto& self, std::size_t v, std::size_t used) -> void {
      if (is_too_much(rank)) complete_ = false;
      if (!complete_) return;
      if (v == of.size()) {
        if (rank.add(curves_, of, most_) && keys_[r].size() < rank.classes().size()) keys_[r].push_back(used);
        return;
      }
      for (std::size_t n = least_[rank.stage(v)]; n <= longest_ && used + n <= layers(); ++n) {
        of[v] = curves_.of(0, n);
        if (!may_fit(r, v, of[v])) break;
        self(self, v + 1, used + n);
      }
    };
    all(all, 0, 0);
    std::vector<char> known(layers() + 1);
    for (const std::size_t key : keys_[r]) known[key] = 1;
    for (std::uint32_t u = 0; u < labels_[r].size(); ++u) {
      const std::size_t used = r == 0 ? 0 : labels_[r][u][0];
      for (std::size_t n = 0; used + n <= layers(); ++n) {
        if (known[n] == 0 || (r + 1 == result_.ranks.size() && used + n != layers())) continue;
        arcs_of(r).push_back({u, node({static_cast<std::uint32_t>(used + n)}), static_cast<std::uint32_t>(n)});
      }
    }
  }

  [[nodiscard]] static bool is_too_much(const rank_options& rank) {
    return rank.size() > most_options || rank.gave_up();
  }

  /// Whether a single stage fits; if not, no longer stage does.
  [[nodiscard]] bool may_fit(std::size_t r, std::size_t v, std::uint32_t content) const;

  /// Adds all cut points around the stages of a rank that are compatible with those of a node.
  template <class Node>
  void add_cuts(std::size_t r, std::uint32_t u, const Node& node) {
    const std::size_t stages = order_.stages();
    std::vector<std::uint32_t> cut(stages + 1, unknown);
    cut[0] = 0;
    cut[stages] = static_cast<std::uint32_t>(layers());
    std::size_t place = 0;
    for (std::size_t c = 1; c < stages; ++c) {
      if (crosses(c, r)) cut[c] = labels_[r][u][place++];
    }
    choose_cut(r, u, 0, cut, node);
  }

  /// Whether a cut point lies between a stage of a rank before r and one of another rank.
  [[nodiscard]] bool crosses(std::size_t c, std::size_t r) const noexcept {
    return (order_.rank_of[c - 1] < r) != (order_.rank_of[c] < r);
  }

  template <class Node>
  void choose_cut(std::size_t r, std::uint32_t u, std::size_t v, std::vector<std::uint32_t>& cut, const Node& node) {
    rank_options& rank = result_.ranks[r];
    if (arcs_of(r).size() > most_edges || is_too_much(rank) || (++asked_ % 1024 == 0 && stop_ && stop_()))
      complete_ = false;
    if (!complete_) return;
    if (v == rank.stages()) return add_edge(r, u, cut, node);
    const std::size_t s = rank.stage(v);
    const bool first_known = cut[s] != unknown;
    const bool last_known = cut[s + 1] != unknown;
    const std::size_t n = layers();
    // Stages before and after need their layers too.
    const std::size_t first_min = first_known                           ? cut[s]
                                  : last_known && cut[s + 1] > longest_ ? cut[s + 1] - longest_
                                                                        : least_before_[s];
    const std::size_t first_max = first_known ? cut[s] : n - least_between(s, order_.stages());
    for (std::size_t first = first_min; first <= first_max; ++first) {
      const std::size_t last_min = last_known ? cut[s + 1] : first + least_[s];
      const std::size_t last_max = last_known ? cut[s + 1] : first + longest_ < n ? first + longest_ : n;
      if (first < ranges_[s].first || first > ranges_[s].last || (s != 0 && !curves_.may_cut(first))) continue;
      for (std::size_t last = last_min; last <= last_max; ++last) {
        if (last < ranges_[s + 1].first || last > ranges_[s + 1].last || last < first + least_[s] ||
            last > first + longest_ || !in_order(s, first, last, cut) ||
            (s + 1 != order_.stages() && !curves_.may_cut(last)))
          continue;
        if (!may_fit(r, v, curves_.of(first, last))) break;
        const auto kept_first = cut[s];
        const auto kept_last = cut[s + 1];
        cut[s] = static_cast<std::uint32_t>(first);
        cut[s + 1] = static_cast<std::uint32_t>(last);
        choose_cut(r, u, v + 1, cut, node);
        cut[s] = kept_first;
        cut[s + 1] = kept_last;
      }
    }
  }

  /// Whether known cut points leave enough layers, and not too many, for the stages between.
  [[nodiscard]] bool in_order(std::size_t s, std::size_t first, std::size_t last,
                              const std::vector<std::uint32_t>& cut) const;

  template <class Node>
  void add_edge(std::size_t r, std::uint32_t u, const std::vector<std::uint32_t>& cut, const Node& node) {
    rank_options& rank = result_.ranks[r];
    std::vector<std::uint32_t> of;
    for (std::size_t v = 0; v < rank.stages(); ++v) {
      of.push_back(curves_.of(cut[rank.stage(v)], cut[rank.stage(v) + 1]));
    }
    if (!rank.add(curves_, of, most_)) return;
    const std::size_t place = rank.find(of);
    if (keys_[r].size() < rank.classes().size()) keys_[r].push_back(place);
    label to;
    for (std::size_t c = 1; c < order_.stages(); ++c) {
      if (crosses(c, r + 1)) to.push_back(cut[c]);
    }
    arcs_of(r).push_back({u, node(to), static_cast<std::uint32_t>(place)});
  }

  [[nodiscard]] std::size_t least_between(std::size_t first, std::size_t last) const {
    return least_before_[last] - least_before_[first];
  }
  [[nodiscard]] std::size_t layers() const noexcept { return curves_.model().layers.size(); }
  std::vector<option_arc>& arcs_of(std::size_t r);

  static constexpr std::uint32_t unknown = ~std::uint32_t{0};

  choice_curves& curves_;
  const schedule& order_;
  std::vector<std::size_t> least_;
  std::vector<std::size_t> least_before_{0};  // for every stage, of all before it
  std::size_t longest_;
  double most_;
  bool counts_alone_;  // whether nodes are numbers of layers
  std::vector<range> ranges_;
  function_ref<bool()> stop_;
  std::size_t asked_ = 0;
  option_graph result_{};
  std::vector<std::vector<label>> labels_{};  // for every boundary and node
  std::vector<std::vector<option_arc>> arcs_{};
  std::vector<std::vector<std::size_t>> keys_{};  // for every rank and class
  bool complete_ = true;
};

inline option_builder::option_builder(choice_curves& curves, const schedule& order,
                                      const std::vector<rank_rules>& rules, bool splits, std::vector<std::size_t> least,
                                      std::size_t longest, double most, std::vector<range> ranges, bool few,
                                      function_ref<bool()> stop)
    : curves_(curves),
      order_(order),
      least_(std::move(least)),
      longest_(longest),
      most_(most),
      counts_alone_(curves.alike() && ranges.empty()),
      ranges_(std::move(ranges)),
      stop_(stop) {
  for (const std::size_t each : least_) least_before_.push_back(least_before_.back() + each);
  if (ranges_.empty()) ranges_.assign(order.stages() + 1, {0, layers()});
  for (const rank_rules& each : rules) result_.ranks.emplace_back(each, splits, few, stop);
  result_.steps.resize(rules.size());
}

inline option_graph option_builder::build() {
  keys_.resize(result_.ranks.size());
  labels_.push_back({label{}});
  for (std::size_t r = 0; r < result_.ranks.size() && complete_; ++r) add_step(r);
  if (!complete_) return {};
  std::vector<std::uint32_t> nodes;
  for (const auto& each : labels_) nodes.push_back(static_cast<std::uint32_t>(each.size()));
  arcs_.resize(result_.ranks.size());
  link_options(result_, nodes, arcs_, keys_);
  return std::move(result_);
}

inline void option_builder::add_step(std::size_t r) {
  std::map<label, std::uint32_t> next;
  std::vector<label> reached;
  const auto node = [&](const label& to) {
    const auto [place, is_new] = next.emplace(to, static_cast<std::uint32_t>(reached.size()));
    if (is_new) reached.push_back(to);
    return place->second;
  };
  if (counts_alone_) {
    add_alike(r, node);
  } else {
    for (std::uint32_t u = 0; u < labels_[r].size() && complete_; ++u) add_cuts(r, u, node);
  }
  labels_.push_back(std::move(reached));
}

inline bool option_builder::may_fit(std::size_t r, std::size_t v, std::uint32_t content) const {
  const stage_content& here = curves_[content];
  const rank_rules& rules = result_.ranks[r].rules();
  double least = here.points[0].backward + here.points[0].weight;
  for (const choice_point& point : here.points) {
    least = point.backward + point.weight < least ? point.backward + point.weight : least;
  }
  if (here.forward + least > most_) return false;
  const double resident = curves_.resident(content, rules.own_shared[v]);
  for (const auto& moment : rules.moments) {
    if (resident + static_cast<double>(moment[v].in_flight) * here.points[0].activations > rules.memory) return false;
  }
  return true;
}

inline bool option_builder::in_order(std::size_t s, std::size_t first, std::size_t last,
                                     const std::vector<std::uint32_t>& cut) const {
  std::size_t c = s;
  while (c > 0 && cut[c - 1] == unknown) --c;
  if (c > 0 && (first < cut[c - 1] + least_between(c - 1, s) || first > cut[c - 1] + (s - c + 1) * longest_))
    return false;
  c = s + 1;
  while (c < order_.stages() && cut[c + 1] == unknown) ++c;
  if (c < order_.stages()) {
    const std::size_t between = c - s;
    if (last + least_between(s + 1, c + 1) > cut[c + 1] || last + between * longest_ < cut[c + 1]) return false;
  }
  return true;
}

inline std::vector<option_arc>& option_builder::arcs_of(std::size_t r) {
  if (arcs_.size() <= r) arcs_.resize(r + 1);
  return arcs_[r];
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
