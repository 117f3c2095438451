// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/check_schedule.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/schedule/detail/op_set.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/stage_links.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL bool has_transfers(const schedule& all) noexcept {
  for (const auto& order : all.orders) {
    for (const auto& op : order) {
      if (is_transfer(op.kind)) return true;
    }
  }
  return false;
}

[[nodiscard]] STAGECUT_DECL std::string too_large(std::string_view what, std::size_t value, std::size_t bound) {
  return joined({"names ", what, " ", value, ", which must be below ", bound});
}

/// The fault of a transfer's other end, or of one set on an op that is not a transfer; empty: none.
[[nodiscard]] STAGECUT_DECL std::string peer_problem(const schedule& all, const stage_links& links, const op& each) {
  if (each.peer != op::neighbour && (links.chain() || !is_transfer(each.kind))) {
    return joined({"names stage ", each.peer, " at its other end, as only transfers along edges do"});
  }
  if (!is_transfer(each.kind)) return {};
  if (!links.chain() && each.peer == op::neighbour) return "does not name the stage at its other end";
  const stage_links::link* const along = links.find(each);
  if (along == nullptr && !links.chain()) return "goes along no edge";
  if (along == nullptr || !crosses_ranks(all, each.stage, *along)) return "crosses no boundary between two ranks";
  return {};
}

/// The fault of an op by itself and with the next op; empty: none.
[[nodiscard]] STAGECUT_DECL std::string op_problem(const schedule& all, const stage_links& links, std::size_t rank,
                                                   std::size_t position) {
  const op& each = all.orders[rank][position];
  if (each.stage >= all.stages()) return too_large("stage", each.stage, all.stages());
  if (all.rank_of[each.stage] != rank) {
    return joined({"stands on rank ", rank, ", and its stage on rank ", all.rank_of[each.stage]});
  }
  if (each.microbatch >= all.microbatches) return too_large("microbatch", each.microbatch, all.microbatches);
  if (each.slice >= all.slices) return too_large("slice", each.slice, all.slices);
  if (!has_microbatch(each.kind) && (each.microbatch != 0 || each.slice != 0))
    return "is of a stage, not of a microbatch";
  if (is_transfer(each.kind) || each.peer != op::neighbour) {
    if (std::string problem = peer_problem(all, links, each); !problem.empty()) return problem;
  }
  if (!each.with_next) return {};
  if (each.kind != op_kind::forward) return "is to run together with the next op, as F alone may";
  if (position + 1 < all.orders[rank].size()) {
    const op& next = all.orders[rank][position + 1];
    if (next.kind == op_kind::backward && next.microbatch != each.microbatch) return {};
  }
  return "is to run together with the next op, which must be B of another microbatch";
}

/// The fault of an op after the ops of its rank in `met`; empty: none.
[[nodiscard]] STAGECUT_DECL std::string order_problem(const op_set& met, const op& each) {
  const auto needs = [&](op_kind kind) { return joined({"needs ", op_text(kind, each), " before it"}); };
  const auto late = [&](op_kind kind) { return joined({"stands behind ", op_text(kind, each), ", which needs it"}); };
  const auto has = [&](op_kind kind) { return met.contains(kind, each); };
  if (has(each.kind)) return "stands on its rank twice";
  switch (each.kind) {
    case op_kind::backward:
    case op_kind::backward_input:
      if (!has(op_kind::forward)) return needs(op_kind::forward);
      if (!met.contains_gradient(each)) return {};
      return joined({"stands behind ",
                     op_text(has(op_kind::backward) ? op_kind::backward : op_kind::backward_input, each),
                     ": B is I and W in one"});
    case op_kind::backward_weight:
      if (has(op_kind::backward))
        return joined({"stands behind ", op_text(op_kind::backward, each), ": B is I and W in one"});
      return has(op_kind::backward_input) ? std::string() : needs(op_kind::backward_input);
    case op_kind::send_forward: return has(op_kind::forward) ? std::string() : needs(op_kind::forward);
    case op_kind::send_backward: return met.contains_gradient(each) ? std::string() : needs(op_kind::backward_input);
    case op_kind::receive_forward: return has(op_kind::forward) ? late(op_kind::forward) : std::string();
    case op_kind::receive_backward:
      if (!met.contains_gradient(each)) return {};
      return late(has(op_kind::backward) ? op_kind::backward : op_kind::backward_input);
    default: return {};
  }
}

