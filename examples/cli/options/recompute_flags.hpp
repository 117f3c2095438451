// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/frameworks/formats.hpp>
#include <stagecut/joint/compare_recomputation.hpp>
#include <stagecut/joint/plan_recomputation.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/plan.hpp>
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

#include "search/alike_recomputation.hpp"
#include "search/recompute_range.hpp"
#include "output/screen.hpp"
#include "options/count_range.hpp"
#include "options/did_you_mean.hpp"
#include "options/manual_strategy.hpp"
#include "options/strategy_pictures.hpp"
#include "options/words.hpp"

/// Recomputation as options of `plan`: with these, recomputation is planned together with the layers of every stage.
struct recompute_flags {
  std::string how, manual, pictures;
  bool less_memory = false;
  bool empty_stages = false;
  std::size_t slices = 1;
  CLI::Option* how_said = nullptr;
  std::vector<tried_stages_per_rank> all{};  // if there were several numbers of stages per rank

  void add(CLI::App& command) {
    how_said = command.add_option("--recompute", how, "Plan it: auto, or among none,full; or full for all")
                   ->type_name("HOW")
                   ->group(rare_options);
    command.add_flag("--less-memory", less_memory, "With --stages-per-rank, a shorter warm-up")->group(rare_options);
    command.add_option("--manual", manual, "Beside the plan, SAPP's lists: FILE,...")
        ->type_name("FILES")
        ->group(rare_options);
    command.add_option("--slices", slices, "Of each sequence, passes of their own: SAPP's -seq")
        ->type_name("Q")
        ->transform(count())
        ->group(rare_options);
    command.add_option("--pictures", pictures, "An SVG of each strategy beside the plan, too")
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
      for (const stagecut::layer& each : model.layers) own.push_back(own_recomputation(each));
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
    const auto needs_plan = [&](const char* option, bool said, const char* what) {
      if (said && !planned) throw CLI::ValidationError(option, fmt::format("{}{}", what, with));
    };
    needs_plan("--stages-per-rank", !per_rank.is_one(), "of several numbers ");
    if (slices > 1) check_slices(per_rank, schedule);
    needs_plan("--less-memory", less_memory, "");
    needs_plan("--empty-stages", empty_stages, "");
    needs_plan("--manual", !manual.empty(), "");
    needs_plan("--pictures", !pictures.empty(), "");
    if (!less_memory) return;
    if (schedule != nullptr && schedule->kind != stagecut::schedule_kind::sapp_less_memory)
      throw CLI::ValidationError("--less-memory", fmt::format("is an order, and --schedule says {}", schedule->name));
    if (per_rank.last <= 1) throw CLI::ValidationError("--less-memory", "needs --stages-per-rank above 1");
  }

  /// The best plan with these numbers of stages per rank; `schedule_said`: the schedule is fixed.
  [[nodiscard]] stagecut::outcome<stagecut::plan> solve(const stagecut::profile& model, stagecut::plan_request request,
                                                        const count_range& per_rank, bool schedule_said,
                                                        const stagecut::io::read_limits& limits) {
    ask_names(model);
    if (slices > 1) check_target(request.target);
    manuals_ = read_manuals(manual, request.devices, layers_dealt_out(model), limits);
    options_.empty_stages = empty_stages;
    const std::vector<std::string> alike = names_alike(model, request.target);
    if (alike.empty()) request.target = stagecut::framework::none;  // the writer reports what it cannot express
    double best = 0;
    const auto make = [&](std::size_t number, double seconds) {
      stagecut::plan_request asked = request;
      asked.stages_per_rank = number;
      asked.slices = slices;
      if (asked.search.time_limit) asked.search.time_limit = seconds;
      if (!schedule_said) asked.schedule = usual_order(asked);
      check_stages_per_rank(asked);
      if (alike.empty()) options_.starts = starts(model, asked);
      auto made =
          alike.empty() ? stagecut::plan_recomputation(model, asked, options_) : best_alike(model, asked, alike);
      if (made && (best == 0 || made->objective.value < best)) best = made->objective.value, used_ = asked;
      return made;
    };
    const std::size_t layers = model.layers.size();
    const double seconds = request.search.time_limit.value_or(std::numeric_limits<double>::infinity());
    std::vector<tried_stages_per_rank> tried =
        try_stages_per_rank(per_rank, layers / request.devices, empty_stages, seconds, make);
    stagecut::outcome<stagecut::plan> answer = best_of(tried);
    if (!per_rank.is_one()) all = std::move(tried);
    return answer;
  }

