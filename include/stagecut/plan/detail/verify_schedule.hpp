// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/detail/check_notes.hpp>
#include <stagecut/plan/detail/reference_simulator.hpp>
#include <stagecut/plan/detail/verified_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/schedule_shape.hpp>

// The passes of a plan, in their order.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Microbatches in flight for which a named order has to be made; records what is wrong with them.
[[nodiscard]] inline std::vector<std::size_t> asked_in_flight(const plan& made, check_notes& notes) {
  std::vector<std::size_t> result;
  std::size_t before = made.schedule.microbatches;
  for (std::size_t s = 0; s < made.stages.size(); ++s) {
    const std::size_t said = made.stages[s].in_flight;
    const std::size_t here = said < made.schedule.microbatches ? said : made.schedule.microbatches;
    if (here == 0 || here > before)
      notes.broken(stage_text(s), "its microbatches in flight are none, or more than before it");
    before = here;
    result.push_back(said);
  }
  return result;
}

/// The same order with every slice as a microbatch. With one stage a device the order of its passes makes slices wait
/// for each other.
[[nodiscard]] inline schedule slices_as_microbatches(schedule order) {
  if (order.slices == 1) return order;
  for (std::vector<op>& rank : order.orders) {
    for (op& each : rank) {
      each.microbatch = each.microbatch * order.slices + each.slice;
      each.slice = 0;
    }
  }
  order.microbatches *= order.slices;
  order.slices = 1;
  return order;
}

/// The order of that name, as the library makes it; without ranks if there is none.
[[nodiscard]] inline schedule named_order(const plan& made, check_notes& notes) {
  const schedule_entry* entry = find_schedule(made.schedule.name);
  if (entry == nullptr) return notes.broken("", joined({in_quotes(made.schedule.name), " is no schedule"})), schedule();
  if (entry->make == nullptr) {
    return notes.broken("", joined({in_quotes(made.schedule.name), " is made for its stages, and it gives no order"})),
           schedule();
  }
  if (entry->takes == shape_figure::slices && made.schedule.slices <= 1) {
    return notes.not_checked("", "it does not give the number of slices of a sequence"), schedule();
  }
  bool last_kept = false;
  for (const planned_stage& stage : made.stages) last_kept = last_kept || stage.backward_kept;
  if (last_kept && entry->with_last_kept == entry->kind) {
    notes.broken("", "the last microbatch is not the first to go back, and keeps its activations");
  }
  if (last_kept) entry = &entry_of(entry->with_last_kept);
  schedule_shape shape;
  shape.ranks = made.devices;
  shape.stages_per_rank = made.stages_per_rank;
  shape.microbatches = made.schedule.microbatches;
  if (entry->takes == shape_figure::in_flight) shape.in_flight = detail::asked_in_flight(made, notes);
  if (made.schedule.slices != 1 && entry->takes != shape_figure::slices) {
    return notes.broken("", joined({in_quotes(entry->name), " does not cut sequences into slices"})), schedule();
  }
  shape.slices = made.schedule.slices;
  const bool as_one = entry->kind == schedule_kind::interleaved && made.stages_per_rank == 1;  // 1F1B
  shape.group = made.schedule.group;
  const std::size_t m = shape.microbatches;
  const bool fits = shape.group != 0
                        ? entry->fits_group != nullptr &&
                              (as_one || entry->fits_group(made.devices, made.stages_per_rank, m, shape.group))
                        : entry->fits == nullptr || entry->fits(made.devices, made.stages_per_rank, m);
  const bool chunks = entry->stages_per_rank == 0 || entry->stages_per_rank == made.stages_per_rank;
  if (!chunks || (!fits && !as_one)) {
    notes.broken("", joined({in_quotes(entry->name), " is not made for ", made.devices, " devices, ",
                             made.stages_per_rank, " stages per rank and ", m, " microbatches",
                             shape.group == 0 ? std::string() : joined({" in groups of ", shape.group})}));
  }
  return notes.is_broken() ? schedule() : detail::slices_as_microbatches(make_schedule(entry->kind, shape));
}

/// The order of a plan, its own or the one of its name; without ranks if there is none.
[[nodiscard]] inline schedule order_of_plan(const verified_plan& all, check_notes& notes) {
  const plan& made = all.made;
  constexpr std::size_t most = std::size_t{1} << 20U;
  if (made.schedule.name.empty() && made.schedule.orders.empty()) {
    return notes.not_checked("", "it names no schedule"), schedule();
  }
  if (made.schedule.microbatches == 0) return notes.not_checked("", "its microbatches are not known"), schedule();
  const std::size_t slices = made.schedule.slices == 0 ? 1 : made.schedule.slices;
  if (made.schedule.microbatches > most / made.stages.size() ||
      slices > most / made.stages.size() / made.schedule.microbatches) {
    return notes.not_checked("", "it has more than 2^20 forward passes"), schedule();
  }
  const std::size_t stages = made.stages.size();
  if (made.stages_per_rank == 0 || stages % made.stages_per_rank != 0 ||
      stages / made.stages_per_rank != made.devices) {
    return notes.not_checked("", "there are not as many stages as devices times stages per rank"), schedule();
  }
  if (made.schedule.orders.empty()) {
    schedule result = detail::named_order(made, notes);
    for (std::size_t s = 0; s < result.stages(); ++s) {
      if (s < made.stages.size() && result.rank_of[s] == made.stages[s].device) continue;
      return notes.broken(stage_text(s),
                          joined({"is not on device ", result.rank_of[s], ", where that schedule has it"})),
             schedule();
    }
    return result;
  }
  schedule result;
  result.microbatches = made.schedule.microbatches;
  for (const planned_stage& stage : made.stages) result.rank_of.push_back(stage.device);
  result.orders = made.schedule.orders;
  if (!made.schedule.name.empty()) notes.broken("", "it names a schedule and gives an order of its own");
  if (result.orders.size() != made.devices) {
    notes.broken("", "there is not one order for each device", static_cast<double>(result.orders.size()),
                 static_cast<double>(made.devices));
  }
  return result;
}

