// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/torch_schedule.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/detail/torch_reader.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/io/frameworks/torch_letters.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/plan/parts/whole_backward.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/lower_transfers.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// Adds a REDUCE_GRAD after the last backward pass of every stage, and its messages.
[[nodiscard]] inline schedule with_reduced_gradients(schedule all) {
  std::vector<std::size_t> left(all.stages(), all.microbatches);  // remaining backward passes of a stage
  for (auto& order : all.orders) {
    std::vector<op> made;
    std::vector<op> due;
    for (const op& each : order) {
      if (each.kind != op_kind::send_backward) made.insert(made.end(), due.begin(), due.end()), due.clear();
      made.push_back(each);
      if (each.kind != op_kind::backward && each.kind != op_kind::backward_weight) continue;
      if (--left[each.stage] == 0) due.push_back({op_kind::reduce_gradient, each.stage});
    }
    made.insert(made.end(), due.begin(), due.end());
    order = std::move(made);
  }
  return all;
}

/// A line for PyTorch: the actions of a rank, with all waits if requested.
[[nodiscard]] inline std::string torch_line(const std::vector<op>& order, bool waits) {
  std::string text;
  std::string sends;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i != 0) text += ',';
    const op& each = order[i];
    if (each.with_next) {
      text += joined({"(", to_string(each), ";", to_string(order[++i]), ")OVERLAP_F_B"});
      continue;
    }
    text += to_string(each);
    if (!waits || (!is_send(each.kind) && each.kind != op_kind::reduce_gradient)) continue;
    const bool reduced = each.kind == op_kind::reduce_gradient;
    const std::string microbatch = reduced ? std::string() : std::to_string(each.microbatch);
    (reduced ? text : sends) += joined({",", each.stage, "WAIT_", to_string(each.kind), microbatch});
  }
  return text.append(sends).append("\n");
}

}  // namespace detail

STAGECUT_DECL schedule parse_torch_schedule(std::string_view text, std::string_view source, torch_letters letters,
                                            const read_limits& limits) {
  detail::check_size(text, source, limits);
  return detail::torch_reader(text, source, letters).read();
}

namespace detail {

STAGECUT_DECL bool is_chain(const schedule& all) {
  bool result = all.edges.empty() || all.edges.size() + 1 == all.stages();
  for (std::size_t e = 0; e < all.edges.size(); ++e) result = result && all.edges[e] == stage_edge{e, e + 1};
  return result;
}

}  // namespace detail

STAGECUT_DECL std::string as_torch_schedule(const schedule& all, torch_format format, torch_backward backward,
                                            torch_version version) {
  const bool comms = format == torch_format::compute_comms;
  const auto refuse = [&](std::string_view why) {
    detail::fail(not_representable(comms ? "torch-comms" : "torch-csv", why, "schedule"));
  };
  check_schedule(all);
  if (all.slices > 1) refuse("its microbatches have slices, which PyTorch's actions cannot name");
  if (!detail::is_chain(all)) refuse("its stages have edges, and PyTorch's are a chain");
  schedule out = all;
  out.edges.clear();
  for (std::size_t r = 0; r < all.ranks(); ++r) {
    if (all.orders[r].empty()) refuse(detail::joined({"rank ", r, " has no stage"}));
    out.orders[r].clear();
    for (const auto& op : all.orders[r]) {
      if (comms && op.kind == op_kind::optimizer_step) refuse("PyTorch has no action for an optimizer's step");
      if (comms || is_compute(op.kind)) out.orders[r].push_back(op);
    }
  }
  if (backward == torch_backward::merged) out = merge_backward(out);
  const bool waits = comms && version == torch_version::v2_15;
  schedule lowered = lower_transfers(out);  // also rejects what PyTorch cannot lower when it reads the passes
  // Added after lowering: as a separate op it would take up a step there, and move receipts.
  if (waits && !has_kind(lowered, op_kind::reduce_gradient)) lowered = detail::with_reduced_gradients(std::move(lowered));
  std::string text;
  for (const auto& order : (comms ? lowered : out).orders) text += detail::torch_line(order, waits);
  return text;
}

STAGECUT_DECL void check_torch_order(const plan& made, const schedule& order) {
  const std::vector<bool> apart = stagecut::detail::stages_apart(order, made.stages.size());
  const std::string why = stagecut::detail::whole_obstacle(made, apart);
  if (why.empty()) return;
  stagecut::detail::fail(not_representable(
      "torch-csv", stagecut::detail::joined({why, "; plan for pytorch, or with B whole, as 1f1b"}), "schedule"));
}

}  // namespace stagecut::inline STAGECUT_ABI::io