  /// The plan next to what is possible without a planner, user strategies, and SAPP's choice.
  [[nodiscard]] std::vector<asked_strategy> compare(const stagecut::profile& model, const stagecut::plan& made) const {
    stagecut::plan_request request = used_;
    request.target = stagecut::framework::none;
    stagecut::recompute_options options = options_;
    options.starts.clear();
    const stagecut::asked_recomputation asked = stagecut::ask_recomputation(model, request, options);
    std::vector<std::pair<std::string, stagecut::recompute_strategy>> own;
    std::vector<asked_strategy> others;
    for (const manual_strategy& each : manuals_) {
      if (each.read.stages_per_rank == request.stages_per_rank) {
        own.emplace_back(each.name, each.of(asked.chain.model, layers_before(model) - asked.chain.first));
      } else {
        others.push_back(of_other_number(model, request, each));
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
    options.starts.clear();
    draw_strategies(pictures, model, strategies, options);
  }

 private:
  stagecut::recompute_options options_{};
  stagecut::plan_request used_{};  // for the best plan
  std::vector<manual_strategy> manuals_{};

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

  /// User strategies with the requested number of stages per rank: no plan should be worse.
  [[nodiscard]] std::vector<stagecut::recompute_strategy> starts(const stagecut::profile& model,
                                                                 const stagecut::plan_request& request) const {
    std::vector<stagecut::recompute_strategy> result;
    if (manuals_.empty()) return result;
    stagecut::recompute_options options = options_;
    options.starts.clear();
    const stagecut::asked_recomputation asked = stagecut::ask_recomputation(model, request, options);
    for (const manual_strategy& each : manuals_) {
      if (each.read.stages_per_rank == request.stages_per_rank) result.push_back(each.of(asked.chain.model, layers_before(model) - asked.chain.first));
    }
    return result;
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
    for (const stagecut::layer& each : model.layers) {
      if (each.recomputations.empty()) continue;
      add(own_recomputation(each));
      for (const stagecut::layer_variant& way : each.recomputations.get()) add(way.name);
    }
    return names;
  }

  /// The number of layers from the first to the last with a choice; all if none has.
  [[nodiscard]] static std::size_t layers_dealt_out(const stagecut::profile& model) {
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
    if (how == "auto" && known.empty())
      throw CLI::ValidationError("--recompute", "no layer says how it could be recomputed: \"recomputations\"");
    if (how == "auto") return;
    std::vector<std::string> own;
    for (const stagecut::layer& each : model.layers) own.push_back(own_recomputation(each));
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

  /// The names that a framework supports for all layers together only; empty: it supports them per layer.
  [[nodiscard]] std::vector<std::string> names_alike(const stagecut::profile& model, stagecut::framework target) const {
    if (!runs_alike(target)) return {};
    const std::string of = stagecut::entry_of(target).name;
    if (less_memory) throw CLI::ValidationError("--less-memory", fmt::format("is an order of SAPP's, not of {}", of));
    if (empty_stages) throw CLI::ValidationError("--empty-stages", fmt::format("does not go with {}", of));
    const std::vector<std::string> may_be = options_.names.empty() ? names_of_layers(model) : options_.names;
    std::vector<std::string> result;
    for (const char* const name : {"none", "selective", "full"}) {
      if (std::find(may_be.begin(), may_be.end(), name) != may_be.end() && all_can_be(model, name))
        result.emplace_back(name);
    }
    if (result.empty()) {
      throw CLI::ValidationError("--recompute", fmt::format("{} runs all layers alike, as none, selective or full, and "
                                                            "they can be {}",
                                                            of, fmt::join(may_be, ", ")));
    }
    return result;
  }

  /// The best plan with the same form for all layers, one of these.
  [[nodiscard]] stagecut::outcome<stagecut::plan> best_alike(const stagecut::profile& model,
                                                             stagecut::plan_request request,
                                                             const std::vector<std::string>& names) const {
    stagecut::plan_request checked = request;
    checked.target = stagecut::framework::none;
    (void)stagecut::ask_recomputation(model, checked, options_);
    if (request.search.time_limit) *request.search.time_limit /= static_cast<double>(names.size());
    std::vector<stagecut::outcome<stagecut::plan>> made;
    for (const std::string& name : names) made.push_back(plan_alike(model, request, name));
    return best_of(made, false);
  }

  /// Rejects stages and schedules that do not slice sequences.
  static void check_slices(const count_range& per_rank, const stagecut::schedule_entry* schedule) {
    if (per_rank.last > 1)
      throw CLI::ValidationError("--slices", "needs one stage a device, not --stages-per-rank above 1");
    if (schedule == nullptr || schedule->kind == stagecut::schedule_kind::one_forward_one_backward) return;
    throw CLI::ValidationError("--slices", fmt::format("is 1F1B over slices, and --schedule says {}", schedule->name));
  }

  /// Rejects frameworks that run whole sequences.
  static void check_target(stagecut::framework target) {
    if (target == stagecut::framework::none || target == stagecut::framework::sapp) return;
    throw CLI::ValidationError("--slices", fmt::format("is of SAPP and MindFormers: {} runs whole sequences",
                                                       stagecut::entry_of(target).framework));
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
