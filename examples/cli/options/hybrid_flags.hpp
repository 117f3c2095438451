// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/topology.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/placed_links.hpp>
#include <stagecut/joint/plan_hybrid.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/computed_text.hpp"
#include "options/device_counts.hpp"

/// Replicas and tensor-parallel degree of stages, as options of `plan`.
struct hybrid_flags {
  std::string replicas;
  std::string ways;  // of --tensor-parallel

  void add(CLI::App& command) {
    command.add_option("--replicate", replicas, "Replicas of a stage: auto, 2, 1,2,4; devices are all")
        ->type_name("N")
        ->group(rare_options)
        ->check(counts_or_auto());
  }

  /// Whether stages may use several devices.
  /// @param lists  whether several tensor-parallel degrees may be used
  [[nodiscard]] bool is_asked(const stagecut::plan_request& request, bool lists) const {
    return !replicas.empty() || lists || of_several_devices(request.objective);
  }

  /// The part of the machine's possibilities that was not searched.
  /// @param asked  with what `ask` adds
  [[nodiscard]] std::string not_searched(const stagecut::profile& model,
                                         const stagecut::plan_request& asked) const {
    std::string text;
    if (are_alike(asked.target)) {
      text += "other degrees for some stages";
      if (asked.recomputations->size() != 1) text += ", recomputation of some layers of a stage";
      text += ", ";
    } else if (const std::string missing = missing_replicas(model, asked); !missing.empty()) {
      text += missing + ", ";
    }
    if (!are_alike(asked.target) && may_have_replicas(asked)) text += "replicas that run microbatches of their own, ";
    if (ways == "auto") text += "tensor parallelism but of powers of 2, ";
    return text + "several stages a device, orders but 1F1B";
  }

  /// Why `auto` has found no number of replicas but one; empty: it has, or was not asked for.
  [[nodiscard]] std::string only_one(const stagecut::profile& model, const stagecut::plan_request& asked) const {
    if (replicas != "auto" || asked.devices == 1 || asked.replicas.size() != 1 || are_alike(asked.target)) return "";
    const auto samples = computed_figure<std::size_t>(computed_figures(model), "microbatch", 0);
    if (samples == 0) return "";
    return fmt::format("no stage has replicas, which would share the {} sample{} of a microbatch: --microbatch {} allows 2",
                       samples, samples == 1 ? "" : "s", 2 * samples);
  }

  /// Whether an objective only applies to such plans.
  [[nodiscard]] static bool of_several_devices(stagecut::plan_objective objective) {
    using of = stagecut::plan_objective;
    return objective == of::iteration || objective == of::stage_time || objective == of::pipeline_latency;
  }

  /// Adds the numbers of devices that a stage may have to a request.
  /// @param recomputations  that layers may have
  /// @param node            GPUs per node; 0: no nodes
  /// @param device          GPUs per device, for example those that share a sample
  void ask(const stagecut::profile& model, const std::vector<std::string>& recomputations, std::size_t node,
           std::size_t device, stagecut::plan_request& request) const {
    request.device_size = device;
    request.recomputations = recomputations;
    request.replicas = replicas_of(model, request, machine_of(request));
    request.tensor_parallel = known_ways(model, node == 0 || node > request.devices ? request.devices : node);
    if (node != 0) leave_in_node(node, request);
  }

 private:
  static constexpr std::size_t most_ways = 3'000'000;  // combinations over all stages, the limit for `auto`

  /// The requested numbers of replicas. For `auto` all possible ones, as far as the combinations over all stages stay
  /// limited.
  [[nodiscard]] std::vector<std::size_t> replicas_of(const stagecut::profile& model,
                                                     const stagecut::plan_request& request,
                                                     const stagecut::topology& machine) const {
    if (replicas == "auto") {
      std::vector<std::size_t> all(request.devices);
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = i + 1;
      if (!are_alike(request.target)) share_samples(model, all);
      const std::size_t layers = model.layers.size();
      const std::size_t each = layers * (layers + 1) / 2 * stagecut::placed_links(machine).period();
      if (are_alike(request.target) || each == 0 || all.size() <= most_ways / each) return all;
      all = replica_counts(request.devices, most_ways / each);
      share_samples(model, all);
      return all;
    }
    std::vector<std::size_t> counts = numbers("--replicate", replicas, request.devices);
    if (!are_alike(request.target)) share_samples(model, counts);
    return counts;
  }

