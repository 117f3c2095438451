// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "output/stop_signals.hpp"
#include "options/count_range.hpp"
#include "options/words.hpp"

// Plans for several numbers of stages per rank, and what is known about all of them together.

/// The result for a number of stages per rank, or for several without a search.
struct tried_stages_per_rank {
  count_range per_rank{};
  std::optional<stagecut::outcome<stagecut::plan>> made{};  // unset: not searched
  std::string state{}, why{};                               // reported instead of a plan
  bool open = false;                                        // whether a plan may still exist
};

/// The best of several answers, at least one, with a bound for all of them: optimal if none can be better.
///
/// @param open  whether there are further, unexplored plans
/// @return      if none has a plan, the reason: a limit if there is one, else the one that lacks the fewest bytes, or
///              the first
inline stagecut::outcome<stagecut::plan> best_of(const std::vector<stagecut::outcome<stagecut::plan>>& all, bool open) {
  using answer = stagecut::outcome<stagecut::plan>;
  const answer *best = nullptr, *stopped = nullptr, *none = nullptr;
  double bound = std::numeric_limits<double>::infinity();
  for (const answer& each : all) {
    if (each) {
      bound = std::min(bound, each->objective.bound);
      if (best == nullptr || each->objective.value < (*best)->objective.value) best = &each;
    } else if (each.state() == stagecut::state::unknown) {
      if (stopped == nullptr) stopped = &each;
    } else if (none == nullptr || each.why().lacks_fewer_bytes_than(none->why())) {
      none = &each;
    }
  }
  open = open || stopped != nullptr;
  if (best == nullptr) return stopped != nullptr ? *stopped : open ? answer::unknown({}) : *none;
  stagecut::plan made = **best;
  auto& objective = made.objective;
  objective.bound = open ? 0 : std::min(bound, objective.value);
  const bool optimal = best->state() == stagecut::state::optimal && objective.bound >= objective.value;
  objective.state = optimal ? stagecut::state::optimal : stagecut::state::feasible;
  return optimal ? answer::optimal(std::move(made)) : answer::feasible(std::move(made));
}

/// Plans with every number of stages per rank in turn, until time is up, or a signal asks to stop. If there are several numbers,
/// records why one is rejected.
///
/// @param most          stages per rank that the layers allow: larger numbers are skipped
/// @param empty_stages  whether plans with more may exist
/// @param seconds       for all of them together
/// @param make          `make(NUMBER, SECONDS)` makes a plan
/// @throws              the error of the first number, if all are rejected
template <class Make>
std::vector<tried_stages_per_rank> try_stages_per_rank(const count_range& of, std::size_t most, bool empty_stages,
                                                       double seconds, const Make& make) {
  const auto began = std::chrono::steady_clock::now();
  const std::size_t last = std::min(of.last, std::max(of.first, most));
  std::vector<tried_stages_per_rank> all;
  std::exception_ptr refused;
  bool any = false;
  for (std::size_t per_rank = of.first; per_rank <= last; ++per_rank) {
    const auto refuse = [&](std::string why) {
      if (!refused) refused = std::current_exception();
      all.push_back({{per_rank, per_rank}, {}, "refused", std::move(why)});
    };
    const double left = seconds - std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    const bool stopped = stop_signals::asked();
    if (per_rank != of.first && (stopped || left <= 0)) {
      all.push_back({{per_rank, last}, {}, "not tried", stopped ? "stopped before" : "no time was left", true});
      any = true;
      break;
    }
    try {
      all.push_back(
          {{per_rank, per_rank}, make(per_rank, std::max(0.0, left) / static_cast<double>(last - per_rank + 1))});
      any = true;
    } catch (const stagecut::argument_error& error) {
      refuse(in_options(error));
    } catch (const stagecut::not_representable& error) {
      refuse(error.what());
    }
  }
  if (!any) std::rethrow_exception(refused);
  if (last < of.last)
    all.push_back(
        {{last + 1, of.last}, {}, empty_stages ? "not tried" : "none", "more stages than layers", empty_stages});
  return all;
}

/// The best plan over several numbers of stages per rank.
inline stagecut::outcome<stagecut::plan> best_of(const std::vector<tried_stages_per_rank>& all) {
  std::vector<stagecut::outcome<stagecut::plan>> made;
  bool open = false;
  for (const tried_stages_per_rank& each : all) {
    open = open || each.open;
    if (each.made) made.push_back(*each.made);
  }
  return best_of(made, open);
}
