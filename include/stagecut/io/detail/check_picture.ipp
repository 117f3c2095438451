// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/pictures/check_picture.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

STAGECUT_DECL picture_check::picture_check(std::string_view function, const pipeline_picture& picture)
    : function_(function), picture_(picture) {
  for (const stage_edge& edge : picture.order.edges) {
    for (const std::size_t end : {edge.from, edge.to}) {
      require(end < picture.order.stages(), "order.edges", end, "is no stage");
    }
  }
  links_.emplace(picture.order);
  const simulation<double>& run = picture.run;
  check_size("run.ranks.size()", run.ranks.size(), false);
  check_size("run.ops.size()", run.ops.size(), false);
  check_size("run.transfers.size()", run.transfers.size(), true);
  check_size("run.updates.size()", run.updates.size(), true);
  check_size("memory.size()", picture.memory.size(), true);
  for (const std::size_t rank : picture.order.rank_of)
    require(rank < picture.order.ranks(), "order.rank_of", rank, "is no rank");
  require(is_amount(run.makespan), "run.makespan", 0, "is not finite");
  for (const auto& rank : run.ops) {
    for (const auto& op : rank)
      require(is_compute(op.what.kind), "run.ops", op.what.stage, "computes nothing"), check(op);
  }
  for (const auto& rank : run.transfers) {
    for (const auto& op : rank)
      require(is_transfer(op.what.kind), "run.transfers", op.what.stage, "sends nothing"), check(op);
  }
  for (const auto& rank : run.updates) {
    for (const auto& op : rank)
      require(is_update(op.what.kind), "run.updates", op.what.stage, "updates nothing"), check(op);
  }
  for (const auto& step : run.critical_path) check(step);
  for (const auto& rank : run.ranks) {
    require(is_amount(rank.busy) && is_amount(rank.blocked) && is_amount(rank.idle), "run.ranks", 0, "is no time");
  }
  for (const auto& rank : picture.memory) check(rank);
  require(!picture.memory_limit || is_amount(*picture.memory_limit), "memory_limit", 0, "is no amount");
  for (const double limit : picture.memory_limits) require(is_amount(limit), "memory_limits", 0, "is no amount");
}

STAGECUT_DECL void picture_check::require(bool holds, std::string_view argument, std::size_t value,
                                          std::string_view problem) const {
  if (!holds)
    fail(argument_error(joined({"io::", function_}), joined({"picture.", argument}), std::to_string(value), problem));
}

STAGECUT_DECL void picture_check::check_size(std::string_view argument, std::size_t size, bool may_be_empty) const {
  require(size == picture_.order.ranks() || (may_be_empty && size == 0), argument, size, "must be the number of ranks");
}

STAGECUT_DECL bool picture_check::is_amount(double value) { return is_finite(value) && !is_negative(value); }

STAGECUT_DECL void picture_check::check(const timed_op<double>& each) const {
  const stagecut::schedule& order = picture_.order;
  const op& what = each.what;
  require(what.stage < order.stages(), "run", what.stage, "is no stage");
  require(is_update(what.kind) || what.microbatch < order.microbatches, "run", what.microbatch, "is no microbatch");
  require(is_update(what.kind) || what.slice < order.slices, "run", what.slice, "is no slice");
  if (is_transfer(what.kind)) {
    const bool forward = what.kind == op_kind::send_forward;
    require(forward || what.kind == op_kind::send_backward, "run", what.stage,
            "receives, and transfers are given by their senders");
    require(links_->find(what) != nullptr, "run", what.stage, "has no stage to send to");
  }
  const bool inside = is_amount(each.start) && is_amount(each.end) && each.start <= each.end;
  require(inside && each.end <= picture_.run.makespan, "run", what.stage, "has an op outside the makespan");
}

STAGECUT_DECL void picture_check::check(const rank_memory<double>& rank) const {
  require(is_amount(rank.resident) && is_amount(rank.peak_activations), "memory", 0, "holds what is no amount");
  for (const auto& point : rank.curve) {
    require(is_amount(point.time) && is_finite(point.activations), "memory", 0, "holds what is no amount");
    require(point.time <= picture_.run.makespan, "memory", 0, "changes outside the makespan");
  }
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI::io
