// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/makespan/cut_improver.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace engine {
struct layered_graph;
class stage_layout;
}  // namespace engine

/// All cuts that are left, to be looked at one by one.
struct exhaustion {
  const engine::cut_problem* problem = nullptr;  ///< what is cut
  const engine::layered_graph* graph = nullptr;  ///< its paths are the cuts
  const engine::stage_layout* layout = nullptr;  ///< which cut a path is
  double most = 0;                               ///< a makespan in ticks: cuts above it do not count
  double seconds = 0;                            ///< that are left; infinite if the search has no limit
  function_ref<bool()> stop{};                   ///< to be asked now and then; true: there are too many
};

/// What is known of them.
enum class exhaustion_answer : std::uint8_t {
  too_many,  ///< nothing: they were not all looked at
  none,      ///< none is allowed and takes at most so long
  found      ///< the best that is allowed was written
};

/// Who may look at all cuts that are left. It is asked with graphs of falling size, and says soon if there are too many.
///
/// What it says is believed: that no other cut is better than the one it writes is a part of the proof.
using cut_exhauster_ref = function_ref<exhaustion_answer(const exhaustion&, view<std::size_t>)>;

/// A bound that is asked for.
struct bounding {
  const engine::cut_problem* problem = nullptr;  ///< what is cut
  double bound = 0;                              ///< in ticks: no cut has less
  double makespan = 0;                           ///< of the best cut so far, likewise
  double seconds = 0;                            ///< that may be spent; infinite if the search has no limit
  function_ref<bool()> stop{};                   ///< to be asked now and then; true: what is known is wanted at once
};

/// Who may know a better bound: it returns one, in ticks, or the one that is known. What it says is believed.
using cut_bounder_ref = function_ref<double(const bounding&)>;

/// Who helps a search for the least makespan: `search::helpers_on` has all of them, made of mass evaluation on the processors
/// of a host or on a device. They are referred to, and must outlive the search; none is needed.
struct makespan_helpers {
  cut_improver_ref improver{};    ///< looks for better cuts
  cut_exhauster_ref exhauster{};  ///< looks at all cuts that are left
  cut_bounder_ref bounder{};      ///< bounds all cuts
};

}  // namespace stagecut::inline STAGECUT_ABI