  /// The possible numbers of replicas that `auto` omitted: `replicas but 1 to 8, 16`; empty: none.
  [[nodiscard]] std::string missing_replicas(const stagecut::profile& model,
                                             const stagecut::plan_request& asked) const {
    if (replicas != "auto") return "";
    std::vector<std::size_t> all(asked.devices);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i + 1;
    share_samples(model, all);
    const std::vector<std::size_t>& searched = asked.replicas;
    return searched.size() >= all.size() ? "" : fmt::format("replicas but {}", counts_text(searched));
  }

  /// Whether a stage may have several replicas.
  [[nodiscard]] static bool may_have_replicas(const stagecut::plan_request& asked) {
    const std::vector<std::size_t>& all = asked.replicas;
    return std::any_of(all.begin(), all.end(), [](std::size_t each) { return each > 1; });
  }

  /// Whether all stages have the same number of replicas, each with its own microbatches.
  [[nodiscard]] static bool are_alike(stagecut::framework target) {
    return target != stagecut::framework::none &&
           stagecut::entry_of(target).devices == stagecut::stage_devices::alike;
  }

  /// Keeps the tensor-parallel degrees that fit into a node: ranks are numbered by tensor parallelism first.
  void leave_in_node(std::size_t node, stagecut::plan_request& request) const {
    std::vector<std::size_t> kept;
    for (const std::size_t degree : request.tensor_parallel) {
      if (degree * request.device_size <= node || node % degree == 0) {
        kept.push_back(degree);
      } else if (ways != "auto") {
        throw CLI::ValidationError(
            "--tensor-parallel",
            fmt::format("{} GPUs would share a layer across nodes: with {} that share a sample, give a "
                        "number that divides the {} of a node",
                        degree, request.device_size, node));
      }
    }
    request.tensor_parallel = kept;
  }

  /// Keeps numbers of replicas that can share the samples of a microbatch, if the number of samples is known.
  void share_samples(const stagecut::profile& model, std::vector<std::size_t>& list) const {
    const auto samples = computed_figure<std::size_t>(computed_figures(model), "microbatch", 0);
    if (samples == 0) return;
    std::vector<std::size_t> kept;
    for (const std::size_t each : list) {
      if (samples % each == 0) {
        kept.push_back(each);
      } else if (replicas != "auto") {
        throw CLI::ValidationError("--replicate",
                                   fmt::format("{} replicas cannot share the {} sample{} of a microbatch: "
                                               "give --microbatch {}, and fewer --microbatches",
                                               each, samples, samples == 1 ? "" : "s", each));
      }
    }
    list = kept;
  }

  /// The given numbers, none above `most`.
  [[nodiscard]] static std::vector<std::size_t> numbers(const char* option, const std::string& text, std::size_t most) {
    const std::vector<std::size_t> result = counts_of(text, most);
    for (const std::size_t each : result) {
      if (each <= most) continue;
      const bool all = std::string_view(option) == "--replicate";
      throw CLI::ValidationError(option,
                                 fmt::format("{} is more than the devices{}, {}", each, all ? "" : " of a node", most));
    }
    return result;
  }

  /// The requested tensor-parallel degrees for which layers have shardings.
  [[nodiscard]] std::vector<std::size_t> known_ways(const stagecut::profile& model, std::size_t most) const {
    std::vector<std::size_t> result;
    bool any = !computed_figures(model).empty();
    for (const stagecut::layer& layer : model.layers) any = any || !layer.shardings.empty();
    if (ways == "auto" && !any) {
      throw CLI::ValidationError("--tensor-parallel",
                                 "no layer defines how several devices would share it: \"shardings\"");
    }
    for (const std::size_t number : numbers("--tensor-parallel", ways, most)) {
      bool known = number == 1;
      for (const stagecut::layer& layer : model.layers) {
        for (const stagecut::layer_variant& variant : layer.shardings.get())
          known = known || variant.tensor_parallel == number;
      }
      if (known) {
        result.push_back(number);
      } else if (ways != "auto") {
        throw CLI::ValidationError(
            "--tensor-parallel", fmt::format("no layer defines how {} devices would share it: \"shardings\"", number));
      }
    }
    return result;
  }

  /// The devices and their links; without links, messages take no time.
  [[nodiscard]] static stagecut::topology machine_of(const stagecut::plan_request& request) {
    if (request.topology) return *request.topology;
    if (request.devices == 1) return stagecut::topology({}, {});
    return stagecut::topology({request.devices}, {request.links.empty() ? stagecut::link_speed{} : request.links[0]});
  }
};
