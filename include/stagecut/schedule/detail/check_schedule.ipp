// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/check_schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

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
