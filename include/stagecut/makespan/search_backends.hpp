// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/callback.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/makespan/cut_heuristic.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace engine {
struct layered_graph;
class stage_layout;
}  // namespace engine

/// The remaining cuts, for exhaustive evaluation.
struct enumeration_call {
  const engine::cut_problem* problem = nullptr;  ///< the cut problem
  const engine::layered_graph* graph = nullptr;  ///< a graph whose paths are the cuts
  const engine::stage_layout* layout = nullptr;  ///< maps a path to its cut
  double most = 0;                               ///< a makespan in ticks; cuts above it do not count
  double seconds = 0;                            ///< time left; infinite if the search has no limit
  function_ref<bool()> stop{};                   ///< polled now and then; true: there are too many
};

/// The outcome of an exhaustive evaluation.
enum class enumeration_answer : std::uint8_t {
  too_many,  ///< no result: not all cuts were evaluated
  none,      ///< no allowed cut has makespan `most` or less
  found      ///< the best allowed cut was written
};

/// Evaluates all remaining cuts. The search calls it with graphs of shrinking size; it returns early if there are too
/// many cuts.
///
/// The search trusts the answer: the proof relies on no other cut being better than the one written.
using cut_enumerator = callback<enumeration_answer(const enumeration_call&, view<std::size_t>)>;

/// A request for a lower bound.
struct bound_call {
  const engine::cut_problem* problem = nullptr;  ///< the cut problem
  double bound = 0;                              ///< a known lower bound, in ticks
  double value = 0;                              ///< makespan of the best cut so far, in ticks
  double seconds = 0;                            ///< time limit; infinite if the search has no limit
  function_ref<bool()> stop{};                   ///< polled now and then; true: return what is known at once
};

/// Returns a better lower bound in ticks, or the known one. The search trusts the answer.
using bound_provider = callback<double(const bound_call&)>;

/// Functions that take part in a search for the smallest makespan, all optional. `search::backends_on` provides all of them,
/// built on mass evaluation on the host's processors or on a device. A request owns them; `std::ref` makes it refer to one.
struct search_backends {
  callback<bool(const heuristic_call&, view<std::size_t>)> heuristic{};  ///< finds better cuts
  cut_enumerator enumerator{};                                           ///< evaluates all remaining cuts
  stagecut::bound_provider bound_provider{};                             ///< bounds all cuts
};

}  // namespace stagecut::inline STAGECUT_ABI
