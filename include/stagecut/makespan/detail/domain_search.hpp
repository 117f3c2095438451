// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/makespan/detail/chain_ticks.hpp>
#include <stagecut/makespan/detail/cut_rules.hpp>
#include <stagecut/makespan/detail/cut_simulator.hpp>
#include <stagecut/makespan/detail/incumbent.hpp>
#include <stagecut/makespan/detail/point_times.hpp>
#include <stagecut/makespan/detail/row_bounds.hpp>
#include <stagecut/makespan/detail/path_game.hpp>
#include <stagecut/makespan/detail/search_clock.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline v0::detail {

/// Branch and bound on where cut points may lie: a part of all cuts is a domain for every point, its bound the largest
/// least of critical paths, and of a combination of them, over the cuts of the part. Knows nothing of the schedule but paths.
/// See docs/makespan.md, Bounds, Domains, and The search.
class domain_search {
 public:
  /// @param best  with a cut; its bound is raised, and better cuts are offered
  domain_search(const chain_ticks& chain, const schedule& order, const cut_rules& rules, cut_simulator& simulator,
                search_clock& clock, incumbent& best)
      : chain_(chain),
        order_(order),
        rules_(rules),
        simulator_(simulator),
        clock_(clock),
        best_(best),
        times_(chain),
        bounds_(times_),
        rows_(times_),
        game_(times_, bounds_),
        margin_(times_.margin(order.microbatches * order.slices, false)) {}

  /// Begins with all cuts.
  void begin(std::size_t items) {
    nodes_.clear();
    point_domains all(items, order_.stages());
    rows_.set(0, std::vector<double>(rows_.length(), 0));  // the combination of the node that is looked at
    learn(best_.points());
    node root{0, std::move(all), {}, true};
    combine(root, root_steps);
    push(std::move(root));
    raise();
  }

  /// Looks at so many parts, or until the bound meets the best.
  void run(std::size_t parts) {
    for (std::size_t i = 0; i < parts && !nodes_.empty() && !best_.proved() && !clock_.over(); ++i) {
      node now = pop();
      ++clock_.state.nodes;
      if (now.bound > target()) {
        nodes_.clear();
        break;
      }
      look(now);
      raise();
    }
    if (nodes_.empty() && !clock_.look()) best_.raise(best_.makespan());
  }

  std::size_t open() const { return nodes_.size(); }
  double bound() const { return nodes_.empty() ? best_.makespan() : nodes_[0].bound; }

 private:
  std::size_t root_steps = getenv("RS")?atoi(getenv("RS")):600;
  std::size_t most_rows = getenv("MR")?atoi(getenv("MR")):160;
  double dv = getenv("DV")?atof(getenv("DV")):2;
  int branch_by = getenv("BB") ? atoi(getenv("BB")) : 1;
  std::size_t node_steps = getenv("NS") ? atoi(getenv("NS")) : 40;

  /// Cuts that are left.
  struct node {
    double bound;  // none has less
    point_domains domains;
    std::vector<double> combination;  // the factors of a row; none: empty
    bool combines;                    // whether a new combination was worth its time before
  };

  [[nodiscard]] double target() const { return best_.makespan() - chain_.step(); }
  [[nodiscard]] double certain(double least) const { return least - margin_; }

  /// A heap by bound.
  void push(node&& added) {
    std::size_t at = nodes_.size();
    nodes_.push_back(std::move(added));
    for (; at > 0 && nodes_[at].bound < nodes_[(at - 1) / 2].bound; at = (at - 1) / 2) {
      std::swap(nodes_[at], nodes_[(at - 1) / 2]);
    }
  }
  [[nodiscard]] node pop() {
    node result = std::move(nodes_[0]);
    if (nodes_.size() > 1) nodes_[0] = std::move(nodes_.back());
    nodes_.pop_back();
    for (std::size_t at = 0;;) {
      std::size_t least = at;
      for (std::size_t child = 2 * at + 1; child < 2 * at + 3 && child < nodes_.size(); ++child) {
        if (nodes_[child].bound < nodes_[least].bound) least = child;
      }
      if (least == at) return result;
      std::swap(nodes_[at], nodes_[least]);
      at = least;
    }
  }

  /// All cuts not worse than the best lie in parts that are left.
  void raise() {
    if (!nodes_.empty()) best_.raise(whole(nodes_[0].bound));
  }
  [[nodiscard]] static double whole(double value) {
    const auto down = static_cast<double>(static_cast<std::int64_t>(value));
    return value < 0 ? 0 : down < value ? down + 1 : down;
  }

