// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/io/frameworks/formats.hpp>
#include <stagecut/joint/compare_recomputation.hpp>
#include <stagecut/joint/plan_recomputation.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_combination.hpp>
#include <stagecut/plan/plan_combinations.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/transformer_training.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options/count_range.hpp"
#include "options/did_you_mean.hpp"
#include "options/manual_strategy.hpp"
#include "options/option_checks.hpp"
#include "options/strategy_pictures.hpp"
#include "output/computed_text.hpp"
#include "output/screen.hpp"

/// Recomputation as options of `plan`: with these, recomputation is planned together with the layers of every stage.
struct recompute_flags {
  std::string how, manual, pictures;
  bool less_memory = false;
  bool empty_stages = false;
  std::size_t slices = 1;
  CLI::Option* recompute_option = nullptr;

  void add(CLI::App& command) {
    recompute_option = command.add_option("--recompute", how, "Plan it: auto, or among none,full; or full for all")
                           ->type_name("HOW")
                           ->group(rare_options)
                           ->transform(never_is_none());
    command.add_flag("--less-memory", less_memory, "With --stages-per-rank, a shorter warm-up")->group(rare_options);
    command.add_option("--manual", manual, "Also compare SAPP's lists: FILE,...")
        ->type_name("FILES")
        ->group(rare_options);
    command.add_option("--slices", slices, "Of each sequence, passes of their own: SAPP's -seq")
        ->type_name("Q")
        ->transform(count())
        ->group(rare_options);
    command.add_option("--pictures", pictures, "An SVG that compares each strategy with the plan")
        ->type_name("FOLDER")
        ->group(rare_options);
    command.add_flag("--empty-stages", empty_stages, "With --recompute, stages may be empty")->group(rare_options);
  }

  /// The recomputation of a computed model, if that is all that is requested.
  [[nodiscard]] std::optional<stagecut::transformer::recomputing> of_computed() const {
    const auto* const known = stagecut::find_name(stagecut::transformer::recomputation_names, how);
    if (known == nullptr || less_memory || empty_stages) return std::nullopt;
    return known->value;
  }

  /// The recomputations that layers may have: by default those in their own figures; empty: all.
  /// @throws CLI::ValidationError for one that no layer has
  /// @param computed  whether the model was computed, with that option
  [[nodiscard]] std::vector<std::string> names(const stagecut::profile& model, bool computed) {
    if (how.empty() || (computed && of_computed())) {
      std::vector<std::string> own{"none"};
      for (const stagecut::layer& layer : model.layers) own.push_back(own_recomputation(layer));
      return own;
    }
    ask_names(model);
    return options_.names;
  }

  /// The scope not searched if a framework supports one recomputation for all layers only; empty: none.
  [[nodiscard]] static std::string not_searched(stagecut::framework target) {
    if (!runs_alike(target)) return "";
    return "recomputation of some layers of a stage (--recompute-method block)";
  }

  /// Whether --recompute was not given, and some layer that recomputes nothing could.
  [[nodiscard]] bool is_unused(const stagecut::profile& model, bool computed) const {
    if (recompute_option->count() != 0) return false;
    return std::any_of(model.layers.begin(), model.layers.end(), [&](const stagecut::layer& layer) {
      return own_recomputation(layer) == "none" && (computed || !layer.recomputations.empty());
    });
  }

  /// Whether `--recompute auto` could be added to a request for a chain.
  [[nodiscard]] static bool goes_with(const stagecut::profile& model, stagecut::plan_request request) {
    if (request.microbatches == 0 || !model.edges.empty()) return false;
    if (request.target != stagecut::framework::none &&
        stagecut::entry_of(request.target).recomputed == stagecut::recomputation_rule::none) {
      return false;
    }
    request.recomputations = std::vector<std::string>{"none", "full"};
    request.any_schedule = false;
    const std::vector<stagecut::plan_combination> parts = stagecut::combinations_of(model, request);
    return std::none_of(parts.begin(), parts.end(), [](const stagecut::plan_combination& part) {
      return part.proof == stagecut::plan_proof::refused;
    });
  }

