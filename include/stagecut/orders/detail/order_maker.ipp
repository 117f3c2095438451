// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/detail/order_maker.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/orders/detail/order_heads.hpp>
#include <stagecut/orders/detail/order_polish.hpp>
#include <stagecut/orders/detail/order_proof.hpp>
#include <stagecut/orders/detail/order_search.hpp>
#include <stagecut/orders/detail/order_ticks.hpp>
#include <stagecut/orders/detail/word_problem.hpp>
#include <stagecut/orders/detail/words_of_schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL order_words words_of_start(const word_problem& of, const schedule& start) {
  check_schedule(start);
  std::optional<order_words> words = words_of(of, start);
  if (!words) refuse_order("start", "{…}", "must be of these ranks, stages and microbatches, with passes one by one");
  word_rules allowed(of);
  for (std::size_t r = 0; r < of.ranks; ++r) {
    if (!allowed(r, (*words)[r])) refuse_order("start", "{…}", joined({"must keep to the memory of rank ", r}));
  }
  return *std::move(words);
}

STAGECUT_DECL void order_maker::take(order_words words) {
  if (occupies()) {
    const std::int64_t time = time_of(words);
    if (taken_.empty() || time < taken_time_) {
      taken_ = words;
      taken_time_ = time;
    }
  }
  search_.take(std::move(words));
}

STAGECUT_DECL void order_maker::make() {
  // Some order first, whatever time there is.
  search_.begin();
  detail::named_words(of_, [&](order_words words) {
    take(std::move(words));
    return !over(0);
  });
  until_ = 0.3;
  if (over(0)) return finish();
  order_heads heads(of_, precedence_of(of_));
  heads.settle(stop_proof_);
  bound_ = heads.bound();
  // An order near the bound is soon proved, or shown to be none of the shortest; what is far from it is looked for first.
  for (const std::size_t rounds : {std::size_t{1}, all_rounds}) {
    until_ = 0.5;
    search_.look(bound_, rounds);
    if (search_.makespan() == order_search::never) break;
    if (rounds != all_rounds && search_.makespan() - bound_ > bound_ / 32) continue;
    until_ = rounds == all_rounds ? 0.7 : 0.4;
    bound_ = raised_bound(heads, bound_, search_.makespan(), proof_work(), stop_proof_);
  }
  until_ = occupies() ? 0.8 : 1;
  if (search_.makespan() != order_search::never) search_.look(bound_, all_rounds);
  finish();
}

STAGECUT_DECL void order_maker::finish() {
  if (search_.makespan() == order_search::never) return;
  words_ = search_.words();
  if (occupies())
    settle_messages();
  else
    makespan_ = search_.makespan();
  if (found() < told_makespan_) tell(seconds_now() - began_);
}

STAGECUT_DECL std::size_t order_maker::proof_work() const noexcept {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  const std::size_t passes = of_.kinds() * of_.stages() * of_.microbatches;
  if (!limits_.node_limit || *limits_.node_limit > most / passes) return most;
  return *limits_.node_limit * passes;
}

STAGECUT_DECL bool order_maker::over(std::size_t looked_at) {
  if (limits_.node_limit && static_cast<double>(looked_at) >= until_ * static_cast<double>(*limits_.node_limit)) {
    return true;
  }
  const double seconds = seconds_now() - began_;
  if (seconds > told_ + 0.1 || found() < told_makespan_) tell(seconds);
  if (limits_.time_limit && seconds >= until_ * *limits_.time_limit) return true;
  return limits_.stop && limits_.stop();
}

STAGECUT_DECL void order_maker::tell(double seconds) {
  told_ = seconds;
  told_makespan_ = found();
  if (!limits_.progress) return;
  makespan_progress now;
  now.seconds = seconds;
  if (found() != order_search::never) now.makespan = static_cast<double>(found()) * tick_;
  now.bound = static_cast<double>(bound_) * tick_;
  now.nodes = looked_at();
  limits_.progress(now);
}

STAGECUT_DECL void order_maker::settle_messages() {
  until_ = 1;
  if (!taken_.empty() && taken_time_ < time_of(words_)) words_ = taken_;
  const auto exact = [&](const order_words& words) { return time_of(words); };
  order_polish within(of_, words_, exact);
  random_bits random(seed_, 1, 0);
  const auto stop = [&] {
    makespan_ = within.best();
    return makespan_ <= bound_ || over(search_.looked_at() + 16 * ++polished_);
  };
  for (std::size_t round = 0; !stop(); ++round) {
    within.anneal(1024, search_.period() / (std::int64_t{50} << (round % 3)), random, stop);
  }
  words_ = within.words();
  makespan_ = within.best();
}

STAGECUT_DECL std::int64_t order_maker::time_of(const order_words& words) const {
  pass_times<std::int64_t> times;
  transfer_times<std::int64_t> messages{
      transfers_, {of_.down.begin(), of_.down.end() - 1}, {of_.up.begin(), of_.up.end() - 1}};
  for (std::size_t s = 0; s < of_.stages(); ++s) {
    times.forward.push_back(of_.time[forward_of(s)]);
    (of_.split ? times.backward_input : times.backward).push_back(of_.time[backward_of(s)]);
    if (of_.split) times.backward_weight.push_back(of_.time[weight_of(s)]);
  }
  times.all_reduce = of_.all_reduce;
  times.optimizer_step = of_.step;
  const schedule order = schedule_of(of_, words);
  const task_graph graph(order, detail::options_of(order, times, messages));
  simulation_workspace<std::int64_t> workspace;
  return graph.makespan(times, messages, workspace);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
