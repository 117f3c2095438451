// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/file.hpp>
#include <stagecut/io/frameworks/torch_schedule.hpp>
#include <stagecut/orders/synthesize_schedule.hpp>
#include <stagecut/schedule/generators/backward_first.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "options/did_you_mean.hpp"
#include "options/effort_flags.hpp"
#include "options/option_checks.hpp"
#include "options/run_size.hpp"

/// The schedules that plans support; `auto` compares the usual ones.
inline std::vector<std::string> planned_schedules() {
  std::vector<std::string> names = {"auto"};
  for (const auto& entry : stagecut::schedules) {
    const bool made = entry.kind == stagecut::schedule_kind::synthesized;
    if (made || !stagecut::needs_more(entry)) names.emplace_back(entry.name);
  }
  return names;
}

/// The schedule outside `stagecut::schedules`: its order arises at run time.
inline constexpr const char* dynamic_schedule = "backward-first";

/// The schedules that can be simulated.
inline std::vector<std::string> simulated_schedules() {
  std::vector<std::string> names = names_of(stagecut::schedules);
  names.emplace_back(dynamic_schedule);
  return names;
}

/// A schedule as options.
struct schedule_flags {
  std::string name, order, in_flight;
  std::size_t microbatches = 0;
  std::size_t slices = 0;
  std::size_t group = 0;

  void add(CLI::App& command) {
    const auto option = [&](const char* word, auto& into, const char* type, const char* says) {
      return command.add_option(word, into, says)->type_name(type);
    };
    option("--microbatches", microbatches, "M", "Microbatches of an iteration")->transform(count());
    option("--schedule", name, "NAME", "1f1b, gpipe, zb-h1 ..: see stagecut schedules")
        ->check(such_as(simulated_schedules()));
    option("--schedule-file", order, "FILE", "Or the ops of each rank: PyTorch's CSV");
    option("--slices", slices, "Q", "Of each microbatch's sequence, alike, for seq-1f1b")->transform(count());
    option("--group", group, "G", "Of microbatches, for interleaved")->transform(count());
    option("--in-flight", in_flight, "LIST", "Microbatches in flight by rank: 4,3,2,1");
  }

  /// Whether any is given.
  [[nodiscard]] bool named() const {
    if (!name.empty() || !order.empty() || !in_flight.empty()) return true;
    if (slices != 0) throw CLI::ValidationError("--slices", "goes with --schedule seq-1f1b");
    if (group != 0) throw CLI::ValidationError("--group", "goes with --schedule interleaved");
    return false;
  }

  /// Default stages per rank.
  [[nodiscard]] std::size_t usual_stages_per_rank() const {
    const auto* const entry = stagecut::find_schedule(name);
    return entry != nullptr && entry->stages_per_rank != 0 ? entry->stages_per_rank : 1;
  }

  /// See `too_large_run`.
  [[nodiscard]] std::string too_much(std::size_t ranks, std::size_t per_rank, std::size_t m) const {
    return too_large_run(ranks, per_rank, m, slices == 0 ? 1 : slices);
  }

  /// Rejects such a run.
  void check_size(std::size_t ranks, std::size_t per_rank, std::size_t m) const {
    const std::string much = too_much(ranks, per_rank, m);
    if (!much.empty()) throw CLI::ValidationError(much);
  }

  /// The schedule in the file of `--schedule-file`.
  [[nodiscard]] stagecut::schedule from_file(const stagecut::io::read_limits& limits) const {
    if (!name.empty()) throw CLI::ValidationError("--schedule-file", "stands in the place of --schedule");
    refuse("--schedule-file", true);
    auto result = stagecut::io::parse_torch_schedule(stagecut::io::file_text(order, limits), order,
                                                     stagecut::io::torch_letters::current, limits);
    result.name = order;
    return result;
  }

  /// That schedule, if it has this many stages and, unless they are 0, ranks and microbatches.
  [[nodiscard]] stagecut::schedule checked(stagecut::schedule read, std::size_t stages, std::size_t ranks,
                                           std::size_t m) const {
    if (read.stages() != stages) {
      throw stagecut::invalid_input(order, fmt::format("has {} stages, not {}", read.stages(), stages));
    }
    if (ranks != 0 && read.ranks() != ranks) {
      throw stagecut::invalid_input(order, fmt::format("has {} ranks, not {}", read.ranks(), ranks));
    }
    if (m != 0 && read.microbatches != m) {
      throw stagecut::invalid_input(order, fmt::format("has {} microbatches, not {}", read.microbatches, m));
    }
    return read;
  }

