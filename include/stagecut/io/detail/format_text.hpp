// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>

// Shared by the writers of frameworks' formats: text fragments, and checks of a plan. Each check takes the name of the
// format, and throws not_representable.
namespace stagecut::inline STAGECUT_ABI::io::detail {

// Checks of the numbers of layers, stages and devices of a plan.

/// Rejects a plan with inconsistent numbers of layers, stages and devices.
/// @throws argument_error if the parts of the plan contradict each other
inline void check_parts(std::string_view function, const plan& p) {
  const auto require = [&](bool holds, std::string_view argument, std::size_t value, std::string_view requirement) {
    if (!holds) fail(argument_error(joined({"io::", function}), argument, std::to_string(value), requirement));
  };
  const bool by_cuts = p.assignment.empty();
  const std::size_t layers = p.profile.layers.size();
  const std::size_t stages = by_cuts ? p.cuts.stages() : p.stages.size();
  require(p.devices != 0, "plan.devices", p.devices, "must be at least 1");
  require(p.stages_per_rank != 0, "plan.stages_per_rank", p.stages_per_rank, "must be at least 1");
  const std::size_t items = by_cuts ? p.cuts.items() : p.assignment.size();
  require(items == layers, by_cuts ? "plan.cuts.items()" : "plan.assignment.size()", items,
          joined({"must be the number of layers, ", layers}));
  for (const std::size_t stage : p.assignment) {
    require(stage < stages, "plan.assignment", stage, joined({"must be below the number of stages, ", stages}));
  }
  const bool full = stages % p.stages_per_rank == 0 && stages / p.stages_per_rank == p.devices;
  require(full || (has_virtual_stages(p) && (stages + p.stages_per_rank - 1) / p.stages_per_rank <= p.devices),
          by_cuts ? "plan.cuts.stages()" : "plan.stages.size()", stages,
          joined({"must be devices * stages_per_rank, ", p.devices, " * ", p.stages_per_rank}));
  require(p.stages.size() == stages, "plan.stages.size()", p.stages.size(),
          joined({"must be the number of stages, ", stages}));
}

/// `each(0)`, `each(1)`, …, `each(count - 1)`, joined by the separator.
template <class Each>
[[nodiscard]] std::string sequence_text(std::size_t count, std::string_view separator, Each each) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text.append(i == 0 ? std::string_view() : separator).append(each(i));
  return text;
}

/// Numbers as a list of Python, YAML or JSON.
template <class Numbers>
[[nodiscard]] std::string list_text(const Numbers& numbers, std::string_view separator = ", ") {
  return joined(
      {"[", sequence_text(numbers.size(), separator, [&](std::size_t i) { return std::to_string(numbers[i]); }), "]"});
}

/// A name on one line: characters that end a string of Python or TOML, or its line, are escaped as in both languages, and
/// so are characters that mislead a reader.
[[nodiscard]] inline std::string escaped(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    if (name[0] == '"' || name[0] == '\\') text += '\\';
    text += stagecut::take_visible(name);
  }
  return text;
}

/// A name as a string of generated code.
[[nodiscard]] inline std::string quoted(std::string_view name) { return joined({"\"", escaped(name), "\""}); }

/// A layer in an error.
[[nodiscard]] inline std::string layer_text(const layer& each) {
  return joined({"layer ", in_quotes(each.name), " of kind ", in_quotes(each.kind)});
}

[[noreturn]] inline void refuse(std::string_view format, std::string_view why) { fail(not_representable(format, why)); }

/// The names of a stage's modules, in the order of the model.
[[nodiscard]] inline std::vector<std::string_view> module_names(const plan& p, std::size_t stage) {
  std::vector<std::string_view> result;
  for (const std::size_t i : layers_of(p, stage)) {
    if (p.profile.layers[i].is_backward) continue;  // the framework generates those itself
    const auto names = stagecut::detail::module_names_of(p.profile.layers[i]);
    result.insert(result.end(), names.begin(), names.end());
  }
  return result;
}

/// The number of decoders of every stage.
[[nodiscard]] inline std::vector<std::size_t> decoders_of_stages(const plan& p) {
  std::vector<std::size_t> result(p.cuts.stages());
  const auto stages = p.cuts.assignment();
  const stagecut::detail::target_kinds kinds(targets[0], p.profile);
  for (std::size_t i = 0; i < stages.size(); ++i) result[stages[i]] += kinds.is_decoder(i) ? 1 : 0;
  return result;
}

/// Rejects choices for a layer that the format cannot express.
inline void check_choices(std::string_view format, const plan& p, recomputation_rule recomputed,
                          stage_devices devices) {
  for (std::size_t i = 0; i < p.choices.size() && i < p.profile.layers.size(); ++i) {
    const layer_choice& choice = p.choices[i];
    if (!choice.recomputation.empty() && recomputed == recomputation_rule::none) {
      refuse(format, joined({layer_text(p.profile.layers[i]), " is run with recomputation ",
                             in_quotes(choice.recomputation), ", and it chooses none by layer"}));
    }
    const layer_variant* const shared = find_variant(p.profile.layers[i].shardings, choice.sharding);
    const bool again = shared != nullptr && shared->recomputation != p.profile.layers[i].recomputation.get();
    if (again && !shared->recomputation.empty() && recomputed == recomputation_rule::none) {
      refuse(format, joined({layer_text(p.profile.layers[i]), " is run with recomputation ",
                             in_quotes(shared->recomputation), ", and it chooses none by layer"}));
    }
    // The devices of its stage say it, if it is of so many.
    const bool of_stage = shared != nullptr && shared->tensor_parallel != 1 && devices != stage_devices::one;
    if (!choice.sharding.empty() && !of_stage) {
      refuse(format, joined({layer_text(p.profile.layers[i]), " is run with sharding ", in_quotes(choice.sharding),
                             ", and it chooses none by layer"}));
    }
  }
}

