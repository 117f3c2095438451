// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/detail/check_notes.hpp>
#include <stagecut/plan/detail/verified_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/layer.hpp>

// Where the layers of a plan are.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Reads the stage of each layer from the plan, or records what is wrong with it.
inline void read_stages(verified_plan& all, check_notes& notes) {
  const plan& made = all.made;
  const std::size_t n = all.model.layers.size();
  if (!made.assignment.empty() && made.cuts.stages() != 0) notes.broken("", "it has cuts and an assignment");
  if (!made.assignment.empty()) {
    all.stage_of = made.assignment;
  } else {
    for (std::size_t s = 0; s < made.cuts.stages(); ++s) {
      for (std::size_t i = made.cuts[s]; i < made.cuts[s + 1]; ++i) all.stage_of.push_back(s);
    }
    if (made.cuts.stages() != all.stages()) {
      notes.broken("", "the cuts make another number of stages", static_cast<double>(made.cuts.stages()),
                   static_cast<double>(all.stages()));
    }
  }
  if (all.stage_of.size() != n) {
    notes.broken("", "it is not one stage for each layer", static_cast<double>(all.stage_of.size()),
                 static_cast<double>(n));
    all.stage_of.clear();
  }
  for (std::size_t i = 0; i < all.stage_of.size(); ++i) {
    if (all.stage_of[i] < all.stages()) continue;
    notes.broken(all.name_of(i), joined({"stands on stage ", all.stage_of[i], " of ", all.stages()}));
    all.stage_of.clear();
  }
}

/// Checks that every layer is on one stage, and every stage has one; records the layers of each stage.
[[nodiscard]] inline plan_check verify_assignment_of(verified_plan& all) {
  check_notes notes("assignment");
  if (all.stages() == 0) notes.broken("", "it has no stage");
  detail::read_stages(all, notes);
  all.layers.resize(all.stages());
  for (std::size_t i = 0; i < all.stage_of.size(); ++i) all.layers[all.stage_of[i]].push_back(i);
  // A device that has several stages may have an empty one, and so may devices of plans with recomputation or slices:
  // see `plan_request::empty_stages`.
  const bool planned_so = !all.made.choices.empty() || all.made.schedule.slices > 1;
  const bool may_be_empty = (all.made.stages_per_rank > 1 || planned_so) && all.made.assignment.empty();
  for (std::size_t s = 0; s < all.stages() && !all.stage_of.empty() && !may_be_empty; ++s) {
    if (all.layers[s].empty()) notes.broken(stage_text(s), "holds no layer");
  }
  notes.figures(static_cast<double>(all.stages()), std::nullopt);
  return notes.take();
}

/// Checks that no edge leads back.
[[nodiscard]] inline plan_check verify_acyclic(const verified_plan& all) {
  check_notes notes("acyclic");
  if (all.stage_of.empty()) notes.not_checked("", no_stages);
  // Backward layers that share a group with forward layers follow these.
  std::vector<std::string_view> forward;
  for (const auto& layer : all.model.layers) {
    if (!layer.is_backward && !layer.group.empty()) forward.push_back(layer.group);
  }
  std::stable_sort(forward.begin(), forward.end(), [](std::string_view a, std::string_view b) { return a < b; });
  const auto follows = [&](std::size_t i) {
    const std::string_view group = all.model.layers[i].group;
    std::size_t low = 0;
    for (std::size_t high = forward.size(); low < high;) {
      const std::size_t middle = low + (high - low) / 2;
      if (forward[middle] < group)
        low = middle + 1;
      else
        high = middle;
    }
    return low < forward.size() && forward[low] == group;
  };
  for (std::size_t e = 0; e < all.needs.size() && !all.stage_of.empty(); ++e) {
    const auto [from, to] = all.needs[e];
    if (from >= all.stage_of.size() || to >= all.stage_of.size()) {
      notes.broken(joined({"edge ", e}), "names a layer that there is not");
      continue;
    }
    const std::size_t a = all.stage_of[from];
    const std::size_t b = all.stage_of[to];
    const bool back_from = all.model.layers[from].is_backward;
    const bool back_to = all.model.layers[to].is_backward;
    const std::string place = joined({"edge ", e, " from ", all.name_of(from), " to ", all.name_of(to)});
    const std::string stages = joined({" (", a, " to ", b, ")"});
    if (back_from && !back_to) {
      notes.broken(place, "the forward pass waits for the backward pass");
    } else if (back_from && b > a && !(follows(from) && follows(to))) {
      notes.broken(place, joined({"of the backward pass leads to a later stage", stages}));
    } else if (!back_to && b < a) {
      notes.broken(place, joined({"leads to an earlier stage", stages}));
    }
  }
  return notes.take();
}

/// A layer with a name that it shares with others.
struct named_layer {
  std::string_view name;
  std::size_t layer;
};

/// Checks that all layers of a name are on one stage.
inline void verify_together(const verified_plan& all, std::vector<named_layer> named, const char* why,
                            check_notes& notes) {
  std::stable_sort(named.begin(), named.end(), [](const named_layer& a, const named_layer& b) {
    return a.name != b.name ? a.name < b.name : a.layer < b.layer;
  });
  std::size_t first = named.size();  // in the order of layers, not of names
  for (std::size_t i = 1; i < named.size(); ++i) {
    if (named[i].name != named[i - 1].name) continue;
    if (all.stage_of[named[i].layer] == all.stage_of[named[i - 1].layer]) continue;
    if (first == named.size() || named[i].layer < named[first].layer) first = i;
  }
  if (first == named.size()) return;
  notes.broken(all.name_of(named[first].layer),
               joined({why, " ", in_quotes(named[first].name), ": on stage ", all.stage_of[named[first].layer],
                       ", others on stage ", all.stage_of[named[first - 1].layer]}));
}

