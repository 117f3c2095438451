// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/core/words.hpp>
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
  std::string how;
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
    how_said = command
                   .add_option("--recompute", how,
                               "Plan it: auto, or of what a layer may have, none,full; alone none, selective or full")
                   ->type_name("HOW")
                   ->group(rare_options);
    command.add_flag("--less-memory", less_memory, "With --chunks, a shorter warm-up")->group(rare_options);
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
    return false;
  }

  /// The best plan of so many chunks, from the first to the last number; `schedule_said`: not to choose the order.
  [[nodiscard]] stagecut::outcome<stagecut::plan> solve(const stagecut::profile& model, stagecut::plan_request request,
                                                        std::size_t first, std::size_t last, bool schedule_said) {
    bool any = false;
    for (const stagecut::layer& each : model.layers) any = any || !each.recomputations.empty();
    if (!any) throw CLI::ValidationError("--recompute", "no layer says how it could be recomputed: \"recomputations\"");
    stagecut::recompute_options options;
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
      if (first != last) all.push_back({chunks, std::move(made)});
    }
    return best;
  }

 private:
  /// 1F1B, with several chunks interleaved; SAPP's where the ranks do not divide the microbatches, or memory is short.
  [[nodiscard]] stagecut::schedule_kind usual_order(const stagecut::plan_request& request) const {
    using kind = stagecut::schedule_kind;
    if (request.chunks == 1) return kind::one_forward_one_backward;
    if (less_memory) return kind::sapp_less_memory;
    return request.devices != 0 && request.microbatches % request.devices == 0 ? kind::one_forward_one_backward
                                                                               : kind::sapp_big;
  }
};
