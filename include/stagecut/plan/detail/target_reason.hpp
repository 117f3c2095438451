// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/plan/detail/decoder_layouts.hpp>
#include <stagecut/plan/detail/explain_infeasible_plan.hpp>
#include <stagecut/plan/parts/check_memory.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/parts/target_stages.hpp>
#include <stagecut/plan/parts/whole_backward.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/parts/each_tie.hpp>
#include <stagecut/profile/profile.hpp>

// Which rule of a target leaves no cut.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether all cuts of that many blocks can be enumerated in about a second.
[[nodiscard]] constexpr bool is_patient(std::size_t blocks, std::size_t stages) noexcept {
  return blocks <= (std::size_t{1} << 25U) / stages / blocks;
}

/// Two layers of one block whose places are on different stages, in words; empty: none.
[[nodiscard]] inline std::string parted_places(const target_entry& entry, const profile& model, const cuts& blocks) {
  const target_kinds kinds(entry, model);
  for (std::size_t b = 0; b < blocks.stages(); ++b) {
    const interval layers = blocks.stage(b);
    std::size_t front = model.layers.size();
    for (std::size_t i = layers.first; i < layers.last; ++i) {
      const layer_place place = kinds.place(i);
      if (place == layer_place::first_stage) front = i;
      if (place != layer_place::last_stage || front == model.layers.size()) continue;
      return joined({kind_text(model.layers[front]), " has its place on the first stage, ", kind_text(model.layers[i]),
                     " on the last, and they must share a stage"});
    }
  }
  return "";
}

/// The shared parameters for which a target keeps all layers between their users on one stage; empty: none.
[[nodiscard]] inline std::string tied_text(const target_entry& entry, const profile& model) {
  std::string text;
  std::vector<std::size_t> first;
  if (entry.shared != tie_rule::one_stage) return text;
  detail::each_tie(model, [&](std::size_t i, const tied_parameters& tied, std::size_t name) {
    if (name == first.size()) return first.push_back(i);
    if (!text.empty() || first[name] == i) return;
    text = joined({kind_text(model.layers[i]), " shares ", in_quotes(tied.name), " with ",
                   kind_text(model.layers[first[name]]), ", and its stages share no parameters"});
  });
  return text;
}

/// The layers that predict further tokens, if a target keeps several of them on one stage; empty: none.
[[nodiscard]] inline std::string further_text(const target_entry& entry, const profile& model) {
  const target_kinds kinds(entry, model);
  std::size_t count = 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) count += kinds.place(i) == layer_place::one_of_the_last ? 1 : 0;
  if (count < 2) return "";
  return joined({"the ", count, " layers that guess further tokens, of kind \"mtp\", must stand on one stage"});
}

/// Why there are fewer blocks than stages: the target's rule, if the blocks without it suffice.
[[nodiscard]] inline reason too_many_target_stages(const profile& model, const plan_request& asked, const cuts& blocks,
                                                   std::size_t stages) {
  if (asked.target == framework::none) return too_many_stages(blocks, stages);
  const target_entry& entry = entry_of(asked.target);
  std::string rule = tied_text(entry, model);
  if (rule.empty()) rule = further_text(entry, model);
  if (rule.empty()) return too_many_stages(blocks, stages);
  return {reason::cause::constraint, stages, blocks.stages(), joined({entry.name, ": ", rule}),
          joined({"that leaves ", blocks.stages(), blocks.stages() == 1 ? " block" : " blocks", " for ", stages,
                  " stages"})};
}

/// The layers that leave no cut for an order that splits I and W of all stages, in words.
/// @pre there are some
[[nodiscard]] inline std::string whole_text(const profile& model) {
  const std::vector<std::size_t> until = apart_until(model);
  std::size_t first = 1;
  while (first + 1 < until.size() && until[first] >= model.layers.size()) ++first;
  return joined(
      {why_run_whole(model, first, until[first] + 1),
       ", so no stage behind stage 0 that has it runs I and W apart, as this schedule would: 1f1b, interleaved and "
       "synthesize run B whole"});
}

