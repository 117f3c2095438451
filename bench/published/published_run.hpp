// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/transformer_config.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/devices.hpp>
#include <stagecut/profile/parameters.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

// Published training runs, from runs.json. Each group has its source and the assumptions about unpublished settings; a
// run has a model, its training, and one measured figure.
namespace published {

using nlohmann::json;

/// A run, with all properties of its group.
struct run {
  std::string group, kind, name;
  stagecut::transformer::architecture model{};
  stagecut::transformer::training training{};
  stagecut::transformer::device on{};
  std::size_t devices = 1, chunks = 1, batch = 1;
  std::size_t fewer = 0;        ///< layers fewer in the first and last stage than in the others
  std::string schedule;         ///< ours, or `zero bubble`: each rank repeats its iteration without a pause
  bool messages_shown = false;  ///< whether each pass waits for its message; else they are hidden as far as possible
  double seconds = 0;           ///< per iteration, as published or derived
  double gigabytes = 0;         ///< the peak of any device, under 1F1B; 0: not published

  [[nodiscard]] std::size_t microbatches() const { return batch / (training.microbatch * training.data_parallel); }
  [[nodiscard]] double gpus() const {
    return static_cast<double>(training.tensor_parallel * training.context_parallel * training.data_parallel * devices);
  }
  [[nodiscard]] double sequence() const {
    return static_cast<double>(training.sequence != 0 ? training.sequence : model.sequence);
  }
};

/// FLOP of an iteration, by the counting rule of the published FLOP/s.
inline double counted_flops(const run& of, const std::string& how) {
  const auto h = static_cast<double>(of.model.hidden);
  const auto layers = static_cast<double>(of.model.layers);
  const auto words = static_cast<double>(of.model.vocabulary);
  const double s = of.sequence();
  const double tokens = static_cast<double>(of.batch) * s;
  if (how == "causal") {  // 6 per parameter, and attention without the masked part
    return tokens * (6 * stagecut::transformer::count_parameters(of.model).total + 6 * layers * h * s);
  }
  const double layer = layers * h * h * (1 + s / (6 * h));
  if (how == "recomputed") return 96 * tokens * (layer + h * words / 16);  // Narayanan et al., appendix
  if (how == "model") return 72 * tokens * (layer + h * words / 12);       // the same without recomputation
  throw std::runtime_error(how + " is no way to count FLOP");
}

/// Seconds of an iteration, from the published figure.
inline double seconds_of(const run& of, const json& said) {
  const auto batch = static_cast<double>(of.batch);
  const auto figure = [&](const char* key) { return said.value(key, 0.0); };
  if (said.contains("seconds")) return figure("seconds");
  if (said.contains("tflops")) return counted_flops(of, said["flops"]) / (figure("tflops") * 1e12 * of.gpus());
  if (said.contains("samples")) return batch / (figure("samples") * of.gpus());
  if (said.contains("tokens")) return batch * of.sequence() / (figure("tokens") * of.gpus());
  throw std::runtime_error(of.name + " has no figure");
}

/// A device from its name or its figures.
inline stagecut::transformer::device device_of(const json& said) {
  if (said.is_string()) {
    const auto* const known = stagecut::find_name(stagecut::transformer::devices, said.get<std::string>());
    if (known == nullptr) throw std::runtime_error(said.dump() + " is no device");
    return *known;
  }
  stagecut::transformer::device on;
  on.name = {};
  on.flops = said.at("flops"), on.gemm = said.at("gemm"), on.gemm_fp8 = said.at("gemm_fp8");
  on.flops_fp32 = said.at("flops_fp32"), on.bandwidth = said.at("bandwidth"), on.memory = said.at("memory");
  on.link = said.at("link"), on.domain = said.at("domain"), on.network = said.at("network");
  on.power_limited = said.at("power_limited");
  on.sustained_link = said.value("sustained_link", 0.0);
  on.exponentials = said.value("exponentials", 0.0);
  on.sustained_bandwidth = on.host_link = 0;  // not those of the default
  return on;
}

/// A model and its training, from JSON members.
inline stagecut::io::transformer_config config_of(json model, const json& training, const std::string& name) {
  model["name"] = name;
  if (!training.empty()) model["training"] = training;
  return stagecut::io::read_transformer_config(model.dump(), name);
}

/// All runs of the file's groups.
inline std::vector<run> all_runs(const json& file) {
  std::vector<run> made;
  for (const json& group : file.at("groups")) {
    for (const json& each : group.at("runs")) {
      run& next = made.emplace_back();
      next.group = group.at("name");
      next.kind = group.at("kind");
      next.name = each.at("name");
      json training = group.value("training", json::object());
      training.update(each.value("training", json::object()));
      if (!training.contains("overlap")) training["overlap"] = "none";
      const auto config = config_of(each.at("model"), training, next.name);
      next.model = config.architecture;
      next.training = config.training;
      next.on = device_of(each.contains("device") ? each["device"] : group.at("device"));
      next.devices = each.at("devices");
      next.chunks = each.at("chunks");
      next.batch = each.at("batch");
      next.fewer = each.value("fewer", group.value("fewer", std::size_t{0}));
      next.schedule = each.value("schedule", next.chunks > 1 ? "interleaved" : "1f1b");
      next.messages_shown = group.at("transfers") == "shown";
      next.seconds = seconds_of(next, each);
      next.gigabytes = each.value("gb", 0.0);
    }
  }
  return made;
}

}  // namespace published
