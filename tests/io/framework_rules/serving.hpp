// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reading.hpp"

// Frameworks that are told how many decoders every stage has: vLLM, SGLang, and MindFormers with SAPP.
namespace framework_rules {

/// `get_pp_indices` of vLLM and SGLang: numbers between commas, one a rank, that sum up to the model's hidden layers.
/// A rank may have none.
inline verdict partition(const stagecut::plan& made, std::string_view text, std::string_view variable) {
  const stagecut::profile& model = made.profile;
  verdict out(model.layers.size());
  scanner in(text);
  std::vector<std::size_t> counts;
  std::size_t sum = 0;
  bool reads = in.take(variable) && in.take("=");
  do {
    const auto number = reads ? in.take_number() : std::nullopt;
    reads = number && *number >= 0;
    if (reads) counts.push_back(static_cast<std::size_t>(*number)), sum += counts.back();
  } while (reads && in.take(","));
  if (!out.demand(reads && in.at_end(), "invalid partition")) return out;
  const std::size_t layers = count_kind(model, "decoder");
  out.demand(counts.size() == made.devices, said(counts.size()) + " numbers for " + said(made.devices) + " ranks");
  out.demand(sum == layers, "sum of " + said(sum) + ", and there are " + said(layers) + " hidden layers");
  const std::size_t last = counts.size() - 1;
  build_transformer(model, "decoder", counts, {last, last, last}, out);
  return out;
}

using rows = std::vector<std::vector<long long>>;

/// `name: [[1, 2], [3, 4]]`
inline bool take_rows(std::string_view line, std::string_view name, rows& found) {
  scanner in(line);
  const auto row = [&] {
    const auto numbers = in.take_numbers();
    if (numbers) found.push_back(*numbers);
    return numbers.has_value();
  };
  return in.take(name) && in.take(":") && in.take_list(row) && in.at_end();
}

/// A row for every chunk, a column for every rank.
inline bool demand_rows(const rows& of, const stagecut::plan& made, const std::string& name, verdict& out) {
  bool fits = of.size() == made.stages_per_rank;
  for (const auto& row : of) fits = fits && row.size() == made.devices;
  return out.demand(fits, name + " is not " + said(made.stages_per_rank) + " rows of " + said(made.devices));
}

/// How many layers of a stage are recomputed: from the plan, by the weakest way that counts.
inline std::size_t recomputed(const stagecut::plan& made, std::size_t stage, bool full_only) {
  std::size_t count = 0;
  for (const std::size_t i : layers_of(made, stage)) {
    const std::string& profiled = made.profile.layers[i].recomputation;
    const bool chosen = i < made.choices.size() && !made.choices[i].recomputation.empty();
    const std::string& way = chosen ? made.choices[i].recomputation : profiled;
    count += way == "full" || (!full_only && way == "selective") ? 1 : 0;
  }
  return count;
}

/// `LayerSetting` of MindFormers: layers of a cell are the even share plus its offset.
inline verdict mindformers(const stagecut::plan& made, std::string_view text) {
  const stagecut::profile& model = made.profile;
  verdict out(model.layers.size());
  const auto lines = lines_of(text);
  const std::string names[] = {"offset", "recompute", "select_recompute", "select_comm_recompute"};
  rows given[4];
  for (std::size_t k = 0; k < 4; ++k) {
    const bool reads = k < lines.size() && take_rows(lines[k], names[k], given[k]);
    if (!out.demand(reads, "no " + names[k]) || !demand_rows(given[k], made, names[k], out)) return out;
  }
  const std::size_t p = made.devices, stages = p * made.stages_per_rank, layers = count_kind(model, "decoder");
  out.ranks = made.schedule.name == "zbv" ? shape::v : shape::loop;
  std::vector<std::size_t> counts;
  long long sum = 0;
  for (std::size_t s = 0; s < stages; ++s) {
    const std::size_t rank = out.ranks == shape::v && s >= p ? stages - 1 - s : s % p;
    sum += given[0][s / p][rank];
    const long long count = static_cast<long long>(layers / stages) + given[0][s / p][rank];
    const bool end = s == 0 || s + 1 == stages;
    out.demand(count >= (end ? 0 : 1), "stage " + said(s) + " has " + std::to_string(count) + " layers");
    counts.push_back(count < 0 ? 0 : static_cast<std::size_t>(count));
    for (std::size_t k = 1; k < 4; ++k) {
      const long long again = given[k][s / p][rank];
      out.demand(again >= 0 && again <= count, names[k] + " of stage " + said(s) + " is more than its layers");
      out.demand(s >= made.stages.size() || again == static_cast<long long>(recomputed(made, s, k != 2)),
                 names[k] + " of stage " + said(s) + " is not the plan's");
    }
  }
  out.demand(sum == static_cast<long long>(layers % stages),
             "offsets sum up to " + std::to_string(sum) + ", and " + said(layers % stages) + " layers are left over");
  demand_schedule(made, {"gpipe", "1f1b", "interleaved", "sapp-big", "sapp-less-memory", "zbv", "seq-1f1b"}, out);
  out.demand(out.ranks != shape::v || made.stages_per_rank == 2, "zero_bubble_v has two stages a rank");
  out.demand(made.schedule.microbatches == 0 || made.schedule.microbatches >= p, "fewer microbatches than ranks");
  build_transformer(model, "decoder", counts, {stages - 1, stages - 1, stages - 1}, out);
  return out;
}

}  // namespace framework_rules
