// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/option_search.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/joint/detail/in_flight_filter.hpp>
#include <stagecut/joint/detail/option_disjunction.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/option_program.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void option_search::begin(std::vector<std::uint32_t> plan) {
  best = std::move(plan);
  makespan = simulate(problem_.times_of(best));
  first_row_ = static_cast<std::uint32_t>(rows_.size() - 1);
}

STAGECUT_DECL bool option_search::run() {
  if (!program_) {
    program_ = std::make_unique<option_program>(problem_, rows_, makespan);
    open_.push({option_paths::all_live(graph_), 0, {}});
  }
  while (!open_.empty()) {
    const double here = open_.least();
    bound = std::max(bound, here);
    if (bound > makespan - step()) break;
    if (clock_.look()) return false;
    node next = open_.pop();
    ++looked_at;
    clock_.state.nodes += nodes_of_set;
    if (evaluate(next)) split(next);
  }
  bound = makespan;
  return true;
}

STAGECUT_DECL double option_search::simulate(const std::vector<double>& times) {
  ++simulations;
  const double here = problem_.makespan(times);
  problem_.simulator->count_critical(counts_);
  last_row_ = static_cast<std::uint32_t>(rows_.add(counts_).row);
  return here;
}

STAGECUT_DECL bool option_search::combine(node& here) {
  const std::vector<std::uint32_t>& rows = program_->rows();
  const std::vector<double> multipliers = program_->multipliers();
  weights_.assign(problem_.order->stages() * engine::tick_kinds, 0);
  double constant = 0;  // what messages add
  const std::vector<double> messages = problem_.no_passes();
  for (std::size_t k = 0; k < multipliers.size(); ++k) {
    if (multipliers[k] == 0) continue;
    const std::vector<double>& counts = rows_.counts(rows[k]);
    for (std::size_t j = 0; j < counts.size(); ++j) weights_[j] += multipliers[k] * counts[j];
    constant += multipliers[k] * rows_.length(rows[k], messages);
  }
  paths_.price(here.live, weights_);
  const double least = paths_.least();
  if (least >= no_time) return false;
  const double sure = surely(least + constant);
  here.bound = std::max(here.bound, sure);
  if (is_closed(here.bound)) return false;
  paths_.path(plan_);
  dropped_ = paths_.drop_above((makespan - step()) * (1 + 0x1p-40) - constant, here.live);
  return true;
}

STAGECUT_DECL void option_search::mix() {
  times_ = problem_.no_passes();
  program_->each_share([&](std::size_t r, std::size_t o, double share) {
    const rank_options& rank = graph_.ranks[r];
    for (std::size_t j = 0; j < rank.width(); ++j) {
      times_[rank.stage(j / rank.kinds()) * engine::tick_kinds + j % rank.kinds()] += share * rank.times(j)[o];
    }
  });
}

STAGECUT_DECL void option_search::offer(const std::vector<std::uint32_t>& plan) {
  const double here = simulate(problem_.times_of(plan));
  if (here >= makespan) return;
  makespan = here;
  best = plan;
  clock_.tell();
}

STAGECUT_DECL bool option_search::evaluate(node& here) {
  if (filter_.applies()) filter_.drop_above((makespan - step()) * (1 + 0x1p-40), here.live);
  for (const std::vector<char>& rank : here.live) {
    bool any = false;
    for (const char each : rank) any = any || each != 0;
    if (!any) return false;
  }
  if (here.basis.rows.empty()) {
    program_->begin(here.live, best, first_row_);
  } else {
    program_->begin(here.live, here.basis);
  }
  std::vector<double> history;
  for (std::size_t round = 0; round < most_rounds; ++round) {
    program_->solve(400);
    if (!combine(here)) return false;
    if (dropped_ != 0) program_->change(here.live);
    offer(plan_);
    if (is_closed(here.bound)) return false;
    const double value = program_->value();
    mix();
    const double mixed = simulate(times_);
    program_->add_row(last_row_);
    if (mixed <= value * (1 + 1e-7) && dropped_ == 0) break;
    history.push_back(here.bound);
    if (history.size() > few_rounds) {
      const double gain = here.bound - history[history.size() - 1 - few_rounds];
      if (gain < (looked_at == 1 ? 0.002 : 0.03) * (makespan - here.bound)) break;
    }
    program_->drop_loose(most_rows);
    if (clock_.look()) break;
  }
  program_->solve(400);
  if (!combine(here)) return false;
  offer(plan_);
  here.basis = program_->keep();
  return !is_closed(here.bound);
}

STAGECUT_DECL void option_search::split(node& here) {
  const disjunction by = disjunction_choice(graph_, here.live, *program_).best();
  if (by.score <= 0) return split_rank(here);
  node below{here.live, here.bound, here.basis};
  for (std::size_t r = 0; r < graph_.ranks.size(); ++r) {
    if (side_of(graph_.ranks[r], here.live[r], by) != 0) continue;
    const double* const times = graph_.ranks[r].times(by.slot);
    node above{below.live, here.bound, here.basis};
    for (std::size_t o = 0; o < graph_.ranks[r].size(); ++o) {
      (times[o] > by.limit ? below : above).live[r][o] = 0;
    }
    open_.push(std::move(above));
  }
  open_.push(std::move(below));
}

STAGECUT_DECL void option_search::split_rank(node& here) {
  std::size_t widest = 0;
  std::size_t most = 0;
  for (std::size_t r = 0; r < here.live.size(); ++r) {
    std::size_t count = 0;
    for (const char each : here.live[r]) count += each != 0 ? 1U : 0U;
    if (count > most) most = count, widest = r;
  }
  if (most < 2) return;  // the plan was offered
  node second{here.live, here.bound, here.basis};
  std::size_t seen = 0;
  for (std::size_t o = 0; o < here.live[widest].size(); ++o) {
    if (here.live[widest][o] == 0) continue;
    (seen++ < most / 2 ? second : here).live[widest][o] = 0;
  }
  open_.push(std::move(second));
  open_.push(std::move(here));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