/// Rejects stages with several devices each, and choices for a layer that the format cannot express.
inline void check_devices(std::string_view format, const plan& p, recomputation_rule recomputed,
                          stage_devices devices) {
  for (std::size_t s = 0; s < p.stages.size() && devices != stage_devices::one_node; ++s) {
    const auto& [replicas, shards] = std::pair(p.stages[s].replicas, p.stages[s].tensor_parallel);
    if (shards == 1 && (replicas == 1 || devices == stage_devices::replicas) && devices != stage_devices::alike)
      continue;
    if (devices == stage_devices::alike) {
      if (replicas != p.stages[0].replicas || shards != p.stages[0].tensor_parallel) {
        refuse(format, joined({"stage ", s, " has ", replicas, " replicas of ", shards, " devices each, stage 0 ",
                               p.stages[0].replicas, " of ", p.stages[0].tensor_parallel,
                               ", and it gives all stages as many"}));
      }
      if (replicas == 1 || p.own_microbatches) continue;
      refuse(format,
             joined({"stage ", s, " has ", replicas,
                     " replicas that share the samples of a microbatch, and it gives each microbatches of its own"}));
    }
    refuse(format, joined({"stage ", s, " has ", replicas, " replicas of ", shards, " devices each, and it gives a ",
                           devices == stage_devices::replicas ? "replica" : "stage", " one device"}));
  }
  check_choices(format, p, recomputed, devices);
}

/// Rejects stages that are not intervals of layers.
inline void check_intervals(std::string_view format, const plan& p) {
  if (!p.assignment.empty()) refuse(format, "its stages are not intervals in the order of its layers");
}

/// Rejects several stages per device of a graph.
inline void check_chunks(std::string_view format, const plan& p) {
  if (has_virtual_stages(p)) refuse(format, "devices hold several stages of a graph, which none of its schedules runs");
}

/// Rejects what a format for chains cannot express: stages that are not a chain of intervals of layers with both passes,
/// or that have several devices each, or a CPU.
/// @throws argument_error if the parts of the plan contradict each other
inline void check_plan(std::string_view function, std::string_view format, const plan& p,
                       recomputation_rule recomputed = recomputation_rule::none,
                       stage_devices devices = stage_devices::one) {
  check_intervals(format, p);
  check_chunks(format, p);
  check_parts(function, p);
  for (const auto& layer : p.profile.layers) {
    if (!layer.is_backward) continue;
    refuse(format, joined({layer_text(layer), " is of the backward pass alone, and its layers have both passes"}));
  }
  for (const planned_edge& edge : p.edges) {
    if (edge.to == edge.from + 1) continue;
    refuse(format,
           joined({"an edge leads from stage ", edge.from, " to stage ", edge.to, ", and its stages are a chain"}));
  }
  if (!p.edges.empty() && p.edges.size() + 1 != p.stages.size()) {
    refuse(format, joined({p.edges.size(), " edges join ", p.stages.size(), " stages, and its stages are a chain"}));
  }
  for (std::size_t s = 0; s < p.stages.size(); ++s) {
    if (p.stages[s].on_cpu) refuse(format, joined({"stage ", s, " is on a CPU, which the format cannot express"}));
  }
  check_devices(format, p, recomputed, devices);
}

inline void check_no_stage_empty(std::string_view format, const plan& p) {
  for (std::size_t s = 0; s < p.cuts.stages(); ++s) {
    if (p.cuts.stage(s).empty()) refuse(format, joined({"stage ", s, " has no layer"}));
  }
}

/// Rejects parameters shared by layers on different stages.
inline void check_tied(std::string_view format, const plan& p) {
  const auto stages = stage_of_layers(p);
  std::map<std::string_view, std::size_t> first;  // the first layer that names them
  for (std::size_t i = 0; i < stages.size(); ++i) {
    for (const tied_parameters& shared : p.profile.layers[i].tied) {
      const std::size_t other = first.emplace(shared.name, i).first->second;
      if (stages[other] != stages[i]) {
        refuse(format,
               joined({layer_text(p.profile.layers[i]), " on stage ", stages[i], " shares ", in_quotes(shared.name),
                       " with ", layer_text(p.profile.layers[other]), " on stage ", stages[other]}));
      }
    }
  }
}

/// Rejects modules whose names do not identify them.
inline void check_names(std::string_view format, const plan& p) {
  std::map<std::string_view, const layer*> first;
  for (const layer& each : p.profile.layers) {
    if (each.is_backward) continue;
    for (const std::string_view name : stagecut::detail::module_names_of(each)) {
      if (name.empty()) refuse(format, joined({layer_text(each), " has a module without a name"}));
      if (!is_utf8(name))
        refuse(format, joined({"module ", in_quotes(name), " of ", layer_text(each), " is not UTF-8"}));
      if (const auto [known, fresh] = first.emplace(name, &each); !fresh) {
        refuse(format, joined({"module ", in_quotes(name), " of ", layer_text(each), " stands also in ",
                               layer_text(*known->second)}));
      }
    }
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
