// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/detail/mixed_orders.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/detail/search_limits.hpp>
#include <stagecut/orders/detail/order_maker.hpp>
#include <stagecut/orders/detail/order_polish.hpp>
#include <stagecut/orders/detail/word_rules.hpp>
#include <stagecut/orders/detail/words_of_schedule.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/task_builder.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/task_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL schedule_problem least_problem(const schedule_problem& of) {
  schedule_problem result = of;
  result.together.clear();
  for (std::size_t s = 0; s < of.apart.size(); ++s) {
    result.again[s] -= of.apart[s];
    result.apart[s] = 0;
  }
  for (std::size_t s = 0; s < of.together.size(); ++s) {
    if (of.whole[s]) continue;
    std::int64_t& input = result.time[backward_of(s)];
    std::int64_t& weight = result.time[weight_of(s)];
    input = std::min(input, of.together[s]);
    weight = std::min(weight, of.together[s] - input);
  }
  return result;
}

STAGECUT_DECL std::optional<made_order> make_order(const schedule_problem& of, const synthesis_request& request,
                                                   transfer_kind transfers, double tick) {
  if (!of.together.empty()) {
    mixed_orders mixed(of, request, transfers, tick);
    mixed.make();
    if (!mixed.found()) return std::nullopt;
    return made_order{mixed.order(), mixed.makespan(), mixed.bound(), mixed.looked_at()};
  }
  order_maker maker(of, request, transfers, tick);
  if (request.start) maker.take(words_of_start(of, *request.start));
  maker.make();
  if (maker.words().empty()) return std::nullopt;
  return made_order{schedule_of(of, maker.words()), maker.makespan(), maker.bound(), maker.looked_at()};
}

/// Whether every rank can hold one microbatch at a time, with split passes.
[[nodiscard]] inline bool has_room(const schedule_problem& of) {
  for (std::size_t r = 0; of.capped() && r < of.ranks; ++r) {
    std::int64_t left = of.memory[r];
    for (const std::size_t s : of.stages_of[r]) left -= of.kept[s];
    for (std::size_t i = of.stages_of[r].size(); i-- > 0;) {
      const std::size_t s = of.stages_of[r][i];
      if (left < of.again[s]) return false;
      left += of.kept[s];
    }
  }
  return true;
}

STAGECUT_DECL mixed_orders::mixed_orders(const schedule_problem& of, const synthesis_request& request, transfer_kind transfers,
                                         double tick)
    : of_(of),
      request_(request),
      transfers_(transfers),
      tick_(tick),
      least_(least_problem(of)),
      apart_(of.stages() * of.microbatches) {
  for (std::size_t s = 0; s < of.stages(); ++s) {
    times_.forward.push_back(of.time[forward_of(s)]);
    times_.backward.push_back(of.whole[s] ? of.time[backward_of(s)] : of.together[s]);
    times_.backward_input.push_back(of.time[backward_of(s)]);
    times_.backward_weight.push_back(of.time[weight_of(s)]);
  }
  times_.all_reduce = of.all_reduce;
  times_.optimizer_step = of.step;
  messages_ = {transfers, {of.down.begin(), of.down.end() - 1}, {of.up.begin(), of.up.end() - 1}};
}

STAGECUT_DECL void mixed_orders::make() {
  if (request_.start) {
    consider_names(words_of_start(least_, *request_.start));
    consider_given(*request_.start);
  }
  if (any_saves()) consider_one_by_one();
  consider_named();
  bound_ = search(least_, 0.4);
  if (proved() || over()) return;
  schedule_problem apart = of_;
  apart.together.clear();
  if (has_room(apart)) search(apart, 0.15);
  if (proved() || over()) return;
  schedule_problem whole = least_;
  whole.split = false;
  for (std::size_t s = 0; s < of_.stages(); ++s) {
    whole.time[backward_of(s)] = times_.backward[s];
    whole.time[weight_of(s)] = 0;
  }
  search(whole, 0.15);
  if (found() && !proved()) polish();
}

STAGECUT_DECL bool mixed_orders::over() const {
  return is_over(request_.search, static_cast<double>(looked_at_), seconds_now() - began_);
}

