// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <stagecut/core/detail/deadline.hpp>
#include <stagecut/core/detail/search_limits.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/search_end.hpp>
#include <stagecut/engine/ideals.hpp>
#include <stagecut/graph/detail/load_bounds.hpp>
#include <stagecut/graph/detail/load_program.hpp>
#include <stagecut/graph/detail/load_search.hpp>
#include <stagecut/graph/detail/load_work.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/graph/set_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What is known about the least load.
template <class Value>
struct load_answer {
  std::optional<element_stages<Value>> best{};
  std::vector<element_stages<Value>> pool{};  // good ones, the best first
  Value bound = 0;
  bool infeasible = false;  ///< proved: there is no partition
  std::size_t down_sets = 0;
  std::size_t rounds = 0;  ///< including earlier ones
  std::size_t work = 0;    ///< apart from rounds, including earlier work: see `most_work`

  [[nodiscard]] bool proved() const noexcept { return best && best->value <= bound; }
};

/// Solves one problem of least load: first finds a good partition, then uses all down-sets, if they are few enough, or
/// more and more orders.
template <set_cost Set>
class load_solver {
 public:
  using value_type = set_value_t<Set>;
  using answer_type = load_answer<value_type>;
  /// Improves a bound, given the load of the best partition, or the greatest number if there is none.
  using bound_provider = function_ref<value_type(value_type bound, value_type best, const function_ref<bool()>& stop)>;

  /// @param below    which elements may not be on later stages than others
  /// @param empty    the empty set
  /// @param counts   of devices
  /// @param method   the method
  /// @param most_down_sets  more are not listed
  /// @param limits   of the search
  /// @param unit     the costs' unit in the user's, for `progress`; the objects must outlive this one
  /// @param begin    the start of the time limit
  load_solver(const precedence& below, const Set& empty, const stage_counts& counts, graph_method method,
              std::size_t most_down_sets, const search_options& limits, double unit, double begin = seconds_now())
      : below_(below),
        empty_(empty),
        counts_(counts),
        method_(method),
        most_down_sets_(most_down_sets),
        limits_(limits),
        unit_(unit),
        search_(below, empty, counts, limits.seed),
        end_(limits.time_limit, limits.stop, limits.ended, begin) {}

  /// @param known   an initial partition, a bound, and the number of earlier rounds; all optional
  /// @param better  improves the bound when there is time for it
  [[nodiscard]] answer_type run(const answer_type& known, const bound_provider& better) {
    answer_.bound = std::max({known.bound, average_bound(empty_, counts_), heaviest_bound(empty_, counts_)});
    answer_.bound = next_value(empty_, answer_.bound);
    answer_.rounds = known.rounds;
    answer_.work = known.work;
    if (known.best) search_.keep(*known.best);
    const auto stop = [this] { return over(); };
    search_.begin(stop);
    improve(method_ == graph_method::linear ? 0 : 12);
    if (!done() && method_ != graph_method::linear) by_down_sets();
    if (!done() && !listed_ && method_ != graph_method::down_sets) {
      raise(better);
      improve(std::numeric_limits<std::size_t>::max());
    }
    take();
    return answer_;
  }

 private:
  [[nodiscard]] bool done() {
    take();
    return answer_.infeasible || answer_.proved() || over();
  }
  void take() {
    if (search_.best() == nullptr) return;
    answer_.best = *search_.best();
    answer_.pool = search_.pool();
  }
  [[nodiscard]] bool over() {
    if (end_.was_over()) return true;
    const bool result = end_.over();
    if (end_.is_time_to_report()) tell();
    return result;
  }
  /// Adds work outside rounds; returns whether to end.
  [[nodiscard]] bool worked(std::size_t units, std::size_t most) {
    answer_.work += units;
    if (over()) return true;
    if (answer_.work > most) record_end(limits_.ended, search_end::node_limit);
    return answer_.work > most;
  }
  void tell() {
    const double seconds = end_.report();
    if (!limits_.progress) return;
    const double load = search_.best() == nullptr ? 0 : static_cast<double>(search_.best()->value) * unit_;
    limits_.progress({seconds, load, static_cast<double>(answer_.bound) * unit_, answer_.rounds});
  }

  /// Improves partitions until they are proved, a limit is reached or `rounds` rounds are done.
  void improve(std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
      if (over() || spent_all(limits_, answer_.rounds)) return;
      const value_type before =
          search_.best() == nullptr ? std::numeric_limits<value_type>::max() : search_.best()->value;
      if (before <= answer_.bound) return;
      search_.improve();
      ++answer_.rounds;
      if (search_.best() != nullptr && search_.best()->value < before) tell();
    }
  }

  /// Improves the bound; this may take a quarter of the time, or of the rounds if only these are limited.
  void raise(const bound_provider& better) {
    if (!better) return;
    deadline quarter(quarter_of(limits_.time_limit));
    const std::size_t most = most_work(limits_, 0.25, below_.size());
    const std::size_t last = most < ~answer_.work ? answer_.work + most : most;
    const auto stop = [&] { return worked(work_of_flow(below_.size()), last) || quarter.over(); };
    const value_type best = search_.best() == nullptr ? std::numeric_limits<value_type>::max() : search_.best()->value;
    answer_.bound = next_value(empty_, std::max(answer_.bound, better(answer_.bound, best, stop)));
  }

  /// Lists all down-sets, and finds the best partition or proves that there is none.
  void by_down_sets() {
    const std::size_t last = most_work(limits_, 1, below_.size());
    const auto stop_listing = [&] { return worked(work_of_down_sets(below_.size()), last); };
    const auto stop = [&] { return worked(work_of_changes, last); };
    // No more than fit into some 256 MiB with what the program keeps of each.
    const std::size_t states = (counts_.devices + 1) * (counts_.cpus + 1);
    const std::size_t room = (std::size_t{256} << 20U) / (96 + 13 * states);
    const auto family = engine::ideal_search(below_).run(std::min(most_down_sets_, room), stop_listing);
    if (!family) return;
    answer_.down_sets = family->size();
    const value_type most = std::numeric_limits<value_type>::max();
    if (search_.best() == nullptr) {
      // Without a known partition to prune with: tries increasing limits, as if a partition of that load were known.
      for (value_type limit = first_limit(); limit < most / 2 && !over() && !search_.stopped(); limit = raised(limit)) {
        if (auto found = search_.best_within(*family, limit, stop)) {
          search_.keep(*std::move(found));
          break;
        }
      }
    }
    const bool any = search_.best() != nullptr;
    if (auto found = search_.best_within(*family, any ? search_.best()->value : most, stop)) {
      search_.keep(*std::move(found));
    }
    if (search_.stopped()) return;
    listed_ = true;
    take();
    if (answer_.best) {
      answer_.bound = answer_.best->value;
    } else {
      answer_.infeasible = true;
    }
  }
  [[nodiscard]] value_type first_limit() const { return raised(answer_.bound); }
  static value_type raised(value_type limit) {
    const value_type most = std::numeric_limits<value_type>::max();
    return limit > most / 2 ? most : static_cast<value_type>(limit + limit / 4 + 1);
  }

  const precedence& below_;
  const Set& empty_;
  stage_counts counts_;
  graph_method method_;
  std::size_t most_down_sets_;
  const search_options& limits_;
  double unit_;
  load_search<Set> search_;
  deadline end_;
  bool listed_ = false;
  answer_type answer_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
