// SPDX-License-Identifier: BSL-1.0
// The published algorithm for the smallest load of a graph (Tarnawski et al., "Efficient Algorithms for Device
// Placement of DNN Graph Operators", NeurIPS 2020), restated as plainly as possible: folds leaves without time, lists
// all down-sets, prices all pairs of them from scratch, and runs a dynamic program over every pair for every number of
// accelerators and CPUs. A baseline, not a planner.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace bench {

/// A tensor from one operator to others: a stage that contains some of these elements, but not all, pays for it once.
struct crossing_net {
  double seconds = 0;
  std::vector<std::size_t> elements;
};

/// Elements of an acyclic graph, and their devices. All arrays are indexed by element.
struct load_problem {
  std::vector<double> accelerator;                         ///< seconds of every element
  std::vector<double> cpu;  ///< the same on a CPU, which pays for no net and has enough memory
  std::vector<double> memory;                              ///< bytes of every element
  std::vector<bool> needs_cpu;                             ///< per element, whether no accelerator runs it
  std::vector<crossing_net> nets;                          ///< in any order
  std::vector<std::pair<std::size_t, std::size_t>> edges;  ///< the first before the second
  std::size_t accelerators = 1;                            ///< the most accelerators
  std::size_t cpus = 0;                                    ///< the most CPUs
  double memory_limit = std::numeric_limits<double>::infinity();  ///< of an accelerator
};

/// The elements of one device.
struct loaded_device {
  std::vector<std::size_t> elements;
  double load = 0;
  bool is_cpu = false;
};

/// The devices in topological order; empty if nothing fits.
struct least_load {
  double load = std::numeric_limits<double>::infinity();
  std::vector<loaded_device> devices;
  std::size_t down_sets = 0;
  std::size_t pairs = 0;
};

/// The same problem with each element that takes no time and has one neighbour merged into that neighbour, with its
/// memory, repeatedly. The smallest load stays the same unless memory is short. Elements are renumbered in order.
inline load_problem fold_leaves(const load_problem& problem) {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  const std::size_t n = problem.accelerator.size();
  std::vector<std::size_t> part_of(n);
  for (std::size_t v = 0; v < n; ++v) part_of[v] = v;
  for (bool folded = true; folded;) {
    folded = false;
    std::vector<std::size_t> neighbour(n, none);
    std::vector<bool> several(n);
    for (const auto& [from, to] : problem.edges) {
      const std::size_t ends[] = {part_of[from], part_of[to]};
      if (ends[0] == ends[1]) continue;
      for (const std::size_t e : {0U, 1U}) {
        std::size_t& known = neighbour[ends[e]];
        if (known != none && known != ends[1 - e]) several[ends[e]] = true;
        known = ends[1 - e];
      }
    }
    for (std::size_t v = 0; v < n && !folded; ++v) {
      const bool free = problem.accelerator[v] == 0 && problem.cpu[v] == 0 && !problem.needs_cpu[v];
      if (part_of[v] != v || !free || several[v] || neighbour[v] == none) continue;
      for (std::size_t& each : part_of) each = each == v ? neighbour[v] : each;
      folded = true;
    }
  }

  load_problem result;
  std::vector<std::size_t> number(n, none);
  for (std::size_t v = 0; v < n; ++v) {
    if (part_of[v] != v) continue;
    number[v] = result.accelerator.size();
    result.accelerator.push_back(problem.accelerator[v]);
    result.cpu.push_back(problem.cpu[v]);
    result.memory.push_back(0);
    result.needs_cpu.push_back(problem.needs_cpu[v]);
  }
  for (std::size_t v = 0; v < n; ++v) result.memory[number[part_of[v]]] += problem.memory[v];
  for (const crossing_net& net : problem.nets) {
    crossing_net made{net.seconds, {}};
    for (const std::size_t v : net.elements) made.elements.push_back(number[part_of[v]]);
    std::sort(made.elements.begin(), made.elements.end());
    made.elements.erase(std::unique(made.elements.begin(), made.elements.end()), made.elements.end());
    if (made.elements.size() > 1) result.nets.push_back(std::move(made));
  }
  for (const auto& [from, to] : problem.edges) {
    if (part_of[from] != part_of[to]) result.edges.emplace_back(number[part_of[from]], number[part_of[to]]);
  }
  result.accelerators = problem.accelerators;
  result.cpus = problem.cpus;
  result.memory_limit = problem.memory_limit;
  return result;
}

/// The algorithm without its folding.
class down_set_pairs {
 public:
  /// @param problem  must outlive this object
  explicit down_set_pairs(const load_problem& problem)
      : problem_(problem), size_(problem.accelerator.size()), before_(size_), nets_of_(size_) {
    for (const auto& [from, to] : problem.edges) before_[to].push_back(from);
    for (std::size_t i = 0; i < problem.nets.size(); ++i) {
      for (const std::size_t v : problem.nets[i].elements) nets_of_[v].push_back(i);
    }
    last_seen_.assign(problem.nets.size(), 0);
  }

  /// None if there are more than `most` down-sets.
  std::optional<least_load> run(std::size_t most = 60'000) {
    if (!enumerate(std::vector<bool>(size_), most)) return std::nullopt;
    collect();
    solve();
    return answer();
  }

 private:
  using elements = std::vector<bool>;
  struct pair {
    std::uint32_t inner;
    std::uint32_t outer;
    double accelerator;  // infinite: the difference of the two does not fit on an accelerator
    double cpu;
  };
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr std::size_t nothing = static_cast<std::size_t>(-1);

