// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/search_options.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/plan/detail/combinations.hpp>
#include <stagecut/plan/detail/plan_best_first.hpp>
#include <stagecut/plan/detail/plan_makespan.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/parts/check_request.hpp>
#include <stagecut/plan/parts/with_target.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/score_cut.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects errors common to all choices; errors of some choices are reported in their lines.
/// @param function  the called function
/// @param argument  the one that holds the lists
inline void check_choices(std::string_view function, std::string_view argument, const profile& model,
                          const plan_request& request, const plan_choices& choices) {
  const auto check = [&](const char* name, const std::vector<std::size_t>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] != 0) continue;
      fail(argument_error(function, joined({argument, ".", name, "[", i, "]"}), "0", "must be at least 1"));
    }
  };
  check("devices", choices.devices);
  check("stages_per_rank", choices.stages_per_rank);
  check("microbatches", choices.microbatches);
  plan_request asked = request;
  asked.microbatches = 0;
  // With several device counts, speeds and links may belong to any of them; with several chunks, so may links.
  const bool any_devices = choices.devices.size() > 1;
  if (any_devices) {
    asked.in_flight.clear();
    asked.speeds.clear();
    asked.memory_limit = {};
    asked.topology.reset();
  }
  if ((any_devices || choices.stages_per_rank.size() > 1) && asked.links.size() > 1) asked.links.clear();
  if (!choices.devices.empty()) asked.devices = choices.devices[0];
  if (!choices.stages_per_rank.empty()) asked.stages_per_rank = choices.stages_per_rank[0];
  // Numbers in flight require one chunk and a schedule that accepts them, if those are among the choices.
  for (const std::size_t v : choices.stages_per_rank) asked.stages_per_rank = v == 1 ? 1 : asked.stages_per_rank;
  if (!choices.schedules.empty()) asked.schedule = choices.schedules[0];
  for (const schedule_kind kind : choices.schedules) {
    if (may_limit_in_flight(entry_of(kind))) asked.schedule = kind;
  }
  asked.group = 0;
  check_target_model(model, request);
  check_request(function, model, asked);
  bool grouped = request.group == 0;
  for (const auto& combination : combinations(request, {{}, choices.stages_per_rank, {}, choices.schedules}))
    grouped |= combination.group != 0;
  if (!grouped)
    fail(
        argument_error(function, "group", std::to_string(request.group), "is of several stages per rank, interleaved"));
  const auto refuse = [&](const std::string& value, const std::string& requirement) {
    fail(argument_error(function, "objective", value, requirement));
  };
  if (request.objective != plan_objective::automatic && request.objective != plan_objective::makespan) {
    refuse(to_string(request.objective), "must be the makespan, by which plans are compared");
  }
  asked.microbatches = choices.microbatches.empty() ? request.microbatches : choices.microbatches[0];
  if (const std::string why = makespan_obstacle(model, asked); !why.empty()) {
    refuse("makespan", joined({"is not known: ", why}));
  }
}

/// Plans every combination of the open choices, and keeps the best: see `plan_best_first`.
class choice_comparison {
 public:
  choice_comparison(const profile& model, const plan_request& request, const plan_choices& choices)
      : model_(model), request_(request), choices_(choices), open_(combinations(request, choices)) {
    result_.compared.resize(open_.size());
    plans_.resize(open_.size());
    nodes_.resize(open_.size());
    ended_.resize(open_.size());
  }