STAGECUT_DECL schedule mixed_orders::merged(const order_names& words) const {
  schedule result = schedule_of(of_, words);
  for (auto& ops : result.orders) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < ops.size(); ++i, ++kept) {
      op each = ops[i];
      const bool both = each.kind == op_kind::backward_input && i + 1 < ops.size() && better(each.stage) &&
                        apart_[each.stage * of_.microbatches + each.microbatch] == 0 &&
                        ops[i + 1].kind == op_kind::backward_weight && ops[i + 1].stage == each.stage &&
                        ops[i + 1].microbatch == each.microbatch;
      if (both) each.kind = op_kind::backward, ++i;
      ops[kept] = each;
    }
    ops.resize(kept);
  }
  return result;
}

STAGECUT_DECL std::int64_t mixed_orders::time_of(const schedule& order) const {
  const task_graph graph(order, detail::options_of(order, times_, messages_));
  simulation_workspace<std::int64_t> workspace;
  return graph.makespan(times_, messages_, workspace);
}

STAGECUT_DECL bool mixed_orders::any_saves() const noexcept {
  for (std::size_t s = 0; s < of_.stages(); ++s) {
    if (of_.saves(s)) return true;
  }
  return false;
}

STAGECUT_DECL bool mixed_orders::fits(const schedule& order) const {
  if (!any_saves()) return true;
  for (std::size_t r = 0; r < of_.ranks; ++r) {
    std::int64_t room = of_.memory[r];
    for (const auto& op : order.orders[r]) {
      const std::size_t s = op.stage;
      if (op.kind == op_kind::forward) room -= of_.kept[s];
      if (op.kind == op_kind::backward) {
        if (room < least_.again[s]) return false;
        room += of_.kept[s];
      }
      if (op.kind == op_kind::backward_input) room -= of_.again[s];
      if (room < 0) return false;
      if (op.kind == op_kind::backward_input) room += of_.kept[s] - of_.late[s];
      if (op.kind == op_kind::backward_weight) room += of_.late[s] + of_.again[s];
    }
  }
  return true;
}

STAGECUT_DECL void mixed_orders::consider_one_by_one() {
  order_names words(of_.ranks);
  for (std::size_t r = 0; r < of_.ranks; ++r) {
    const std::vector<std::size_t>& stages = of_.stages_of[r];
    const auto add = [&](std::size_t letter) { words[r].push_back(static_cast<std::uint16_t>(letter)); };
    for (std::size_t k = 0; k < of_.microbatches; ++k) {
      for (const std::size_t s : stages) add(forward_of(s));
      for (std::size_t i = stages.size(); i-- > 0;) add(backward_of(stages[i])), add(weight_of(stages[i]));
    }
  }
  consider(merged(words));
}

STAGECUT_DECL void mixed_orders::consider(schedule order) {
  if (!fits(order)) return;
  const std::int64_t time = time_of(order);
  if (time >= makespan_) return;
  makespan_ = time;
  order_ = std::move(order);
  if (!request_.search.progress) return;
  search_progress now;
  now.seconds = seconds_now() - began_;
  now.value = static_cast<double>(makespan_) * tick_;
  now.bound = static_cast<double>(bound_) * tick_;
  now.nodes = looked_at_;
  request_.search.progress(now);
}

STAGECUT_DECL void mixed_orders::consider_names(const order_names& words) {
  consider(merged(words));
  consider(schedule_of(of_, words));
}

STAGECUT_DECL void mixed_orders::consider_given(const schedule& order) {
  for (const auto& ops : order.orders) {
    for (const auto& op : ops) {
      const bool part = op.kind == op_kind::backward_input || op.kind == op_kind::backward_weight;
      // The problem does not have a B that is longer than I and W.
      const bool whole = op.kind == op_kind::backward && !of_.whole[op.stage] && !better(op.stage);
      if (op.with_next || whole || (part && of_.whole[op.stage])) return;
    }
  }
  schedule same = order;
  same.name.clear();
  consider(std::move(same));
}