  /// Simulates a cut and keeps its critical path, and says where; 0: it was there.
  std::size_t learn(const std::vector<std::size_t>& points) {
    const double makespan = simulator_(points);
    clock_.state.simulations = simulator_.simulations;
    if (makespan < best_.makespan() && allowed_cut(order_, rules_, points)) best_.offer(points, makespan);
    return keep_critical_path();
  }
  std::size_t keep_critical_path() {
    simulator_.count_critical(counts_);
    times_.factors(counts_, factors_);
    for (std::size_t k = 1; k < rows_.size(); ++k) {
      bool same = true;
      for (std::size_t i = 0; i < rows_.length() && same; ++i) same = rows_.factor(k, i) == factors_[i];
      if (same) return 0;
    }
    std::size_t place = rows_.size();
    if (place == most_rows) {
      place = 1;
      for (std::size_t k = 1; k < rows_.size(); ++k) {
        uses_[k] = 0.98 * uses_[k] + game_.weight(k) * 10;
        place = uses_[k] < uses_[place] ? k : place;
      }
    }
    rows_.set(place, factors_);
    uses_.resize(rows_.size());
    uses_[place] = 4;
    return place;
  }

  /// Looks for a combination of paths that bounds the cuts of a part.
  void combine(node& of, std::size_t steps) {
    rows_.set(0, of.combination.empty() ? first_row() : of.combination);
    game_.begin(rows_, of.domains);
    for (std::size_t step = 0; step < steps && !(game_.bound > target() + margin_) && !clock_.over(); ++step) {
      const bool new_cut = game_.step(rows_, of.domains);
      if (new_cut) {
        if (const std::size_t row = learn(game_.cuts.back()); row != 0) game_.update(rows_, row);
      }
      if (game_.cut_weights.empty()) continue;
      mean_.assign(times_.stages() * tick_kinds, 0);
      for (std::size_t c = 0; c < game_.cut_weights.size(); ++c) {
        if (game_.cut_weights[c] == 0) continue;
        for (std::size_t s = 0; s < times_.stages(); ++s) {
          const std::size_t first = game_.cuts[c][s];
          const std::size_t last = game_.cuts[c][s + 1];
          for (std::size_t kind = 0; kind < tick_kinds; ++kind) {
            mean_[s * tick_kinds + kind] += game_.cut_weights[c] * (kind == tick_message ? chain_.message(s, last) : chain_.pass(kind, s, first, last));
          }
        }
      }
      const double most = simulator_.of_times(mean_);
      const std::size_t row = keep_critical_path();
      if (row != 0) game_.update(rows_, row);
      if (getenv("V") && steps > 100 && step % 100 == 99) printf("  step %zu bound %.4g of %.4g  rows %zu cuts %zu\n", step, game_.bound/best_.makespan(), most/best_.makespan(), rows_.size(), game_.cuts.size());
      if (most - game_.bound < (best_.makespan() - game_.bound) / (steps == root_steps ? 20 : dv)) break;
    }
    if (game_.factors.empty()) return;
    of.combination = game_.factors;
    const double bound = certain(game_.bound);
    of.bound = of.bound < bound ? bound : of.bound;
  }

  [[nodiscard]] std::vector<double> first_row() const {
    std::vector<double> result(rows_.length());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = rows_.factor(1, i);
    return result;
  }

  /// Bounds a part by all rows, leaves out places that no good cut has; returns whether anything is left.
  bool filter(node& now) {
    for (int round = 0; round < 4; ++round) {
      bounds_.begin(now.domains);
      rows_.set(0, now.combination.empty() ? first_row() : now.combination);
      double most = 0;
      std::size_t decides = 0;
      for (std::size_t g = 0; g < rows_.groups(); ++g) {
        double least[row_bounds::lanes];
        bounds_.sweep(rows_, g, least);
        for (std::size_t l = 0; l < row_bounds::lanes && g * row_bounds::lanes + l < rows_.size(); ++l) {
          if (least[l] > most) most = least[l], decides = g * row_bounds::lanes + l;
        }
        if (certain(most) > target()) break;
        bounds_.mark();
      }
      uses_[decides] += 1;
      decides_ = decides;
      now.bound = now.bound < certain(most) ? certain(most) : now.bound;
      if (now.bound > target()) return false;
      bool changed = false;
      for (std::size_t j = 1; j < times_.stages(); ++j) {
        std::uint32_t low = now.domains.low[j];
        std::uint32_t high = now.domains.high[j];
        while (low <= high && certain(bounds_.at(j, low)) > target()) ++low;
        while (high > low && certain(bounds_.at(j, high)) > target()) --high;
        if (low > high) return false;
        changed = changed || low != now.domains.low[j] || high != now.domains.high[j];
        now.domains.low[j] = low;
        now.domains.high[j] = high;
      }
      if (!changed) return true;
      if (!now.domains.tighten()) return false;
    }
    return filter_last(now);
  }
  bool filter_last(node& now) {
    bounds_.begin(now.domains);
    for (std::size_t g = 0; g < rows_.groups(); ++g) {
      double least[row_bounds::lanes];
      bounds_.sweep(rows_, g, least);
      bounds_.mark();
    }
    return true;
  }

