// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/joint/detail/hybrid_rules.hpp>
#include <stagecut/joint/detail/stage_time_search.hpp>
#include <stagecut/joint/hybrid_request.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The stage that needs most bytes.
struct fullest_stage {
  std::size_t number = 0;
  double bytes = 0;

  explicit fullest_stage(const stage_time_search& search) {
    for (std::size_t s = 0; s < search.stages().size(); ++s) {
      const stage_option& option = search.stages()[s].option;
      const double here = hybrid_rules::held_bytes(option, search.held()[s]);
      if (s > 0 && here <= bytes) continue;
      number = s;
      bytes = here;
    }
  }

  [[nodiscard]] std::string place(const stage_time_search& search) const {
    const bool chain = search.of_chain();
    const hybrid_stage& stage = search.stages()[number];
    const std::size_t held = search.held()[number];
    return joined({"stage ",
                   number,
                   " of ",
                   search.stages().size(),
                   " of the plan that needs least, ",
                   chain ? "layers " : "from point ",
                   stage.first,
                   chain ? "-" : " to ",
                   chain ? stage.last - 1 : stage.last,
                   " on ",
                   stage.option.replicas,
                   " x ",
                   stage.option.ways,
                   " devices, with ",
                   bytes_text(engine::whole_bytes(stage.option.resident)),
                   " that stay and ",
                   held,
                   held == 1 ? " microbatch" : " microbatches",
                   " in flight of ",
                   bytes_text(engine::whole_bytes(stage.option.activations)),
                   ","});
  }
};

/// Why there is no plan whatever its stages take: the fewest bytes of a device with which there is one, and the fullest stage
/// of that plan; or that memory is not the obstacle. If a limit is reached first, bytes that would do.
[[nodiscard]] inline reason why_no_stage_time(stage_time_search& search, const hybrid_request& request) {
  using found = stage_time_search::found;
  constexpr double any_time = std::numeric_limits<double>::max();
  reason why{reason::cause::constraint};
  why.place = joined({request.stages ? joined({*request.stages, " "}) : std::string(), "stages ",
                      request.at_most ? "on at most " : "on all ", request.devices, " devices are not possible"});
  if (!request.memory_per_device) return why;
  if (search.run(any_time, std::nullopt) != found::plan) return why;
  fullest_stage fullest(search);
  std::string place = fullest.place(search);
  std::size_t enough = engine::whole_bytes(fullest.bytes);
  std::size_t too_few = engine::floor_bytes(*request.memory_per_device);
  bool least = true;
  bool halve = true;
  while (enough > too_few + 1 && least) {
    const std::size_t tried = halve ? too_few + (enough - too_few) / 2 : enough - 1;
    const found what = search.run(any_time, static_cast<double>(tried));
    least = what != found::stopped;
    if (what == found::none) too_few = tried;
    halve = what == found::none && !halve ? true : !halve;
    if (what != found::plan) continue;
    fullest = fullest_stage(search);
    place = fullest.place(search);
    enough = engine::whole_bytes(fullest.bytes) < tried ? engine::whole_bytes(fullest.bytes) : tried;
  }
  why.what = reason::cause::memory;
  why.available = engine::floor_bytes(*request.memory_per_device);
  why.needed = least ? enough : too_few + 1;  // so much is proved
  why.place = least ? std::move(place) : "the fullest stage";
  why.remedy = joined({enough, " bytes a device would do"});
  return why;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