STAGECUT_DECL void mixed_orders::consider_named() {
  if (of_.stages() % of_.ranks != 0) return;
  word_rules allowed(least_);
  schedule_shape shape;
  shape.ranks = of_.ranks;
  shape.stages_per_rank = of_.stages() / of_.ranks;
  shape.microbatches = of_.microbatches;
  for (const schedule_entry& entry : schedules) {
    if (!has_shape(entry.kind, shape.ranks, shape.stages_per_rank, shape.microbatches)) continue;
    const schedule order = make_schedule(entry.kind, shape);
    const std::optional<order_names> words = words_of(of_, order);
    bool fits = words.has_value();
    for (std::size_t r = 0; fits && r < of_.ranks; ++r) fits = allowed(r, (*words)[r]);
    if (!fits) continue;
    consider_names(*words);
    consider_given(order);
    if (over()) return;
  }
}

STAGECUT_DECL std::int64_t mixed_orders::search(const schedule_problem& other, double share) {
  synthesis_request asked = request_;
  asked.start.reset();
  asked.search.progress = {};
  if (asked.search.time_limit) *asked.search.time_limit *= share;
  if (asked.search.node_limit) {
    asked.search.node_limit = static_cast<std::size_t>(static_cast<double>(*asked.search.node_limit) * share);
  }
  order_maker maker(other, asked, transfers_, tick_);
  if (other.split && found()) {
    word_rules allowed(other);
    auto words = words_of(other, order_);
    bool keeps = words.has_value();
    for (std::size_t r = 0; keeps && r < other.ranks; ++r) keeps = allowed(r, (*words)[r]);
    if (keeps) maker.take(*std::move(words));
  }
  maker.make();
  looked_at_ += maker.looked_at();
  if (maker.words().empty()) return maker.bound();
  order_names words = maker.words();
  if (!other.split) {  // each B as I and W
    for (auto& word : words) {
      std::vector<std::uint16_t> longer;
      for (const std::uint16_t letter : word) {
        longer.push_back(letter);
        if (is_backward(letter)) longer.push_back(static_cast<std::uint16_t>(letter + 1));
      }
      word = std::move(longer);
    }
  }
  consider_names(words);
  return maker.bound();
}

STAGECUT_DECL void mixed_orders::polish() {
  order_names words = *words_of(of_, order_);
  const auto exact = [&](const order_names& changed) {
    const schedule order = merged(changed);
    return time_of(order) + (fits(order) ? 0 : 2 * makespan_);  // never better than the incumbent
  };
  random_bits random(request_.search.seed, 2, 0);
  std::size_t asked = 0;
  bool done = false;
  const auto stop = [&] {
    if (done || ++asked % 16 != 0) return done;
    looked_at_ += 16;
    return done = over();
  };
  const bool limited = request_.search.time_limit || request_.search.node_limit;
  const std::int64_t period = 1 + bound_ / static_cast<std::int64_t>(of_.microbatches);
  constexpr std::size_t most_rounds = 48;  // without limits
  for (std::size_t round = 0; !proved() && !done && (limited || round < most_rounds); ++round) {
    order_polish within(least_, std::move(words), exact);
    const auto enough = [&] { return within.best() <= bound_ || stop(); };
    within.anneal(512, period / (std::int64_t{50} << (round % 3)), random, enough);
    words = within.words();
    part_passes(words, random, stop);
    consider(merged(words));
    done = done || stop();
  }
}

STAGECUT_DECL void mixed_orders::part_passes(const order_names& words, random_bits& random, function_ref<bool()> stop) {
  std::int64_t now = time_of(merged(words));
  for (std::size_t s = 0; s < of_.stages(); ++s) {
    for (std::size_t k = 0; better(s) && k < of_.microbatches && !stop(); ++k) {
      char& here = apart_[s * of_.microbatches + k];
      here ^= 1;
      const schedule order = merged(words);
      const std::int64_t time = time_of(order);
      if (!fits(order) || time > now || (time == now && random.below(2) == 0)) {
        here ^= 1;
      } else {
        now = time;
      }
    }
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