/// What is wrong at a position of a rank's order; empty: nothing. `met` are the kinds of passes so far, by stage and
/// microbatch: F, B, I, W.
[[nodiscard]] inline const char* misplaced(const schedule& order, std::size_t r, std::size_t i,
                                           std::vector<unsigned char>& met) {
  const std::vector<op>& ops = order.orders[r];
  const op& each = ops[i];
  if (!is_compute(each.kind) || each.slice != 0) return "is no pass of a whole microbatch";
  if (each.stage >= order.stages() || order.rank_of[each.stage] != r) return "is of no stage of its rank";
  if (each.microbatch >= order.microbatches) return "is of no microbatch of the iteration";
  const auto bit = static_cast<unsigned char>(1U << static_cast<unsigned>(each.kind));
  unsigned char& seen = met[each.stage * order.microbatches + each.microbatch];
  constexpr unsigned char before[] = {0, 1, 1, 5};  // F; F; F and I
  if (seen != before[static_cast<std::size_t>(each.kind)]) return "stands twice, or before a pass that it needs";
  seen = static_cast<unsigned char>(seen | bit);
  if (!each.with_next) return "";
  const bool pair = each.kind == op_kind::forward && i + 1 < ops.size() && ops[i + 1].kind == op_kind::backward &&
                    !ops[i + 1].with_next && ops[i + 1].microbatch != each.microbatch;
  return pair ? "" : "runs together with the next op, which is no B of another microbatch";
}

/// Checks that every pass is once in the order of its rank, after those of its stage that it needs.
inline void verify_order(const verified_plan& all, const schedule& order, check_notes& notes) {
  const std::size_t m = order.microbatches;
  std::vector<unsigned char> met(order.stages() * m);
  bool splits = false;
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    for (std::size_t i = 0; i < order.orders[r].size(); ++i) {
      const char* const wrong = detail::misplaced(order, r, i, met);
      splits = splits || order.orders[r][i].kind == op_kind::backward_input;
      if (wrong[0] == '\0') continue;
      return notes.broken(joined({"device ", r, ", op ", i, " (", to_string(order.orders[r][i]), ")"}), wrong);
    }
  }
  for (std::size_t s = 0; s < order.stages(); ++s) {
    for (std::size_t k = 0; k < m; ++k) {
      const unsigned seen = met[s * m + k];
      if (seen != 3 && seen != 13) return notes.broken(joined({"stage ", s, ", microbatch ", k}), "a pass is missing");
    }
    if (!splits || all.seconds.empty() || all.seconds[s].splits || all.made.stages[s].backward_weight) continue;
    return notes.broken(stage_text(s), "I and W run apart, and its layers have no times of each");
  }
}

/// The most microbatches that each stage keeps.
[[nodiscard]] inline std::vector<std::size_t> most_in_flight(const schedule& order) {
  std::vector<std::size_t> held(order.stages());
  std::vector<std::size_t> most(order.stages());
  for (const auto& ops : order.orders) {
    for (const auto& op : ops) {
      if (op.kind == op_kind::forward) ++held[op.stage];
      if (op.kind == op_kind::backward || op.kind == op_kind::backward_weight) --held[op.stage];
      if (most[op.stage] < held[op.stage]) most[op.stage] = held[op.stage];
    }
  }
  return most;
}

/// Checks the order of a plan, and returns it; without ranks if it has none, or a wrong one.
[[nodiscard]] inline schedule verify_order_of(const verified_plan& all, check_notes& notes) {
  schedule order = detail::order_of_plan(all, notes);
  if (notes.holds() && order.ranks() != 0) detail::verify_order(all, order, notes);
  if (!notes.holds()) return {};
  const std::vector<std::size_t> most = detail::most_in_flight(order);
  for (std::size_t s = 0; s < most.size(); ++s) {
    const std::size_t said = all.made.stages[s].in_flight;
    if (said == 0 || said == most[s]) continue;
    notes.broken(stage_text(s), "keeps another number of microbatches in flight", static_cast<double>(said),
                 static_cast<double>(most[s]));
  }
  return order;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