  [[nodiscard]] plan_comparison run() {
    // As many at once as a round has: each round is compared with the best of those before it.
    detail::plan_best_first(*this, request_.search.threads ? round_of_threads : 1, request_.search.threads);
    take_best();
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (request_.search.nodes_spent != nullptr) *request_.search.nodes_spent += nodes_[i];
      record_end(request_.search.ended, ended_[i]);
    }
    if (best_) {
      result_.best = std::move(plans_[*best_]);
      weaken();
    } else {
      explain();
    }
    if (!choices_.list_impossible) leave_out_impossible();
    return std::move(result_);
  }

  // For `plan_best_first`.

  [[nodiscard]] std::size_t size() const noexcept { return open_.size(); }
  [[nodiscard]] bool is_open(std::size_t i) const { return result_.compared[i].why.empty(); }
  [[nodiscard]] double least(std::size_t i) const { return result_.compared[i].bound / microbatches_of(i); }
  /// Even if the caller ends the search, each combination has the first plan that is found.
  [[nodiscard]] static bool is_stopped() noexcept { return false; }
  void report() noexcept {}

  /// Records why a combination cannot be planned, or bounds it by the first plan that is found.
  void bound(std::size_t i) {
    plan_request& asked = open_[i];
    compared_plan& row = result_.compared[i];
    row = {asked.devices, asked.stages_per_rank, asked.microbatches, asked.schedule};
    row.group = asked.group;
    if (choices_.all_devices != 0) row.pipelines = choices_.all_devices / asked.devices;
    row.why = row.pipelines == 0 ? "needs more devices than there are" : shape_obstacle(model_, asked);
    if (!row.why.empty()) {
      row.state = state::infeasible;
      return;
    }
    row.why = makespan_obstacle(model_, asked);  // for example of more stages than were requested
    if (!row.why.empty()) return;
    asked = with_usable_start(model_, std::move(asked));
    asked.search.nodes_spent = nullptr;
    asked.search.ended = nullptr;
    asked.search.threads = {};
    plan_request quick = asked;
    quick.backends = {};
    quick.search.progress = {};
    if (quick.search.time_limit) *quick.search.time_limit /= 4 * static_cast<double>(open_.size());
    quick.search.node_limit = 0;
    outcome<plan> first = plan_makespan(model_, quick);
    if (!first) return;  // the search tells why
    plans_[i] = std::move(first);
    show(i);
  }

  /// Takes what the round before has found, and shares the time that is left.
  void begin_round(std::size_t left) {
    take_best();
    if (!request_.search.time_limit) return;
    const double seconds = end_ - seconds_now();
    share_ = seconds > 0 ? seconds / static_cast<double>(left) : 0;
  }

  /// A combination that cannot win keeps the first plan that was found.
  [[nodiscard]] bool leave_out(std::size_t i) const { return plans_[i] && is_hopeless(i, least(i)); }

  /// Plans one combination, until it can no longer win.
  void solve(std::size_t i) {
    plan_request asked = open_[i];
    if (request_.search.time_limit) asked.search.time_limit = share_;
    bool hopeless = false;
    const double all = microbatches_of(i);
    const auto watch = [&](const search_progress& now) {
      hopeless = is_hopeless(i, now.bound / all);
      if (request_.search.progress) request_.search.progress(now);
    };
    const auto stop = [&] { return hopeless || (request_.search.stop && request_.search.stop()); };
    asked.search.progress = watch;
    asked.search.stop = stop;
    asked.search.nodes_spent = &nodes_[i];
    asked.search.ended = &ended_[i];
    const double first_bound = result_.compared[i].bound;
    outcome<plan> found = plan_makespan(model_, asked);
    if (hopeless) ended_[i] = search_end::complete;
    keep(i, std::move(found));
    show(i);
    // By how much it was worse when it stopped is chance; rounding below the best proves nothing.
    compared_plan& row = result_.compared[i];
    const double enough = std::max(least_ * all, first_bound);
    if (hopeless && enough < row.bound && enough / all >= least_) row.bound = enough;
  }

 private:
  /// Combinations that are planned at once, on threads.
  static constexpr std::size_t round_of_threads = 8;

  [[nodiscard]] double microbatches_of(std::size_t i) const {
    return static_cast<double>(open_[i].microbatches * result_.compared[i].pipelines);
  }

  /// Whether no plan of a combination with that bound can be the best. Ties go to the first.
  [[nodiscard]] bool is_hopeless(std::size_t i, double bound) const {
    return best_ && (bound > least_ || (bound == least_ && *best_ < i));
  }

  /// Keeps what a search found, or the first plan where that is better: then what the search proved holds for it, too.
  void keep(std::size_t i, outcome<plan> found) {
    if (!plans_[i]) {
      plans_[i] = std::move(found);
      return;
    }
    if (!found) return;
    if (!(plans_[i]->objective.value < found->objective.value)) {
      plans_[i] = std::move(found);
      return;
    }
    plan first = *std::move(plans_[i]);
    objective_value& of = first.objective;
    of.bound = std::min(of.value, std::max(of.bound, found->objective.bound));
    of.state = of.bound < of.value ? state::feasible : state::optimal;
    plans_[i] = of.state == state::optimal ? outcome<plan>::optimal(std::move(first))
                                           : outcome<plan>::feasible(std::move(first));
  }

  /// Shows a plan, or why there is none, in the row of its combination.
  void show(std::size_t i) {
    compared_plan& row = result_.compared[i];
    const outcome<plan>& found = plans_[i];
    row.state = found.state();
    row.why = found ? std::string() : found.why().text();
    if (!found) return;
    row.makespan = found->objective.value;
    row.bound = found->objective.bound;
    row.per_microbatch = row.makespan / microbatches_of(i);
  }

  /// Updates the best combination.
  void take_best() {
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (!plans_[i]) continue;
      const double here = result_.compared[i].per_microbatch;
      if (best_ && !(here < least_ || (here == least_ && i < *best_))) continue;
      best_ = i;
      least_ = here;
    }
  }

  /// The best plan is not proved best of all if another combination has a lower bound.
  void weaken() {
    double open = least_;  // no plan of any combination takes less per microbatch
    for (const compared_plan& row : result_.compared) {
      const bool none = row.state == state::infeasible || row.pipelines == 0;
      if (none || row.state == state::optimal) continue;
      const double here = row.bound / static_cast<double>(row.microbatches * row.pipelines);
      open = std::min(open, here);
    }
    if (!(open < least_)) return;
    plan best = *std::move(result_.best);
    best.objective.bound = best.objective.value * (open / least_);
    best.objective.state = state::feasible;
    result_.best = outcome<plan>::feasible(std::move(best));
  }

  /// Why none has a plan: the reason of the only one, of the one that lacks the fewest bytes, or of the first that has
  /// the shape of its schedule.
  void explain() {
    bool unknown = false;
    std::size_t chosen = open_.size();
    const reason* least = nullptr;
    for (std::size_t i = open_.size(); i-- > 0;) {
      const compared_plan& row = result_.compared[i];
      unknown = unknown || row.state == state::unknown;
      if (row.pipelines == 0 || !shape_obstacle(model_, open_[i]).empty()) continue;
      const reason& why = plans_[i].why();
      if (least != nullptr && least->lacks_fewer_bytes_than(why)) continue;
      chosen = i;
      if (why.lacks_fewer_bytes_than(reason())) least = &why;
    }
    if (open_.size() == 1 && plans_[0].why().what != reason::cause::limit_reached) {
      result_.best = std::move(plans_[0]);
      return;
    }
    const std::size_t at = chosen < open_.size() ? chosen : 0;
    const compared_plan& row = result_.compared[at];
    const std::string place = least == nullptr ? row.why : joined({text_of(open_[at]), ": ", row.why});
    const reason why{reason::cause::none_of_several, open_.size(), 0, place, ""};
    result_.best = unknown ? outcome<plan>::unknown(why) : outcome<plan>::infeasible(why);
  }

  /// A combination, for display.
  [[nodiscard]] static std::string text_of(const plan_request& asked) {
    return joined({to_string(asked.schedule), " on ", asked.devices, asked.stages_per_rank > 1 ? " devices, " : " devices",
                   asked.stages_per_rank > 1 ? joined({asked.stages_per_rank, " stages each"}) : std::string()});
  }

  void leave_out_impossible() {
    std::vector<compared_plan> possible;
    for (compared_plan& row : result_.compared) {
      plan_request asked = request_;
      asked.devices = row.devices, asked.stages_per_rank = row.stages_per_rank, asked.microbatches = row.microbatches;
      asked.schedule = row.schedule, asked.group = row.group;
      const bool has = has_shape(row.schedule, row.devices, row.stages_per_rank, row.microbatches, row.group);
      if (has && target_obstacle(model_, asked).empty()) possible.push_back(std::move(row));
    }
    result_.compared = std::move(possible);
  }

  const profile& model_;
  const plan_request& request_;
  const plan_choices& choices_;
  std::vector<plan_request> open_;
  plan_comparison result_{};
  std::vector<outcome<plan>> plans_{};  // of each combination, so far
  std::vector<std::size_t> nodes_{};
  std::vector<search_end> ended_{};
  std::optional<std::size_t> best_{};  // when the round began
  double least_ = 0;                   // its time per microbatch
  double end_ = request_.search.time_limit ? seconds_now() + *request_.search.time_limit : 0;
  double share_ = 0;  // seconds of each search of the round
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
