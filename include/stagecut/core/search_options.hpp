// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <stagecut/core/callback.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/search_end.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How far a search is. A solver leaves what it does not know at 0.
struct search_progress {
  double seconds = 0;           ///< since it began
  double value = 0;             ///< of the best solution so far, in the unit of the objective; 0: there is none yet
  double bound = 0;             ///< no solution is below it
  std::size_t nodes = 0;        ///< what `search_options::node_limit` counts
  std::size_t evaluations = 0;  ///< whole solutions that were evaluated
  double share = 0;             ///< of the work that is done, below 1, as an estimate
};

/// Calls `call(i)` once for every i below `count`, on any threads in any order, and returns when all calls have returned. If
/// calls throw, it rethrows the exception of the smallest i. `search::worker_threads` is one.
using parallel_for = callback<void(std::size_t count, const function_ref<void(std::size_t)>& call)>;

/// When a search ends, its seed, and the functions that it calls: the same for all solvers. Without a limit it ends when the
/// optimum is proved, or when a heuristic is done.
///
/// Other requests than a `plan_request` set `time_limit` to 10 where a search may take long: `request.search.node_limit =
/// 1000` keeps that limit; `request.search = {.node_limit = 1000}` does not.
struct search_options {
  std::optional<double> time_limit{};       ///< seconds; with `node_limit`, what is reached first ends the search
  std::optional<std::size_t> node_limit{};  ///< of the solver's nodes: the answer is the same on every machine
  std::uint64_t seed = 1;                   ///< of random decisions
  /// Runs searches that may run at once: those of `compare_plans` and `sweep_rows`, whose answers do not depend on it. A
  /// single search runs on the thread that called it. Empty: one search after the other.
  parallel_for threads{};
  callback<bool()> stop{};  ///< called often, by all threads; true ends the search with the best solution so far
  callback<void(const search_progress&)> progress{};  ///< called now and then, and for each better solution
  std::size_t* nodes_spent = nullptr;                 ///< the nodes of the search are added to it; null: to nothing
  search_end* ended = nullptr;  ///< raised to what ended the search or a part of it; null: nothing is
};

}  // namespace stagecut::inline STAGECUT_ABI