/// Why no cut satisfies the rules of a target, with any memory; unset: one does, or it takes too long to find out.
/// O(n² k) for n blocks.
[[nodiscard]] inline std::optional<reason> target_conflict(const target_entry& entry, const profile& model,
                                                           const cuts& blocks, const target_stages& allowed,
                                                           std::size_t devices, std::size_t chunks) {
  const std::size_t stages = devices * chunks;
  const auto told = [&](const std::string& rule) {
    return reason{reason::cause::constraint, stages, 0, joined({entry.name, ": ", rule}), ""};
  };
  const std::size_t without = ends_without_decoders(entry, stages, chunks);
  if (entry.counts != decoder_counts::none && allowed.decoders() + without < stages) {
    return told(
        joined({stages, " stages of at least one decoder each", without == 0 ? "" : " but for the first and the last",
                ", and there are ", allowed.decoders()}));
  }
  if (const std::string parted = parted_places(entry, model, blocks); !parted.empty()) return told(parted);
  if (entry.counts == decoder_counts::equal_or_ends) {
    if (!decoder_layouts(entry, model, blocks).all(devices, chunks).empty()) return std::nullopt;
    return told(joined({allowed.decoders(), " decoders do not come out even on ", stages, " stages",
                        chunks > 1 ? "" : ", nor with others on the first and the last", "; megatron has layouts"}));
  }
  constexpr double none = std::numeric_limits<double>::infinity();
  const auto possible = [&](std::size_t s, std::size_t first, std::size_t last) {
    return allowed(s, first, last) ? 0.0 : none;
  };
  if (!is_patient(blocks.stages(), stages) || engine::least_fullest(blocks.stages(), stages, possible) != none)
    return {};
  if (allowed.runs_some_whole()) {
    const target_stages whole = allowed.of_order(std::vector<bool>(stages, false));
    const auto run_whole = [&](std::size_t s, std::size_t first, std::size_t last) {
      return whole(s, first, last) ? 0.0 : none;
    };
    if (engine::least_fullest(blocks.stages(), stages, run_whole) != none) return told(whole_text(model));
  }
  std::size_t most = 0;  // stages with a layer: one of those in front, one of those behind, and one for each other
  bool front = false, behind = false;
  const target_kinds kinds(entry, model);
  for (std::size_t b = 0; b < blocks.stages(); ++b) {
    const layer_place place = kinds.place(blocks[b]);
    const layer_place last = kinds.place(blocks[b + 1] - 1);
    if (place == layer_place::first_stage) {
      front = true;
    } else if (last == layer_place::last_stage) {
      behind = true;
    } else {
      ++most;
    }
  }
  if (most + (front ? 1 : 0) + (behind ? 1 : 0) < stages) {
    return told(
        joined({stages, " stages, and at most ", most + (front ? 1 : 0) + (behind ? 1 : 0),
                " have a layer: what stands on the first stage is one, what stands on the last is one, there are ",
                most, " others"}));
  }
  return told(joined({"no cut into ", stages, " stages has every layer in its place"}));
}

/// The least need of the fullest stage over cuts that a target can express, if none is within `bytes`; `held(s, first,
/// last)` takes blocks. Unset: it takes too long to find out. O(n² k) calls.
[[nodiscard]] inline reason target_shortage(const target_entry& entry, const cuts& blocks, const target_stages& allowed,
                                            const std::vector<cuts>& layouts, std::size_t stages, double bytes,
                                            function_ref<double(std::size_t, std::size_t, std::size_t)> held) {
  constexpr double none = std::numeric_limits<double>::infinity();
  double least = none;
  for (const cuts& layout : layouts) {
    double most = 0;
    for (std::size_t s = 0; s < stages; ++s) {
      const double here = held(s, layout[s], layout[s + 1]);
      most = std::max(most, here);
    }
    least = std::min(least, most);
  }
  if (layouts.empty() && is_patient(blocks.stages(), stages)) {
    const auto allowed_held = [&](std::size_t s, std::size_t first, std::size_t last) {
      return allowed(s, first, last) ? held(s, first, last) : none;
    };
    least = engine::least_fullest(blocks.stages(), stages, allowed_held);
  }
  if (!(least > bytes)) least = bytes + 1;
  return {reason::cause::memory, engine::whole_bytes(least), engine::floor_bytes(bytes),
          joined({"the fullest of ", stages, " stages, in whatever cut ", entry.name, " can express,"}), ""};
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
