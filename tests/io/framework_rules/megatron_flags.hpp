// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "megatron.hpp"

// Megatron-LM without a layout: `get_num_layers_to_build` and what `TransformerConfig` asks for.
namespace framework_rules {

/// The decoders of every rank by flags: given ones, and an even share of the rest.
inline std::vector<std::size_t> megatron_ranks(const options& given, std::size_t p, std::size_t layers, verdict& out) {
  const std::size_t first = given.number("decoder-first-pipeline-num-layers");
  const std::size_t last = given.number("decoder-last-pipeline-num-layers");
  const std::size_t named = (first != 0 ? 1U : 0U) + (last != 0 ? 1U : 0U);
  const bool with_embedding = given.has("account-for-embedding-in-pipeline-split");
  const bool with_loss = given.has("account-for-loss-in-pipeline-split");
  out.demand(named == 0 || (!with_embedding && !with_loss),
             "counts of first and last exclude accounting for other layers");
  if (!out.demand(named <= p && first + last <= layers, "more layers given than there are")) return {};
  const std::size_t counted = layers - first - last + (with_embedding ? 1U : 0U) + (with_loss ? 1U : 0U);
  const std::size_t others = p - named;
  out.demand(others == 0 ? counted == 0 : counted != 0 && counted % others == 0,
             said(counted) + " layers on " + said(others) + " ranks");
  std::vector<std::size_t> ranks(p, others == 0 ? 0 : counted / others);
  if (first != 0) ranks.front() = first;
  if (last != 0) ranks.back() = last;
  return ranks;
}

inline verdict megatron_flags(const stagecut::plan& made, std::string_view text) {
  const stagecut::profile& model = made.profile;
  verdict out(model.layers.size());
  const options given = options_of(text, out);
  const std::size_t p = given.number("pipeline-model-parallel-size");
  if (!out.demand(p == made.devices && p != 0, "pipeline of " + said(p) + " ranks")) return out;
  out.demand(!given.has("pipeline-model-parallel-layout"), "these versions have no layout");
  const std::size_t layers = count_kind(model, megatron_counted(model));
  const auto ranks = megatron_ranks(given, p, layers, out);
  if (ranks.empty()) return out;
  const std::size_t each = given.number("num-layers-per-virtual-pipeline-stage");
  std::size_t chunks = std::max<std::size_t>(1, given.number("num-virtual-stages-per-pipeline-rank"));
  if (each != 0) {
    out.demand(!given.has("num-virtual-stages-per-pipeline-rank"), "two options for virtual stages");
    out.demand(!given.has("decoder-first-pipeline-num-layers") && !given.has("decoder-last-pipeline-num-layers"),
               "uneven ranks take their virtual stages by number");
    if (!out.demand(ranks[0] % each == 0, said(ranks[0]) + " layers a rank in stages of " + said(each))) return out;
    chunks = ranks[0] / each;
  }
  std::vector<std::size_t> counts;
  for (std::size_t s = 0; s < p * chunks; ++s) {
    out.demand(ranks[s % p] % chunks == 0, said(ranks[s % p]) + " layers in " + said(chunks) + " virtual stages");
    counts.push_back(ranks[s % p] / chunks);
  }
  const auto less = [&](std::size_t& count, const char* flag) {
    if (given.has(flag) && out.demand(count != 0, "no place for what is accounted for")) --count;
  };
  less(counts.front(), "account-for-embedding-in-pipeline-split");
  less(counts.back(), "account-for-loss-in-pipeline-split");
  demand_megatron_model(model, out);
  demand_megatron_schedule(made, chunks, given.number("microbatch-group-size-per-virtual-pipeline-stage"), out);
  places where{counts.size() - 1, counts.size() - 1, counts.size() - 1};
  if (count_kind(model, "mtp") != 0) {
    while (where.norm != 0 && counts[where.norm] == 0) --where.norm;
  }
  build_transformer(model, megatron_counted(model), counts, where, out);
  return out;
}

}  // namespace framework_rules
