// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/operator_set.hpp>

#include <cstddef>
#include <cstdint>

#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/set_cost.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL void operator_set::add(std::size_t e) {
  count<1>(costs_->of(e));
  for (const operator_costs::link& link : costs_->nets_of(e)) {
    const std::uint32_t now = ++inside_[link.net];
    cut(link.net, static_cast<ticks>(now == 1) - static_cast<ticks>(now == link.pins));
  }
  if (works_in(e) != 0) ++workspaces_[works_in(e)];
  for (const std::uint32_t i : costs_->shared_by(e)) {
    if (++inside_[costs_->nets() + i] == 1) resident_ += costs_->shared_bytes(i);
  }
}

STAGECUT_DECL void operator_set::remove(std::size_t e) {
  count<-1>(costs_->of(e));
  for (const operator_costs::link& link : costs_->nets_of(e)) {
    const std::uint32_t before = inside_[link.net]--;
    cut(link.net, static_cast<ticks>(before == link.pins) - static_cast<ticks>(before == 1));
  }
  if (works_in(e) != 0 && --workspaces_[works_in(e)] == 0) workspaces_.erase(works_in(e));
  for (const std::uint32_t i : costs_->shared_by(e)) {
    if (--inside_[costs_->nets() + i] == 0) resident_ -= costs_->shared_bytes(i);
  }
}

STAGECUT_DECL auto operator_set::value(const stage_role& role) const noexcept -> ticks {
  const ticks beside = costs_->constant(role.stage);
  if (role.kind != 0) return cpu_ + beside;
  const ticks forward = costs_->at_speed(forward_, role.stage);
  const ticks backward = costs_->at_speed(backward_, role.stage);
  if (costs_->options().overlap == message_overlap::none) {
    return forward + cut_.forward + backward + cut_.backward + beside;
  }
  return (forward < cut_.forward ? cut_.forward : forward) + (backward < cut_.backward ? cut_.backward : backward) +
         beside;
}

STAGECUT_DECL auto operator_set::least(const stage_role& role) const noexcept -> ticks {
  const ticks beside = costs_->constant(role.stage);
  if (role.kind != 0) return cpu_ + beside;
  return costs_->at_speed(forward_, role.stage) + costs_->at_speed(backward_, role.stage) + beside;
}

STAGECUT_DECL bool operator_set::fits(const stage_role& role) const noexcept {
  if (fixed_ != 0 && (fixed_sum_ != role.stage * fixed_ || fixed_squares_ != role.stage * role.stage * fixed_)) {
    return false;
  }
  return role.kind != 0 ? not_on_cpu_ == 0 : not_on_accelerator_ == 0 && memory(role) <= costs_->limit();
}

STAGECUT_DECL bool operator_set::may_grow(const stage_role& role) const noexcept {
  if (cut_.buffers == 0 || role.kind != 0 || memory(role) <= costs_->limit()) return fits(role);
  return not_on_accelerator_ == 0 && memory(role) - cut_.buffers <= costs_->limit();
}

STAGECUT_DECL auto operator_set::weight(std::size_t e, std::size_t kind) const noexcept -> ticks {
  const operator_costs::figures& each = costs_->of(e);
  if (kind != 0) return each.on_cpu ? each.cpu : never;
  return costs_->at_best(each.forward) + costs_->at_best(each.backward);
}

STAGECUT_DECL auto operator_set::memory(const stage_role& role) const noexcept -> ticks {
  const ticks workspace = workspaces_.empty() ? 0 : workspaces_.rbegin()->first;
  return resident_ + costs_->in_flight(role.stage, role.stages) * activations_ + workspace + cut_.buffers;
}

STAGECUT_DECL void operator_set::cut(std::size_t net, ticks times) noexcept {
  cut_.forward += times * costs_->weight_of(net).forward;
  cut_.backward += times * costs_->weight_of(net).backward;
  cut_.buffers += times * costs_->weight_of(net).buffers;
}

}  // namespace stagecut::inline STAGECUT_ABI
