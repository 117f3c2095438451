// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/frameworks/sapp_strategy.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/joint/compare_recomputation.hpp>
#include <stagecut/joint/plan_recomputation.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/transformer_training.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "words/quantity.hpp"
#include "words/words.hpp"

/// What layers may recompute, as it is said to `plan`: with these words recomputation is planned together with the layers
/// of every stage.
struct recompute_words {
  std::string how, manual;
  bool less_memory = false;
  bool empty_chunks = false;
  CLI::Option* how_said = nullptr;

  /// What several numbers of chunks came to.
  struct tried {
    std::size_t chunks;
    stagecut::outcome<stagecut::plan> made;
  };
  std::vector<tried> all{};

  void add(CLI::App& command) {
    how_said = command.add_option("--recompute", how, "Plan it: auto, or among none,full; or full for all")
                   ->type_name("HOW")
                   ->group(rare_options);
    command.add_flag("--less-memory", less_memory, "With --chunks, a shorter warm-up")->group(rare_options);
    command.add_option("--manual", manual, "Beside the plan, SAPP's lists: FILE,...")
        ->type_name("FILES")
        ->group(rare_options);
    command.add_flag("--empty-chunks", empty_chunks, "With --recompute, stages may be empty")->group(rare_options);
  }

  /// How a model that is computed recomputes, where that is all that is asked for.
  [[nodiscard]] std::optional<stagecut::transformer::recomputing> of_computed() const {
    const auto* const known = stagecut::find_name(stagecut::transformer::recomputation_words, how);
    if (known == nullptr || less_memory || empty_chunks) return std::nullopt;
    return known->value;
  }

  /// Whether recomputation is planned, of a model that is computed or read.
  [[nodiscard]] bool is_planned(bool computed) const {
    if (!how.empty()) return !computed || !of_computed();
    if (empty_chunks) throw CLI::ValidationError("--empty-chunks", "goes with --recompute");
    if (!manual.empty()) throw CLI::ValidationError("--manual", "goes with --recompute");
    return false;
  }

  /// The best plan of so many chunks, from the first to the last number; `schedule_said`: not to choose the order.
  [[nodiscard]] stagecut::outcome<stagecut::plan> solve(const stagecut::profile& model, stagecut::plan_request request,
                                                        std::size_t first, std::size_t last, bool schedule_said) {
    bool any = false;
    for (const stagecut::layer& each : model.layers) any = any || !each.recomputations.empty();
    if (!any) throw CLI::ValidationError("--recompute", "no layer says how it could be recomputed: \"recomputations\"");
    if (how != "auto") {
      for (const std::string_view each : split(how, ',')) options.names.emplace_back(each);
    }
    options.empty_stages = empty_chunks;
    if (request.limits.time_limit) *request.limits.time_limit /= static_cast<double>(last - first + 1);
    stagecut::outcome<stagecut::plan> best;
    for (std::size_t chunks = first; chunks <= last; ++chunks) {
      request.chunks = chunks;
      if (!schedule_said) request.schedule = usual_order(request);
      stagecut::outcome<stagecut::plan> made = stagecut::plan_recomputation(model, request, options);
      const bool better = made && (!best || made->objective.value < best->objective.value);
      if (better || (!best && !made)) best = made;
      if (better) used_ = request;
      if (first != last) all.push_back({chunks, std::move(made)});
    }
    return best;
  }

  /// The plan beside what one has without a planner, strategies of one's own, and what SAPP looks for.
  [[nodiscard]] std::vector<stagecut::compared_strategy> compare(const stagecut::profile& model,
                                                                 const stagecut::plan& made,
                                                                 const stagecut::io::read_limits& limits) const {
    const stagecut::asked_recomputation asked = stagecut::ask_recomputation(model, used_, options);
    std::vector<std::pair<std::string, stagecut::recompute_strategy>> own;
    if (!manual.empty()) {
      for (const std::string_view file : split(manual, ',')) own.push_back(manual_of(std::string(file), asked, limits));
    }
    return compare_recomputation(asked.chain.model, asked.request, strategy_of(made, asked.chain), own);
  }

 private:
  stagecut::recompute_options options{};
  stagecut::plan_request used_{};  // for the best plan

  /// A strategy in a file, for as many chunks as the plan has.
  [[nodiscard]] static std::pair<std::string, stagecut::recompute_strategy> manual_of(
      const std::string& file, const stagecut::asked_recomputation& asked, const stagecut::io::read_limits& limits) {
    const stagecut::recompute_model& model = asked.chain.model;
    const stagecut::schedule& order = asked.request.order;
    const auto read = stagecut::io::read_sapp_strategy(stagecut::io::file_text(file, limits), file, order.ranks(),
                                                       model.layers.size(), limits);
    if (read.layers.size() != order.stages()) {
      throw CLI::ValidationError("--manual", fmt::format("{} has {} chunks, and the plan has {}", shown(file),
                                                         read.chunks, order.stages() / order.ranks()));
    }
    stagecut::recompute_strategy result;
    std::vector<std::size_t> points = {0};
    // The strongest come first, as in plans.
    constexpr const char* names[] = {"none", "select", "comm", "both", "full"};
    for (std::size_t s = 0; s < read.layers.size(); ++s) {
      points.push_back(points.back() + read.layers[s]);
      for (std::size_t k = read.counts[s].size(); k-- > 0;) {
        for (std::size_t n = 0; n < read.counts[s][k]; ++n) {
          const auto& choices = model.types[model.layers[result.choices.size()]].choices;
          std::size_t r = 0;
          while (r < choices.size() && choices[r].name != names[k] && !(k == 1 && choices[r].name == "selective")) {
            ++r;
          }
          if (r == choices.size()) {
            throw CLI::ValidationError(
                "--manual", fmt::format("{} runs layers as {}, which they cannot be", shown(file), names[k]));
          }
          result.choices.push_back(r);
        }
      }
    }
    result.cuts = stagecut::cuts(points, stagecut::empty_stages::allowed);
    return {file, std::move(result)};
  }

  /// 1F1B, with several chunks interleaved; SAPP's where the ranks do not divide the microbatches, or memory is short.
  [[nodiscard]] stagecut::schedule_kind usual_order(const stagecut::plan_request& request) const {
    using kind = stagecut::schedule_kind;
    if (request.chunks == 1) return kind::one_forward_one_backward;
    if (less_memory) return kind::sapp_less_memory;
    return request.devices != 0 && request.microbatches % request.devices == 0 ? kind::one_forward_one_backward
                                                                               : kind::sapp_big;
  }
};