  void look(node& now) {
    if (!filter(now)) return;
    if (now.combines) {
      const double before = now.bound;
      combine(now, node_steps);
      if (getenv("V") && clock_.state.nodes < 40) printf("node %zu in %.4f combined %.4f\n", clock_.state.nodes, before/best_.makespan(), now.bound/best_.makespan());
      now.combines = true;
      if (now.bound > target() || !filter(now)) return;
    }
    std::vector<double> row(rows_.length());
    for (int again = 0; again < 3; ++again) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = rows_.factor(decides_, i);
      static_cast<void>(bounds_.least(row, now.domains, points_));
      const std::size_t rows = rows_.size();
      const double before = now.bound;
      learn(points_);
      if (now.domains.single()) return;
      if (!filter(now)) return;
      if (rows == rows_.size() || now.bound - before < (target() - before) / 20) break;
    }
    branch(now);
  }

  /// Splits the domain of the point, at the place, where both parts gain.
  void branch(node& now) {
    double most = 0;
    std::size_t point = 0;
    std::size_t place = 0;
    const double room = best_.makespan() - now.bound;
    for (std::size_t j = 1; j < times_.stages(); ++j) {
      const std::size_t low = now.domains.low[j];
      if (low == now.domains.high[j]) continue;
      spread_.assign(now.domains.high[j] - low + 1, 0);
      double all = 0;
      double share = 0;
      for (std::size_t c = 0; c < game_.cut_weights.size(); ++c) {
        const std::size_t y = game_.cuts[c][j];
        if (y < low || y > now.domains.high[j]) continue;
        spread_[y - low] += game_.cut_weights[c];
        share += game_.cut_weights[c];
        all += game_.cut_weights[c] * position(j, y);
      }
      double before = 0;
      double sum = 0;
      for (std::size_t y = low; y < now.domains.high[j]; ++y) {
        before += spread_[y - low];
        sum += spread_[y - low] * position(j, y);
        if (before < 1e-6 || before > share - 1e-6) continue;
        const double apart = (all - sum) / (share - before) - sum / before;
        const double item = position(j, y + 1) - position(j, y);
        const double score = branch_by == 0 ? before * (share - before) * apart * apart : branch_by == 1 ? (before < share - before ? before : share - before) * item : (before < share - before ? before : share - before) * apart * item;
        if (score > most) most = score, point = j, place = y;
      }
    }
    if (point == 0) {  // the widest domain in the middle
      std::size_t width = 0;
      for (std::size_t j = 1; j < times_.stages(); ++j) {
        const std::size_t here = now.domains.high[j] - now.domains.low[j];
        if (here > width) width = here, point = j, place = now.domains.low[j] + here / 2;
      }
    }
    if (point == 0) return;
    const double a = certain(bounds_.up_to(point, place)) - now.bound;
    const double b = certain(bounds_.from(point, place + 1)) - now.bound;
    const double left = a < 0 ? 0 : a < room ? a : room;
    const double right = b < 0 ? 0 : b < room ? b : room;
    if (getenv("V") && clock_.state.nodes < 40) printf("branch at %zu <= %zu [%u %u] gains %.4f %.4f\n", point, place, now.domains.low[point], now.domains.high[point], left/best_.makespan(), right/best_.makespan());
    node other = now;
    other.domains.low[point] = static_cast<std::uint32_t>(place + 1);
    other.bound = now.bound + right;
    if (other.domains.tighten() && other.bound <= target()) push(std::move(other));
    now.domains.high[point] = static_cast<std::uint32_t>(place);
    now.bound += left;
    if (now.domains.tighten() && now.bound <= target()) push(std::move(now));
  }

  [[nodiscard]] double position(std::size_t j, std::size_t y) const {
    return chain_.row(tick_f, j)[y] + chain_.row(tick_b, j)[y] + chain_.row(tick_w, j)[y];
  }

  const chain_ticks& chain_;
  const schedule& order_;
  const cut_rules& rules_;
  cut_simulator& simulator_;
  search_clock& clock_;
  incumbent& best_;
  point_times times_;
  row_bounds bounds_;
  point_rows rows_;
  path_game game_;
  double margin_;
  std::vector<node> nodes_{};
  std::vector<double> uses_{4};  // of every row, of late
  std::vector<double> counts_{};
  std::vector<double> factors_{};
  std::vector<double> mean_{};
  std::vector<double> spread_{};
  std::vector<std::size_t> points_{};
  std::size_t decides_ = 0;
};

}  // namespace stagecut::inline v0::detail
