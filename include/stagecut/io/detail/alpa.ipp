// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/alpa.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The meshes of all stages: rows of devices, or replicas by shards.
[[nodiscard]] inline std::string mesh_shapes(const plan& p, bool logical) {
  bool single = true;
  for (const planned_stage& each : p.stages) single = single && each.replicas * each.tensor_parallel == 1;
  if (single) return joined({"[(1,1)]*", p.cuts.stages()});
  return joined({"[",
                 sequence_text(p.cuts.stages(), ",",
                               [&](std::size_t s) {
                                 const planned_stage& stage = p.stages[s];
                                 return logical ? joined({"(", stage.replicas, ",", stage.tensor_parallel, ")"})
                                                : joined({"(1,", stage.replicas * stage.tensor_parallel, ")"});
                               }),
                 "]"});
}

}  // namespace detail

STAGECUT_DECL std::string as_alpa(const plan& p) {
  detail::check_no_stage_empty(detail::check_target("as_alpa", framework::alpa, p).name, p);
  const auto stage_text = [&](std::size_t s) {
    std::vector<std::size_t> layers;
    for (std::size_t i = p.cuts[s]; i < p.cuts[s + 1]; ++i) layers.push_back(i);
    return detail::list_text(layers, ",");
  };
  const std::size_t stages = p.cuts.stages();
  return detail::joined({"ManualStageOption([", detail::sequence_text(stages, ",", stage_text), "], ",
                         detail::mesh_shapes(p, false), ", ", detail::mesh_shapes(p, true), ", [{}]*", stages, ")"});
}

}  // namespace stagecut::inline STAGECUT_ABI::io