  /// Whether the layers of a computed model need all recomputation variants.
  [[nodiscard]] bool needs_variants() const { return !how.empty() && !of_computed(); }

  /// Whether recomputation is planned. Only `none`, for layers without other variants, counts as planned.
  [[nodiscard]] bool is_planned(const stagecut::profile& model, bool computed) const {
    if (slices > 1) return true;
    if (how.empty() || (computed && of_computed())) return false;
    return how != "none" || less_memory || empty_stages || !names_of_layers(model).empty();
  }

  /// Rejects options that require planned recomputation if there is none, and contradictions.
  void check(bool planned, const count_range& per_rank, const stagecut::schedule_entry* schedule) const {
    const char* const with = how.empty()
                                 ? "goes with --recompute"
                                 : "goes with a planned recomputation: --recompute auto, or a list as none,full";
    const auto needs_plan = [&](const char* option, bool given, const char* what) {
      if (given && !planned) throw CLI::ValidationError(option, fmt::format("{}{}", what, with));
    };
    needs_plan("--stages-per-rank", !per_rank.is_one(), "of several numbers ");
    if (slices > 1) check_slices(per_rank, schedule);
    needs_plan("--less-memory", less_memory, "");
    needs_plan("--empty-stages", empty_stages, "");
    needs_plan("--manual", !manual.empty(), "");
    needs_plan("--pictures", !pictures.empty(), "");
    if (!less_memory) return;
    if (schedule != nullptr && schedule->kind != stagecut::schedule_kind::sapp_less_memory)
      throw CLI::ValidationError("--less-memory",
                                 fmt::format("is a schedule, and --schedule gives {}", schedule->name));
    if (per_rank.last <= 1) throw CLI::ValidationError("--less-memory", "needs --stages-per-rank above 1");
  }

  /// Adds what is planned to a request, and reads the user's strategies.
  /// @param per_rank       numbers of stages per rank
  /// @param schedule_option  whether the schedule is fixed
  void ask(const stagecut::profile& model, const count_range& per_rank, bool schedule_option,
           const stagecut::io::read_limits& limits, stagecut::plan_request& request) {
    ask_names(model);
    request.recomputations = options_.names;
    request.empty_stages = options_.empty_stages = empty_stages;
    request.slices = slices;
    request.any_schedule = !schedule_option;
    if (less_memory && !schedule_option) request.schedule = stagecut::schedule_kind::sapp_less_memory;
    // More stages than layers are one line of the comparison.
    const std::size_t most = std::max(per_rank.first, model.layers.size() / std::max<std::size_t>(request.devices, 1) + 1);
    for (std::size_t v = per_rank.first; v <= std::min(per_rank.last, most); ++v) {
      request.choices.stages_per_rank.push_back(v);
    }
    manuals_ = read_manuals(manual, request.devices, assigned_layers(model), limits);
  }

  /// The user's strategies: no plan should be worse.
  [[nodiscard]] std::vector<stagecut::recompute_strategy> starts(const stagecut::profile& model,
                                                                 const stagecut::plan_request& request) const {
    std::vector<stagecut::recompute_strategy> result;
    for (const manual_strategy& strategy : manuals_) {
      stagecut::plan_request of = alone(request);
      of.stages_per_rank = strategy.read.stages_per_rank;
      of.schedule = usual_order(of);
      const stagecut::asked_recomputation asked = stagecut::ask_recomputation(model, of, options_);
      result.push_back(strategy.of(asked.chain.model, layers_before(model) - asked.chain.first));
    }
    return result;
  }

  /// Notes the request of the best plan, for `compare`.
  void used(const stagecut::plan_request& request) { used_ = request; }

