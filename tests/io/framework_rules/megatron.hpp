// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reading.hpp"

// Megatron-LM: `PipelineParallelLayerLayout`, `validate_args`, `TransformerConfig`, the schedules' own checks.
namespace framework_rules {

/// A command line's options; those without a value have an empty one.
struct options {
  std::map<std::string, std::string> values{};

  [[nodiscard]] bool has(const std::string& name) const { return values.contains(name); }
  /// A number; 0 if it is not there.
  [[nodiscard]] std::size_t number(const std::string& name) const {
    const auto found = values.find(name);
    return found == values.end() ? 0 : static_cast<std::size_t>(scanner(found->second).take_number().value_or(0));
  }
};

inline options options_of(std::string_view text, verdict& out) {
  static const std::vector<std::string_view> numbers = {"pipeline-model-parallel-size",
                                                        "decoder-first-pipeline-num-layers",
                                                        "decoder-last-pipeline-num-layers",
                                                        "num-layers-per-virtual-pipeline-stage",
                                                        "num-virtual-stages-per-pipeline-rank",
                                                        "microbatch-group-size-per-virtual-pipeline-stage",
                                                        "num-layers",
                                                        "mtp-num-layers"};
  static const std::vector<std::string_view> switches = {"account-for-embedding-in-pipeline-split",
                                                         "account-for-loss-in-pipeline-split",
                                                         "untie-embeddings-and-output-weights"};
  options found;
  scanner in(text);
  while (!in.at_end()) {
    const bool apart = found.values.empty() || in.rest().data()[-1] == ' ' || in.rest().data()[-1] == '\n';
    out.demand(apart, "no blank before " + std::string(in.rest()));
    if (!out.demand(in.take("--"), "not an option: " + std::string(in.rest()))) break;
    std::string name;
    while (!in.rest().empty() && in.rest()[0] != ' ' && in.rest()[0] != '\n') {
      name += in.rest()[0];
      (void)in.take(in.rest().substr(0, 1));
    }
    out.demand(!found.has(name), "option twice: " + name);
    const auto among = [&](const auto& all) { return std::find(all.begin(), all.end(), name) != all.end(); };
    if (name == "pipeline-model-parallel-layout") {
      const auto value = in.take_string();  // a shell would end it at `|` without quotes
      out.demand(value.has_value(), "layout without quotes");
      found.values[name] = value.value_or("");
    } else if (among(switches)) {
      found.values[name] = "";
    } else {
      out.demand(among(numbers), "no such option: " + name);
      const auto value = in.take_number();
      if (!out.demand(value && *value > 0, "no number above 0: " + name)) break;
      found.values[name] = std::to_string(*value);
    }
  }
  return found;
}

/// `pattern*n`, each replaced once from the left: a group in parentheses that holds no `)`, or a single character.
inline std::string unrolled(std::string_view text, bool groups) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    std::string_view body = text.substr(i, 1);
    bool whole = !groups;
    if (groups && text[i] == '(') {
      const std::size_t close = text.find(')', i);
      whole = close != std::string_view::npos && close > i + 1;
      if (whole) body = text.substr(i + 1, close - i - 1), end = close + 1;
    }
    scanner count(text.substr(std::min(end + 1, text.size())));
    const bool digit = end + 1 < text.size() && text[end] == '*' && text[end + 1] >= '0' && text[end + 1] <= '9';
    const auto times = whole && digit ? count.take_number() : std::nullopt;
    if (!times || *times > 100000) {
      result += text[i++];
      continue;
    }
    for (long long k = 0; k < *times; ++k) result += body;
    i = text.size() - count.rest().size();
  }
  return result;
}

/// The letters of every stage of a layout.
inline std::vector<std::string> layout_stages(std::string text, verdict& out) {
  std::erase(text, ',');
  text = unrolled(unrolled(text, true), false);
  std::vector<std::string> stages(1);
  for (const char letter : text) {
    if (letter == '|') {
      stages.emplace_back();
    } else {
      out.demand(std::string_view("ELtm").find(letter) != std::string_view::npos,
                 std::string("invalid letter ") + letter);
      stages.back() += letter;
    }
  }
  return stages;
}

