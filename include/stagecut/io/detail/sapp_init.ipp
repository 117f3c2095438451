// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/sapp_init.hpp>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/sapp_choices.hpp>
#include <stagecut/io/detail/sapp_runs.hpp>
#include <stagecut/io/detail/yaml_subset.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/dry_runs.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The peaks in a file, with the numbers of layers by choice.
struct sapp_peaks {
  std::vector<rank_peak> ranks{};
  std::vector<sapp_counts> counts{};
  std::set<std::pair<std::size_t, std::size_t>> seen{};  ///< runs and ranks

  /// @param of     the rank's position, for errors
  /// @param bytes  in SAPP's MB
  void add(const sapp_pipelines& pipelines, std::size_t run, std::size_t rank, const json_value& of,
           const json_value& bytes) {
    if (rank >= pipelines.ranks()) of.fail(of.shown(), " is no rank of ", std::to_string(pipelines.ranks()));
    if (!seen.insert({run, rank}).second) {
      of.fail("the memory of rank ", std::to_string(rank), " in run ", std::to_string(run), " is given twice");
    }
    rank_peak& next = add(pipelines, run, rank);
    next.bytes = bytes.amount() * sapp_megabyte;
    if (!is_finite(next.bytes)) bytes.fail(bytes.shown(), " is out of range");
  }

  /// Adds a peak without its bytes.
  rank_peak& add(const sapp_pipelines& pipelines, std::size_t run, std::size_t rank) {
    counts.push_back(pipelines.counts_of(run, rank));
    rank_peak& next = ranks.emplace_back();
    next.run = run;
    next.rank = rank;
    next.layers = pipelines.layers_of(run, rank);
    next.has_head = rank == 0;
    next.has_tail = rank + 1 == pipelines.ranks();
    return next;
  }

  /// Adds those of some ranks of one run.
  void add_body(const sapp_pipelines& pipelines, std::size_t run, const json_value& ids, const json_value& memories) {
    const auto rank_ids = ids.elements();
    const auto bytes = memories.elements();
    if (rank_ids.size() != bytes.size()) {
      memories.fail("has ", std::to_string(bytes.size()), " elements, and \"stage_id\" ",
                    std::to_string(rank_ids.size()));
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) add(pipelines, run, rank_ids[i].count(), rank_ids[i], bytes[i]);
  }

  /// With `none` and the choices that any of them has; or with all choices.
  [[nodiscard]] stagecut::dry_runs made(std::size_t all_ranks, bool all_choices = false) && {
    stagecut::dry_runs result;
    for (std::size_t choice = 0; choice < sapp_choices; ++choice) {
      bool used = choice == 0 || all_choices;
      for (const sapp_counts& each : counts) used = used || each[choice] > 0;
      if (!used) continue;
      result.choices.emplace_back(stagecut::name_of(sapp_choice_names, static_cast<sapp_choice>(choice)));
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        ranks[i].kept.push_back(static_cast<double>(all_ranks - ranks[i].rank) * counts[i][choice]);
      }
    }
    result.peaks = std::move(ranks);
    return result;
  }
};

inline stagecut::dry_runs read_sapp_runs(const sapp_pipelines& pipelines, const json_value& memory,
                                         const sapp_init_options& options) {
  memory.only({"head_memory", "tail_memory", "body_memories"});
  const json_value body = memory.at("body_memories");
  body.object().only({"stage_id", "memories"});
  sapp_peaks peaks;
  const json_value ids = body.at("stage_id");
  const json_value memories = body.at("memories");
  for (std::size_t run = 0; run < pipelines.runs(); ++run) {
    peaks.add_body(pipelines, run, sapp_part_of(ids, run, pipelines.runs()),
                   sapp_part_of(memories, run, pipelines.runs()));
  }
  const std::size_t of = options.ends_of_last_run ? pipelines.runs() - 1 : 0;
  const json_value head = memory.at("head_memory");
  const json_value tail = memory.at("tail_memory");
  peaks.add(pipelines, of, 0, head, head);
  peaks.add(pipelines, of, pipelines.ranks() - 1, tail, tail);
  return std::move(peaks).made(pipelines.ranks());
}

/// All ranks that could be measured; limited, so that a short text cannot create endless ranks.
inline stagecut::dry_runs sapp_ranks(const sapp_pipelines& pipelines, const json_value& pipeline) {
  constexpr std::size_t most = 1'000'000;
  if (pipelines.runs() > most / pipelines.ranks()) {
    pipeline.fail(std::to_string(pipelines.runs()), " runs of ", std::to_string(pipelines.ranks()),
                  " ranks are more than ", std::to_string(most), " in all");
  }
  sapp_peaks peaks;
  for (std::size_t run = 0; run < pipelines.runs(); ++run) {
    for (std::size_t rank = 0; rank < pipelines.ranks(); ++rank) peaks.add(pipelines, run, rank);
  }
  return std::move(peaks).made(pipelines.ranks(), true);
}

inline sapp_times read_sapp_times(const json_value& said) {
  said.object().only({"head", "body", "tail"});
  return {said.at("head").amount() * sapp_millisecond, said.at("body").amount() * sapp_millisecond,
          said.at("tail").amount() * sapp_millisecond};
}

inline sapp_traces read_sapp_traces(const json_value& said) {
  sapp_traces made;
  made.folder = said.object().at("folder_path").text();
  made.microbatches = said.at("micro_batch_num").count(1);
  for (const auto& [key, into] :
       {std::pair("head_layers", &made.head_layers), std::pair("body_layers", &made.body_layers),
        std::pair("tail_layers", &made.tail_layers)}) {
    const auto names = said.find(key);
    if (!names) continue;
    into->clear();
    if ((**names).is_string()) {
      into->push_back(names->text());
    } else {
      for (const json_value& name : names->elements()) into->push_back(name.text());
    }
  }
  return made;
}

}  // namespace detail

STAGECUT_DECL sapp_init read_sapp_init(std::string_view text, std::string_view source, const sapp_init_options& options,
                                       const read_limits& limits) {
  const auto parsed = detail::parse_yaml(text, source, limits);
  const detail::json_value whole(parsed, source, limits);
  std::optional<detail::json_value> memory;
  std::optional<detail::json_value> measured;
  if (!options.memory_elsewhere || whole.object().find("memory_usage")) {
    memory = whole.object().at("memory_usage");
    measured = memory->object().at("body_memories").object().at("stage_id");
  }
  const auto pipeline = whole.at("pipeline_config");
  const detail::sapp_pipelines pipelines(pipeline.object(), whole.at("recompute_config").object(), measured,
                                         options.lenient);
  sapp_init made;
  made.ranks = pipelines.ranks();
  made.layers = pipelines.layers();
  if (memory) made.dry_runs = detail::read_sapp_runs(pipelines, *memory, options);
  if (options.memory_elsewhere) made.to_measure = detail::sapp_ranks(pipelines, pipeline);
  if (const auto times = whole.find("time_config")) made.times = detail::read_sapp_times(*times);
  if (const auto traces = whole.find("profiling_config")) made.traces = detail::read_sapp_traces(*traces);
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