  /// The plan next to what is possible without a planner, user strategies, and SAPP's choice.
  [[nodiscard]] std::vector<asked_strategy> compare(const stagecut::profile& model, const stagecut::plan& made) const {
    const stagecut::plan_request request = alone(used_);
    stagecut::recompute_options options = options_;
    const stagecut::asked_recomputation asked = stagecut::ask_recomputation(model, request, options);
    std::vector<std::pair<std::string, stagecut::recompute_strategy>> own;
    std::vector<asked_strategy> others;
    for (const manual_strategy& strategy : manuals_) {
      if (strategy.read.stages_per_rank == request.stages_per_rank) {
        own.emplace_back(strategy.name, strategy.of(asked.chain.model, layers_before(model) - asked.chain.first));
      } else {
        others.push_back(of_other_number(model, request, strategy));
      }
    }
    std::vector<asked_strategy> rows;
    for (auto& each : compare_recomputation(asked.chain.model, asked.request, strategy_of(made, asked.chain), own)) {
      rows.push_back({std::move(each), request});
    }
    rows.insert(rows.end() - 1, others.begin(), others.end());
    for (asked_strategy& each : rows) {
      if (used_.target == stagecut::framework::none || !each.row.none.empty()) continue;
      const stagecut::plan as_plan = stagecut::plan_of_strategy(model, each.request, each.row.strategy, options);
      if (!is_expressible(used_.target, as_plan)) each.inexpressible_in = stagecut::entry_of(used_.target).name;
    }
    return rows;
  }

  /// Draws each of these into the given folder, if any.
  void draw(const stagecut::profile& model, const std::vector<asked_strategy>& strategies) const {
    if (pictures.empty()) return;
    stagecut::recompute_options options = options_;
    draw_strategies(pictures, model, strategies, options);
  }

 private:
  stagecut::recompute_options options_{};
  stagecut::plan_request used_{};  // for the best plan
  std::vector<manual_strategy> manuals_{};

  /// The form in which a layer was profiled.
  [[nodiscard]] static std::string own_recomputation(const stagecut::layer& of) {
    return of.recomputation.empty() ? std::string("none") : of.recomputation.get();
  }

  /// Whether a framework supports one recomputation for all layers only.
  [[nodiscard]] static bool runs_alike(stagecut::framework target) {
    return target == stagecut::framework::megatron || target == stagecut::framework::megatron_flags;
  }

  /// Whether the format of a framework can express a plan.
  [[nodiscard]] static bool is_expressible(stagecut::framework target, const stagecut::plan& made) try {
    static_cast<void>(stagecut::io::find_format(stagecut::entry_of(target).name)->write(made));
    return true;
  } catch (const stagecut::not_representable&) {
    return false;
  }

  /// The request without open choices, for `ask_recomputation`.
  [[nodiscard]] static stagecut::plan_request alone(stagecut::plan_request request) {
    request.target = stagecut::framework::none;
    request.choices = {};
    request.any_schedule = false;
    request.recomputations.reset();
    return request;
  }

  /// The result of a user strategy with another number of stages per rank than the plan.
  [[nodiscard]] asked_strategy of_other_number(const stagecut::profile& model, stagecut::plan_request request,
                                               const manual_strategy& own) const {
    request.stages_per_rank = own.read.stages_per_rank;
    request.group = 0;
    request.schedule = usual_order(request);
    try {
      check_stages_per_rank(request);
      const stagecut::asked_recomputation asked = stagecut::ask_recomputation(model, request, options_);
      const auto strategy = own.of(asked.chain.model, layers_before(model) - asked.chain.first);
      return {stagecut::simulated_strategy(own.name, asked.chain.model, asked.request, strategy), request};
    } catch (const CLI::ValidationError& error) {
      return {{.name = own.name, .none = error.what()}, request};
    } catch (const std::invalid_argument& error) {
      return {{.name = own.name, .none = error.what()}, request};
    }
  }

