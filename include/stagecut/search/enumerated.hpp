// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/makespan/parts/problem_access.hpp>
#include <stagecut/makespan/search_backends.hpp>
#include <stagecut/search/all_below.hpp>
#include <stagecut/search/best.hpp>
#include <stagecut/search/cut_makespan.hpp>
#include <stagecut/search/detail/expects_policy.hpp>
#include <stagecut/search/detail/one_search.hpp>
#include <stagecut/search/detail/system.hpp>
#include <stagecut/search/graph_paths.hpp>
#include <stagecut/search/paths_below.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

// A name for compiler errors about calls without the limit.
struct after_the_policy_comes_the_time_limit_in_seconds;

}  // namespace detail

/// Evaluates all remaining cuts of a search for the smallest makespan: see `enumerated`.
template <class Policy>
class enumerator {
 public:
  using trusted_backend = void;  ///< the search believes it

  /// @param policy   of Thrust
  /// @param seconds  time limit of one evaluation of all remaining cuts
  /// @throws         argument_error for seconds that are NaN or negative
  explicit enumerator(const Policy& policy, double seconds) : policy_(policy), seconds_(seconds) {
    if (is_nan(seconds) || is_negative(seconds)) {
      stagecut::detail::fail(
          argument_error("search::enumerated", "seconds", std::to_string(seconds), "must not be negative"));
    }
  }

  /// See `cut_enumerator`.
  enumeration_answer operator()(const enumeration_call& task, view<std::size_t> points) {
    const detail::one_search::turn turn(asked_, "search::enumerated");
    const double seconds = task.seconds < seconds_ ? task.seconds : seconds_;
    const double count = task.cuts.count();
    if (!(count / rate_ <= seconds)) return enumeration_answer::too_many;
    const cut_makespan makespan(access::of(task.problem));
    const double end = stagecut::detail::seconds_now() + seconds;
    // Learns on the way how many cuts fit into a second.
    const double least = count / (most_ops_a_second / static_cast<double>(makespan.ops() + 1));
    if (!(least <= seconds)) return enumeration_answer::too_many;
    const graph_paths paths(
        detail::as_path_graph(access::graph(task.cuts), access::layout(task.cuts), task.problem.items()));
    bool late = false;
    const double began = stagecut::detail::seconds_now();
    const auto stop = [&] { return (task.stop && task.stop()) || late; };
    const auto progress = [&](const candidate_progress& now) {
      const double done = static_cast<double>(now.next - now.first);
      rate_ = done / (stagecut::detail::seconds_now() - began);
      late = (count - done) / rate_ > end - stagecut::detail::seconds_now();
    };
    const candidate_options options{.chunk = chunk(count), .stop = stop, .progress = progress};
    rate_ = std::numeric_limits<double>::infinity();
    return is_whole(task) ? take_best(paths, makespan, task, options, points)
                          : take_allowed(paths, makespan, task, options, points);
  }

 private:
  using access = stagecut::detail::problem_access;

  // More than any system simulates, to skip hopeless attempts.
  static constexpr double most_ops_a_second = 1e13;
  static constexpr std::size_t capacity = 4096;

  /// Whether every path of the graph is an allowed cut: no rank needs a check that edges do not cover.
  [[nodiscard]] static bool is_whole(const enumeration_call& task) {
    return access::layout(task.cuts).kind != engine::stage_layout::shape::chain ||
           !access::of(task.problem).rules.has_rank_rules();
  }

  /// Small enough that the rate is known soon.
  [[nodiscard]] static std::size_t chunk(double count) { return count < 0x1p20 ? 0x4000 : 0x40000; }

  enumeration_answer take_best(const graph_paths& paths, const cut_makespan& makespan, const enumeration_call& task,
                               const candidate_options& options, view<std::size_t> points) const {
    const auto found = search::best(policy_, paths, makespan, options);
    if (found.state() != state::optimal) return enumeration_answer::too_many;
    if (found->score.value > task.most) return enumeration_answer::none;
    write(found->points, points);
    return enumeration_answer::found;
  }

  /// Finds the best cut of at most that makespan whose ranks have enough memory.
  enumeration_answer take_allowed(const graph_paths& paths, const cut_makespan& makespan, const enumeration_call& task,
                                  const candidate_options& options, view<std::size_t> points) const {
    const auto found = search::all_below(policy_, paths, makespan, task.most, capacity, options);
    if (!found.complete) return enumeration_answer::too_many;
    scored<double> first;  // by `precedes`
    for (const auto& each : found.all) {
      if (!search::precedes(each.score, first)) continue;
      const std::vector<std::size_t> cut(each.points.begin(), each.points.end());
      if (!task.problem.allows(cut)) continue;
      first = each.score;
      write(each.points, points);
    }
    return first.index == scored<double>::none ? enumeration_answer::none : enumeration_answer::found;
  }

  static void write(const std::vector<std::uint32_t>& from, view<std::size_t> to) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i];
  }

  Policy policy_;
  detail::one_search asked_{};
  double seconds_;
  double rate_ = std::numeric_limits<double>::infinity();  // cuts per second, last time
};

/// See `enumerated`.
struct enumerated_fn : detail::expects_policy {
  using detail::expects_policy::operator();

  /// See `enumerated`.
  template <detail::thrust_policy Policy>
  [[nodiscard]] enumerator<Policy> operator()(const Policy& policy, double seconds) const {
    return enumerator<Policy>(policy, seconds);
  }
  template <detail::thrust_policy Policy>
  detail::after_the_policy_comes_the_time_limit_in_seconds  //
  operator()(const Policy&) const = delete;                 // enumerated(policy, seconds)
};

/// Creates an enumerator for `search_backends::enumerator`, which evaluates all remaining cuts: the last step of a
/// proof, once bounds have left few enough. It first counts the cuts and measures the rate, then simulates all of them.
///
/// @param policy   of Thrust: where to simulate; kept as a copy
/// @param seconds  time limit of one evaluation, less if the search has less
/// @return         an `enumerator`, for `makespan_request::backends`: moved into it, or referenced by `std::ref`
/// @throws         argument_error for seconds that are NaN or negative; the enumerator throws it if two searches use it
///                 at once
inline constexpr enumerated_fn enumerated{};

}  // namespace stagecut::inline STAGECUT_ABI::search