  /// Enumerates the down-set and all its supersets, adding one element at a time.
  bool enumerate(const elements& set, std::size_t most) {
    if (sets_.size() == most) return false;
    number_.emplace(set, sets_.size());
    const std::size_t here = sets_.size();
    sets_.push_back(set);
    wider_.emplace_back();
    for (std::size_t v = 0; v < size_; ++v) {
      if (set[v]) continue;
      bool ready = true;
      for (const std::size_t u : before_[v]) ready = ready && set[u];
      if (!ready) continue;
      elements more = set;
      more[v] = true;
      if (number_.find(more) == number_.end() && !enumerate(more, most)) return false;
      wider_[here].push_back(number_.at(more));
    }
    return true;
  }

  /// Collects all pairs of nested down-sets.
  void collect() {
    std::vector<std::size_t> seen(sets_.size(), nothing);
    for (std::size_t inner = 0; inner < sets_.size(); ++inner) {
      std::vector<std::size_t> open{inner};
      seen[inner] = inner;
      while (!open.empty()) {
        const std::size_t outer = open.back();
        open.pop_back();
        if (outer != inner) price(inner, outer);
        for (const std::size_t next : wider_[outer]) {
          if (seen[next] != inner) seen[next] = inner, open.push_back(next);
        }
      }
    }
  }

  /// Computes from scratch the load of a device that holds the difference of two down-sets.
  void price(std::size_t inner, std::size_t outer) {
    pair made{static_cast<std::uint32_t>(inner), static_cast<std::uint32_t>(outer), 0, 0};
    double memory = 0;
    bool fits = true;
    ++priced_;
    for (std::size_t v = 0; v < size_; ++v) {
      if (!holds(inner, outer, v)) continue;
      made.accelerator += problem_.accelerator[v];
      made.cpu += problem_.cpu[v];
      memory += problem_.memory[v];
      fits = fits && !problem_.needs_cpu[v];
      for (const std::size_t net : nets_of_[v]) {
        if (last_seen_[net] == priced_) continue;
        last_seen_[net] = priced_;
        bool whole = true;
        for (const std::size_t u : problem_.nets[net].elements) whole = whole && holds(inner, outer, u);
        if (!whole) made.accelerator += problem_.nets[net].seconds;
      }
    }
    if (!fits || memory > problem_.memory_limit) made.accelerator = infinity;
    pairs_.push_back(made);
  }

  bool holds(std::size_t inner, std::size_t outer, std::size_t v) const { return sets_[outer][v] && !sets_[inner][v]; }

  /// The smallest load of every down-set for every number of accelerators and CPUs, and its predecessor.
  void solve() {
    const std::size_t tables = (problem_.accelerators + 1) * (problem_.cpus + 1);
    best_.assign(tables, std::vector<double>(sets_.size(), infinity));
    from_.assign(tables, std::vector<std::size_t>(sets_.size(), nothing));
    best_[0][0] = 0;
    for (std::size_t t = 1; t < tables; ++t) {
      for (const bool is_cpu : {false, true}) {
        const std::size_t before = less(t, is_cpu);
        if (before == nothing) continue;
        for (std::size_t i = 0; i < sets_.size(); ++i) {
          if (best_[before][i] < best_[t][i]) best_[t][i] = best_[before][i], from_[t][i] = idle + (is_cpu ? 1 : 0);
        }
        for (std::size_t p = 0; p < pairs_.size(); ++p) {
          const pair& each = pairs_[p];
          const double load = std::max(best_[before][each.inner], is_cpu ? each.cpu : each.accelerator);
          if (load < best_[t][each.outer]) best_[t][each.outer] = load, from_[t][each.outer] = 2 * p + (is_cpu ? 1 : 0);
        }
      }
    }
  }

  /// The table for one device less.
  std::size_t less(std::size_t table, bool is_cpu) const {
    const std::size_t accelerators = table % (problem_.accelerators + 1);
    if (is_cpu) return table > problem_.accelerators ? table - problem_.accelerators - 1 : nothing;
    return accelerators > 0 ? table - 1 : nothing;
  }

  least_load answer() const {
    least_load result;
    result.down_sets = sets_.size();
    result.pairs = pairs_.size();
    std::size_t table = best_.size() - 1;
    std::size_t at = number_.at(elements(size_, true));
    result.load = best_[table][at];
    if (result.load == infinity) return result;
    while (table != 0) {
      const std::size_t way = from_[table][at];
      const bool is_cpu = way % 2 == 1;
      table = less(table, is_cpu);
      if (way >= idle) continue;
      const pair& each = pairs_[way / 2];
      loaded_device device{{}, is_cpu ? each.cpu : each.accelerator, is_cpu};
      for (std::size_t v = 0; v < size_; ++v) {
        if (holds(each.inner, each.outer, v)) device.elements.push_back(v);
      }
      result.devices.push_back(std::move(device));
      at = each.inner;
    }
    std::reverse(result.devices.begin(), result.devices.end());
    return result;
  }

  static constexpr std::size_t idle = nothing - 3;  // one device less, left idle; even

  const load_problem& problem_;
  std::size_t size_;
  std::vector<std::vector<std::size_t>> before_;
  std::vector<std::vector<std::size_t>> nets_of_;
  std::vector<std::size_t> last_seen_;  // per net, the last pair it was priced for
  std::size_t priced_ = 0;
  std::vector<elements> sets_;
  std::unordered_map<elements, std::size_t> number_;
  std::vector<std::vector<std::size_t>> wider_;  // per down-set, those with one element more
  std::vector<pair> pairs_;
  std::vector<std::vector<double>> best_;       // by accelerators, within CPUs
  std::vector<std::vector<std::size_t>> from_;  // a pair, twice its index; plus 1: on a CPU
};

}  // namespace bench