/// Checks groups, and parameters that may not be copied.
/// @{
[[nodiscard]] inline plan_check verify_groups(const verified_plan& all) {
  check_notes notes("groups");
  if (all.stage_of.empty()) {
    notes.not_checked("", no_stages);
    return notes.take();
  }
  std::vector<named_layer> named;
  for (std::size_t i = 0; i < all.stage_of.size(); ++i) {
    const std::string_view group = all.model.layers[i].group;
    if (!group.empty()) named.push_back({group, i});
  }
  detail::verify_together(all, named, "is of the group", notes);
  return notes.take();
}
[[nodiscard]] inline plan_check verify_tied(const verified_plan& all) {
  check_notes notes("tied");
  if (all.stage_of.empty()) {
    notes.not_checked("", no_stages);
    return notes.take();
  }
  std::vector<named_layer> named;
  for (std::size_t i = 0; i < all.stage_of.size(); ++i) {
    for (const tied_parameters& tied : all.model.layers[i].tied) {
      if (tied.where == tied_parameters::placement::colocated) named.push_back({tied.name, i});
    }
  }
  detail::verify_together(all, named, "has the colocated parameters", notes);
  return notes.take();
}
/// @}

/// Checks layers with a fixed stage.
[[nodiscard]] inline plan_check verify_fixed(const verified_plan& all) {
  check_notes notes("fixed");
  if (all.stage_of.empty()) notes.not_checked("", no_stages);
  for (std::size_t i = 0; i < all.stage_of.size(); ++i) {
    const auto& wanted = all.model.layers[i].stage;
    if (!wanted || *wanted == all.stage_of[i]) continue;
    notes.broken(all.name_of(i), "stands on another stage than it has to", static_cast<double>(all.stage_of[i]),
                 static_cast<double>(*wanted));
  }
  return notes.take();
}

/// Checks the devices of the stages, and that a device's stages have the same kind and size.
inline void verify_ranks(const plan& made, check_notes& notes) {
  const std::size_t stages = made.stages.size();
  if (!are_counts_right(made)) {
    notes.broken("", "there are not as many stages as devices times stages per rank", static_cast<double>(stages),
                 static_cast<double>(made.devices) * static_cast<double>(made.stages_per_rank));
  }
  if (!made.speeds.empty() && made.speeds.size() != made.devices) {
    notes.broken("", "there are not as many speeds as devices", static_cast<double>(made.speeds.size()),
                 static_cast<double>(made.devices));
  }
  for (std::size_t d = 0; d < made.speeds.size(); ++d) {
    if (!is_finite(made.speeds[d]) || !(made.speeds[d] > 0))
      notes.broken(joined({"device ", d}), "has no speed above 0");
  }
  std::vector<std::size_t> first(made.devices < stages ? made.devices : stages, stages);  // stage of each device
  std::vector<std::size_t> held(first.size());
  for (std::size_t s = 0; s < stages; ++s) {
    const planned_stage& here = made.stages[s];
    if (here.device >= first.size()) {
      notes.broken(stage_text(s), joined({"stands on device ", here.device, " of ", made.devices}));
      continue;
    }
    if (++held[here.device] > made.stages_per_rank) notes.broken(stage_text(s), "is one more than the stages per rank");
    if (first[here.device] == stages) first[here.device] = s;
    const planned_stage& other = made.stages[first[here.device]];
    if (here.on_cpu != other.on_cpu) notes.broken(stage_text(s), "shares a device that is a CPU for one stage only");
    if (here.replicas == 0 || here.tensor_parallel == 0 ||
        here.replicas * here.tensor_parallel != other.replicas * other.tensor_parallel) {
      notes.broken(stage_text(s), "needs another number of devices than the other stages of its rank, or none");
    }
  }
}

/// Checks that there is a device for every stage, on which its layers run.
[[nodiscard]] inline plan_check verify_devices(const verified_plan& all) {
  check_notes notes("devices");
  detail::verify_ranks(all.made, notes);
  if (all.stage_of.empty()) notes.not_checked("", no_stages);
  for (std::size_t i = 0; i < all.stage_of.size(); ++i) {
    const layer& each = all.model.layers[i];
    const bool on_cpu = all.made.stages[all.stage_of[i]].on_cpu;
    if (on_cpu && !each.cpu) notes.broken(all.name_of(i), "stands on a CPU and does not run on one");
    if (!on_cpu && !each.accelerator) notes.broken(all.name_of(i), "stands on an accelerator and does not run on one");
  }
  for (std::size_t s = 1; s < all.stages() && all.made.own_microbatches; ++s) {
    const auto replicas = static_cast<double>(all.made.stages[s].replicas);
    const auto first = static_cast<double>(all.made.stages[0].replicas);
    if (replicas == first) continue;
    notes.broken(joined({"stage ", s}), "replicas with microbatches of their own are not as many as those of stage 0",
                 replicas, first);
  }
  notes.figures(static_cast<double>(all.made.devices), std::nullopt);
  return notes.take();
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
