// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/tables/sweep_csv.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/tables/csv.hpp>
#include <stagecut/plan/sweep_row.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL std::string sweep_csv(view<const sweep_row> rows) {
  std::string text =
      "devices,microbatches,schedule,stages_per_rank,checkpoint,state,makespan,bound,per_microbatch,memory,memory_bound,front,"
      "dominated,why\n";
  const auto known = [](bool is, double value) { return is ? detail::csv_number(value) : std::string(); };
  for (const sweep_row& row : rows) {
    const bool plan = row.has_plan();
    const std::initializer_list<std::string> fields = {std::to_string(row.devices),
                                                       std::to_string(row.microbatches),
                                                       to_string(row.schedule),
                                                       std::to_string(row.stages_per_rank),
                                                       to_string(row.checkpoint),
                                                       to_string(row.state),
                                                       known(plan, row.makespan),
                                                       known(row.bound > 0, row.bound),
                                                       known(plan, row.per_microbatch),
                                                       known(plan, row.memory),
                                                       known(row.memory_bound > 0, row.memory_bound),
                                                       row.on_front ? "1" : "0",
                                                       row.dominated ? "1" : "0",
                                                       detail::csv_field(row.why)};
    std::string_view separator;
    for (const std::string& field : fields) {
      text.append(separator).append(field);
      separator = ",";
    }
    text += '\n';
  }
  return text;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