/// What its pipeline runs: microbatches by groups, which are the ranks unless an option says otherwise.
inline void demand_megatron_schedule(const stagecut::plan& made, std::size_t chunks, std::size_t group, verdict& out) {
  demand_schedule(made, {chunks == 1 ? "1f1b" : "interleaved"}, out);
  const std::size_t p = made.devices, m = made.schedule.microbatches;
  if (chunks == 1) return;
  out.demand(p > 1, "virtual stages need more than one rank");
  if (m == 0) return;
  if (group == 0) group = p;
  if (!out.demand(group >= p && group <= m,
                  "group of " + said(group) + " microbatches, outside " + said(p) + " to " + said(m)))
    return;
  const std::size_t last = m % group;
  out.demand(last == 0 || last >= p, "last group of " + said(last) + " microbatches, fewer than the ranks");
}

/// The kind of the layers that its block holds: those of an encoder if the model has no decoder (BERT).
inline std::string_view megatron_counted(const stagecut::profile& model) {
  return count_kind(model, "decoder") == 0 && count_kind(model, "encoder") != 0 ? "encoder" : "decoder";
}

inline void demand_megatron_model(const stagecut::profile& model, verdict& out) {
  out.demand(count_kind(model, "embedding") == 1, "a model has one embedding");
  out.demand(count_kind(model, "head") == 1, "a model has one head");
  out.demand(count_kind(model, "norm") <= 1, "a model has one final norm");
}

inline void validate_layout(const stagecut::profile& model, const std::vector<std::string>& stages, std::size_t ranks,
                            verdict& out) {
  std::string flat;
  for (const auto& stage : stages) flat += stage;
  const auto count = [&](char letter) {
    return static_cast<std::size_t>(std::count(flat.begin(), flat.end(), letter));
  };
  out.demand(stages.size() % ranks == 0, said(stages.size()) + " stages, not a multiple of the ranks");
  out.demand(flat.starts_with('E'), "the first layer must be the embedding");
  out.demand(flat.ends_with('L'), "the last layer must be the loss");
  out.demand(count('E') == 1, "one embedding");
  out.demand(count('L') == 1, "one loss");
  out.demand(count('t') == count_kind(model, megatron_counted(model)), said(count('t')) + " t, not the layers' number");
  out.demand(count('m') == count_kind(model, "mtp"), said(count('m')) + " m, not the number of MTP layers");
  const std::size_t m = flat.find('m');
  if (m == std::string::npos) return;
  out.demand(flat.find('t', m) == std::string::npos, "decoders stand before MTP layers");
  std::size_t holders = 0;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (stages[s].find('m') == std::string::npos) continue;
    ++holders;
    out.demand(s / ranks + 1 == stages.size() / ranks, "MTP layers stand in the last virtual stage of their rank");
  }
  out.demand(holders == 1, "MTP layers stand on one stage");
}

inline verdict megatron(const stagecut::plan& made, std::string_view text) {
  const stagecut::profile& model = made.profile;
  verdict out(model.layers.size());
  const options given = options_of(text, out);
  const std::size_t p = given.number("pipeline-model-parallel-size");
  if (!out.demand(p == made.devices && p != 0, "pipeline of " + said(p) + " ranks")) return out;
  if (!out.demand(given.has("pipeline-model-parallel-layout"), "no layout")) return out;
  for (const char* const other : {"decoder-first-pipeline-num-layers", "decoder-last-pipeline-num-layers",
                                  "num-layers-per-virtual-pipeline-stage", "num-virtual-stages-per-pipeline-rank",
                                  "account-for-embedding-in-pipeline-split", "account-for-loss-in-pipeline-split"}) {
    out.demand(!given.has(other), std::string("a layout excludes ") + other);
  }
  const auto stages = layout_stages(given.values.at("pipeline-model-parallel-layout"), out);
  validate_layout(model, stages, p, out);
  demand_megatron_model(model, out);
  demand_megatron_schedule(made, stages.size() / p, given.number("microbatch-group-size-per-virtual-pipeline-stage"),
                           out);
  std::vector<std::size_t> counts;
  places where{stages.size() - 1, 0, stages.size() - 1};
  std::size_t last_decoder = 0;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    counts.push_back(static_cast<std::size_t>(std::count(stages[s].begin(), stages[s].end(), 't')));
    if (counts.back() != 0) last_decoder = s;
    if (stages[s].find('m') != std::string::npos) where.mtp = s;
  }
  if (count_kind(model, "mtp") != 0) where.norm = last_decoder;  // built with the decoders' last layer then
  build_transformer(model, megatron_counted(model), counts, where, out);
  return out;
}

}  // namespace framework_rules