  /// The recomputations of the layers with a choice.
  [[nodiscard]] static std::vector<std::string> names_of_layers(const stagecut::profile& model) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    for (const stagecut::layer& layer : model.layers) {
      if (layer.recomputations.empty()) continue;
      add(own_recomputation(layer));
      for (const stagecut::layer_variant& way : layer.recomputations.get()) add(way.name);
    }
    return names;
  }

  /// The number of layers from the first to the last with a choice; all if none has.
  [[nodiscard]] static std::size_t assigned_layers(const stagecut::profile& model) {
    std::size_t first = model.layers.size(), last = 0;
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      if (model.layers[i].recomputations.empty()) continue;
      first = std::min(first, i);
      last = i + 1;
    }
    return last == 0 ? model.layers.size() : last - first;
  }

  /// The number of layers before the first with a choice; zero if none has.
  [[nodiscard]] static std::size_t layers_before(const stagecut::profile& model) {
    std::size_t first = 0;
    while (first < model.layers.size() && model.layers[first].recomputations.empty()) ++first;
    return first < model.layers.size() ? first : 0;
  }

  /// Fills the names to choose from.
  void ask_names(const stagecut::profile& model) {
    std::vector<std::string> known = names_of_layers(model);
    if (how == "auto" && known.empty()) {
      const bool computed = !computed_figures(model).empty();
      throw CLI::ValidationError("--recompute",
                                 fmt::format("no layer defines how it could be recomputed: \"recomputations\"{}",
                                             computed ? ", which profile transformer --recompute auto writes" : ""));
    }
    if (how == "auto") return;
    std::vector<std::string> own;
    for (const stagecut::layer& layer : model.layers) own.push_back(own_recomputation(layer));
    const bool as_they_are = known.empty() && std::find(own.begin(), own.end(), how) != own.end();
    if (slices > 1 && (how.empty() || as_they_are)) {  // only sequences are sliced
      options_.names = std::move(own);
      return;
    }
    for (const std::string_view name : split(how, ',')) {
      if (std::find(known.begin(), known.end(), name) == known.end() && !(known.empty() && name == "none")) {
        const std::string these =
            known.empty() ? "none has \"recomputations\"" : fmt::format("{}, or auto for all", fmt::join(known, ", "));
        known.emplace_back("auto");
        throw CLI::ValidationError("--recompute", fmt::format("\"{}\" is the recomputation of no layer: {}{}",
                                                              shown(name), these, did_you_mean(name, known)));
      }
      options_.names.emplace_back(name);
    }
  }

  /// Rejects stages and schedules that do not slice sequences.
  static void check_slices(const count_range& per_rank, const stagecut::schedule_entry* schedule) {
    if (per_rank.last > 1)
      throw CLI::ValidationError("--slices", "needs one stage a device, not --stages-per-rank above 1");
    if (schedule == nullptr || schedule->kind == stagecut::schedule_kind::one_forward_one_backward) return;
    throw CLI::ValidationError("--slices", fmt::format("is 1F1B over slices, and --schedule gives {}", schedule->name));
  }

  /// Rejects one stage per rank for a schedule of several.
  static void check_stages_per_rank(const stagecut::plan_request& request) {
    const stagecut::schedule_entry& entry = stagecut::entry_of(request.schedule);
    if (entry.stages_per_rank != 0 || request.stages_per_rank > 1) return;
    throw stagecut::argument_error("plan_recomputation", "schedule", entry.name, "needs --stages-per-rank above 1");
  }

  /// 1F1B, interleaved for several stages per rank; SAPP's if the ranks do not divide the microbatches, or memory is short.
  [[nodiscard]] stagecut::schedule_kind usual_order(const stagecut::plan_request& request) const {
    using kind = stagecut::schedule_kind;
    if (request.stages_per_rank == 1) return kind::one_forward_one_backward;
    if (less_memory) return kind::sapp_less_memory;
    const bool divided = request.devices != 0 && request.microbatches % request.devices == 0;
    const bool interleaved = divided || request.group != 0 || request.target != stagecut::framework::none;
    return interleaved ? kind::one_forward_one_backward : kind::sapp_big;
  }
};