/// The first kind of op that a stage, microbatch and slice lacks, as text; empty: none.
[[nodiscard]] STAGECUT_DECL std::string missing_op(const schedule& all, const stage_links& links, const op_set& met,
                                                   bool transfers, const op& of) {
  const bool split = met.contains(op_kind::backward_input, of);
  const auto lacks = [&](op_kind kind) { return !met.contains(kind, of); };
  if (lacks(op_kind::forward)) return op_text(op_kind::forward, of);
  if (!split && lacks(op_kind::backward)) return op_text(op_kind::backward, of);
  if (split && lacks(op_kind::backward_weight)) return op_text(op_kind::backward_weight, of);
  if (!transfers) return {};
  for (const op_kind kind :
       {op_kind::send_forward, op_kind::receive_forward, op_kind::send_backward, op_kind::receive_backward}) {
    for (const stage_links::link& link : links.of(of.stage, leads_down(kind))) {
      if (!crosses_ranks(all, of.stage, link)) continue;
      const op wanted{kind, of.stage, of.microbatch, of.slice, false, links.peer(link)};
      if (!met.contains(kind, wanted)) return to_string(wanted);
    }
  }
  return {};
}

/// A stage with too few forward passes, if the schedule is too small to hold all of them.
[[nodiscard]] STAGECUT_DECL schedule_fault few_passes(const schedule& all) {
  std::vector<std::size_t> passes(all.stages());
  for (const auto& order : all.orders) {
    for (const auto& op : order) passes[op.stage] += op.kind == op_kind::forward ? 1U : 0U;
  }
  std::size_t s = 0;
  while (s + 1 < all.stages() && passes[s] / all.slices >= all.microbatches) ++s;
  return {all.rank_of[s], schedule_fault::none,
          joined({"stage ", s, " has ", passes[s], " F, too few for ", all.microbatches, " microbatches in ",
                  all.slices, " slices"})};
}

/// The fault of a schedule's shape, placement and edges.
[[nodiscard]] STAGECUT_DECL schedule_fault shape_fault(const schedule& all) {
  const auto whole = [](std::string problem) {
    return schedule_fault{schedule_fault::none, schedule_fault::none, std::move(problem)};
  };
  if (all.stages() == 0) return whole("has no stage: rank_of is empty");
  if (all.microbatches == 0) return whole("has no microbatch");
  if (all.slices == 0) return whole("has no slice");
  for (std::size_t s = 0; s < all.stages(); ++s) {
    if (all.rank_of[s] < all.ranks()) continue;
    return whole(joined({"stage ", s, " ", too_large("rank", all.rank_of[s], all.ranks())}));
  }
  return whole(edge_problem(all));
}

/// The first op of a rank that is wrong after the previous ones, or the first one missing on all ranks.
[[nodiscard]] STAGECUT_DECL schedule_fault order_fault(const schedule& all, const stage_links& links) {
  const bool transfers = has_transfers(all);
  op_set met(all, links, transfers);
  for (std::size_t r = 0; r < all.ranks(); ++r) {
    for (std::size_t i = 0; i < all.orders[r].size(); ++i) {
      const op& each = all.orders[r][i];
      if (!has_microbatch(each.kind)) continue;
      if (std::string problem = order_problem(met, each); !problem.empty()) return {r, i, std::move(problem)};
      met.insert(each);
    }
  }
  for (op of; of.stage < all.stages(); ++of.stage) {
    for (of.microbatch = 0; of.microbatch < all.microbatches; ++of.microbatch) {
      for (of.slice = 0; of.slice < all.slices; ++of.slice) {
        const std::string missing = missing_op(all, links, met, transfers, of);
        if (!missing.empty()) return {all.rank_of[of.stage], schedule_fault::none, joined({missing, " is missing"})};
      }
    }
  }
  return {};
}

STAGECUT_DECL schedule_fault find_fault(const schedule& all) {
  if (schedule_fault wrong = shape_fault(all); !wrong.problem.empty()) return wrong;
  const stage_links links(all);
  std::size_t ops = 0;
  for (std::size_t r = 0; r < all.ranks(); ++r) {
    ops += all.orders[r].size();
    for (std::size_t i = 0; i < all.orders[r].size(); ++i) {
      if (std::string problem = op_problem(all, links, r, i); !problem.empty()) return {r, i, std::move(problem)};
    }
  }
  // Avoids a table for more passes than ops.
  if (all.microbatches > ops / all.stages() || all.slices > ops / (all.stages() * all.microbatches)) {
    return few_passes(all);
  }
  return order_fault(all, links);
}

}  // namespace detail

STAGECUT_DECL void check_schedule(const schedule& all) {
  const detail::schedule_fault fault = detail::find_fault(all);
  if (fault.problem.empty()) return;
  std::string place = fault.rank == fault.none ? "schedule" : detail::joined({"rank ", fault.rank});
  if (fault.op != fault.none) {
    place += detail::joined({", op ", fault.op, " (", to_string(all.orders[fault.rank][fault.op]), ")"});
  }
  detail::fail(invalid_input(place, fault.problem));
}

}  // namespace stagecut::inline STAGECUT_ABI
