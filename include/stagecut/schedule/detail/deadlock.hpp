// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/stage_links.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Calls `visit` for each dependency of an op, except the end of its rank's earlier ops; stops when it returns true. An
/// I stands for the gradient of a stage's input: it may be a B.
/// @param transfers  whether the schedule has transfer ops
/// @return           whether `visit` returned true
template <class Visit>
[[nodiscard]] bool any_need(const schedule& all, const stage_links& links, bool transfers, const op& each,
                            const Visit& visit) {
  const auto pass = [&](op_kind kind, std::size_t stage, std::size_t slice) {
    return visit(op{kind, stage, each.microbatch, slice});
  };
  const auto arrivals = [&](op_kind receive, op_kind made) {
    for (const stage_links::link& from : links.of(each.stage, leads_down(receive))) {
      if (transfers && crosses_ranks(all, each.stage, from)) {
        const op receipt{receive, each.stage, each.microbatch, each.slice, false, links.peer(from)};
        // A received tensor is there once it was sent: a rank may pass its RECV before that.
        if (visit(receipt) || visit(other_end(receipt))) return true;
      } else if (pass(made, from.stage, each.slice)) {
        return true;
      }
    }
    return false;
  };
  switch (each.kind) {
    case op_kind::forward:
      if (arrivals(op_kind::receive_forward, op_kind::forward)) return true;
      return each.slice != 0 && pass(op_kind::forward, each.stage, each.slice - 1);
    case op_kind::backward:
    case op_kind::backward_input:
      if (pass(op_kind::forward, each.stage, each.slice)) return true;
      if (arrivals(op_kind::receive_backward, op_kind::backward_input)) return true;
      return each.slice + 1 != all.slices && pass(op_kind::backward_input, each.stage, each.slice + 1);
    case op_kind::send_forward: return pass(op_kind::forward, each.stage, each.slice);
    case op_kind::backward_weight:
    case op_kind::send_backward: return pass(op_kind::backward_input, each.stage, each.slice);
    case op_kind::receive_forward:
    case op_kind::receive_backward: return visit(other_end(each));
    default: return false;
  }
}

/// The number of ops that a rank runs as one from a position on: two if F runs with the B after it.
[[nodiscard]] inline std::size_t action_size(const std::vector<op>& order, std::size_t at) noexcept {
  return order[at].with_next && at + 1 < order.size() ? 2 : 1;
}

/// An op that a rank cannot begin, and the dependency that blocks it.
struct blocked_op {
  op waiting{};              ///< the op
  op needed{};               ///< the op that it waits for
  std::size_t position = 0;  ///< position of that op on its rank
  bool found = false;        ///< whether there is a blocked op
  bool stands = false;       ///< whether the needed op is in the schedule
};

/// Finds an op of a schedule; for an I, the B that includes it counts.
inline void find_op(const schedule& all, blocked_op& result) {
  const op& of = result.needed;
  const std::vector<op>& order = all.orders[all.rank_of[of.stage]];
  for (std::size_t i = 0; i < order.size(); ++i) {
    const op& each = order[i];
    const bool kind = each.kind == of.kind || (of.kind == op_kind::backward_input && each.kind == op_kind::backward);
    if (!kind || each.stage != of.stage || each.microbatch != of.microbatch || each.slice != of.slice) continue;
    if (each.peer != of.peer) continue;
    result.needed.kind = each.kind;
    result.position = i;
    result.stands = true;
    return;
  }
}

/// What keeps a rank before its end from its next op when `at[r]` ops of each rank r are done.
[[nodiscard]] inline blocked_op blocked_on(const schedule& all, const stage_links& links, bool transfers,
                                           view<const std::size_t> at, std::size_t rank) {
  blocked_op result;
  const std::vector<op>& order = all.orders[rank];
  const auto is_missing = [&](const op& needed) {
    result.needed = needed;
    result.stands = false;
    find_op(all, result);
    result.found = !result.stands || result.position >= at[all.rank_of[result.needed.stage]];
    return result.found;
  };
  for (std::size_t i = 0; i < action_size(order, at[rank]); ++i) {
    result.waiting = order[at[rank] + i];
    if (detail::any_need(all, links, transfers, result.waiting, is_missing)) return result;
    // If a sender waits for its receiver, that is the last dependency to report.
    if (is_send(result.waiting.kind) && is_missing(other_end(result.waiting))) return result;
  }
  return result;
}

/// Explains why no rank of a schedule can continue: the ops that wait for each other in a cycle, from one of them back
/// to it.
///
/// @param all  valid for `check_schedule`, with or without transfers
/// @param at   number of ops done per rank; of length p
/// @return     `deadlock: 1F0 on rank 1 waits for 0F0 on rank 0, which stands behind 0B0, which waits for …`; empty if
///             some op could run, so that there is no fault
///
/// O(p) passes over the order of a rank.
[[nodiscard]] inline std::string deadlock_text(const schedule& all, view<const std::size_t> at) {
  const bool transfers = has_transfers(all);
  const stage_links links(all);
  std::size_t rank = 0;
  while (rank < all.ranks() && at[rank] >= all.orders[rank].size()) ++rank;
  if (rank == all.ranks()) return {};
  // Follows each rank to the one that it waits for, until a rank repeats.
  std::vector<std::size_t> path;
  std::vector<blocked_op> blocked;
  std::vector<std::size_t> step(all.ranks(), all.ranks());
  for (; step[rank] == all.ranks(); rank = all.rank_of[blocked.back().needed.stage]) {
    step[rank] = path.size();
    path.push_back(rank);
    blocked.push_back(blocked_on(all, links, transfers, at, rank));
    if (!blocked.back().found) return {};
    if (!blocked.back().stands) break;
  }
  const std::size_t first = blocked.back().stands ? step[rank] : 0;
  std::string text = joined({"deadlock: ", to_string(blocked[first].waiting), " on rank ", path[first]});
  for (std::size_t i = first; i < path.size(); ++i) {
    const blocked_op& here = blocked[i];
    const blocked_op& next = blocked[i + 1 < path.size() ? i + 1 : first];
    const std::size_t there = all.rank_of[here.needed.stage];
    text += joined({i == first ? " waits for " : ", which waits for ", to_string(here.needed)});
    if (!here.stands) return text += ", which no rank runs";
    if (there != path[i]) text += joined({" on rank ", there});
    if (to_string(here.needed) == to_string(next.waiting)) continue;
    const bool together = here.position < at[there] + action_size(all.orders[there], at[there]);
    text += joined({together ? ", which runs together with " : ", which stands behind ", to_string(next.waiting)});
  }
  return text;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