  /// The schedule for these ranks, stages per rank and microbatches.
  [[nodiscard]] stagecut::schedule made(std::size_t ranks, std::size_t per_rank, std::size_t m,
                                        const stagecut::pass_times<double>& times,
                                        const stagecut::transfer_times<double>& transfers,
                                        const stagecut::io::read_limits& limits,
                                        const std::vector<stagecut::stage_edge>& edges = {}) const {
    if (!order.empty()) return checked(from_file(limits), ranks * per_rank, ranks, microbatches);
    check_size(ranks, per_rank, m);
    if (m == 0) throw CLI::ValidationError("--microbatches", "is needed");
    const std::string chosen = name.empty() ? "1f1b" : name;
    const auto let_in = parse_list<std::size_t>("--in-flight", in_flight, "4,3,2,1");
    if (!let_in.empty() && let_in.size() != ranks) {
      throw CLI::ValidationError("--in-flight",
                                 fmt::format("has {} numbers, there are {} ranks", let_in.size(), ranks));
    }
    if (chosen == dynamic_schedule) {
      if (per_rank != 1) throw CLI::ValidationError("--stages-per-rank", "must be 1 for backward-first");
      refuse(dynamic_schedule, false);
      return stagecut::backward_first(times, transfers, let_in.empty() ? std::vector(ranks, ranks + 2) : let_in, m,
                                      edges);
    }
    const auto* entry = stagecut::find_schedule(chosen);
    if (entry == nullptr) {
      throw CLI::ValidationError("--schedule", fmt::format("{} is not known{} (see stagecut schedules)", chosen,
                                                           did_you_mean(chosen, simulated_schedules())));
    }
    if (entry->make == nullptr) return synthesized(ranks, per_rank, m, times, transfers, edges);
    if (!let_in.empty()) entry = &stagecut::entry_of(entry->with_in_flight);
    if (entry->splits_backward && times.backward_input.empty()) {
      throw CLI::ValidationError("--schedule",
                                 fmt::format("{} needs the gradients of inputs and weights apart", chosen));
    }
    stagecut::schedule_shape shape{.ranks = ranks, .stages_per_rank = per_rank, .microbatches = m, .group = group};
    if (slices != 0) shape.slices = slices;
    shape.in_flight = let_in;
    return stagecut::make_schedule(entry->kind, shape);
  }

 private:
  /// A schedule synthesized for the times, without a memory limit.
  [[nodiscard]] stagecut::schedule synthesized(std::size_t ranks, std::size_t per_rank, std::size_t m,
                                               const stagecut::pass_times<double>& times,
                                               const stagecut::transfer_times<double>& transfers,
                                               const std::vector<stagecut::stage_edge>& edges) const {
    refuse(name.c_str(), true);
    if (!edges.empty()) throw CLI::ValidationError("--schedule", "synthesize is for chains only");
    stagecut::synthesis_request request;
    request.rank_of = stagecut::loop_placement(ranks, per_rank);
    request.microbatches = m;
    request.split = !times.backward_input.empty();
    request.search.time_limit.reset();
    request.search.node_limit = usual_orders(ranks * per_rank * m);
    const auto made = stagecut::synthesize_schedule(times, transfers, request);
    if (!made) throw CLI::ValidationError("--schedule", "synthesize found no order");
    stagecut::schedule result = made->schedule;
    result.name = name;
    return result;
  }

  /// Rejects options that such a schedule does not use.
  void refuse(const char* of, bool also_in_flight) const {
    if (slices != 0) throw CLI::ValidationError("--slices", fmt::format("is of no use for {}", of));
    if (group != 0) throw CLI::ValidationError("--group", fmt::format("is of no use for {}", of));
    if (also_in_flight && !in_flight.empty()) {
      throw CLI::ValidationError("--in-flight", fmt::format("is of no use for {}", of));
    }
  }
};
