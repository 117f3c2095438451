// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "work/device.hpp"
#include "work/layer.hpp"
#include "work/pool.hpp"

namespace executor {

/// A chain of layers: an embedding, feed-forward blocks, and a head with the loss.
struct model_config {
  std::size_t tokens = 128;                                                    ///< tokens per microbatch
  std::size_t width = 256;                                                     ///< width of the layers' outputs
  std::size_t words = 4096;                                                    ///< vocabulary size
  std::vector<std::size_t> hidden{512, 512, 1024, 512, 2048, 512, 1024, 512};  ///< the inner width of every block
  std::size_t microbatches = 8;                                                ///< microbatches of an iteration
  std::uint64_t seed = 1;                                                      ///< seed of parameters and tokens

  /// The embedding, the blocks, the head.
  [[nodiscard]] std::size_t layers() const { return hidden.size() + 2; }
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(model_config, tokens, width, words, hidden, microbatches, seed)

/// Parses a model from JSON; unset members keep their defaults.
/// @throws std::invalid_argument naming a member that is unknown, or not a whole number
[[nodiscard]] inline model_config parse_model(const std::string& text) {
  const auto from = nlohmann::json::parse(text, nullptr, false);
  if (!from.is_object()) throw std::invalid_argument("is no JSON object");
  const nlohmann::json known = model_config();
  for (const auto& [name, value] : from.items()) {
    if (!known.contains(name)) throw std::invalid_argument("has \"" + name + "\", which no model has");
    bool fits = value.is_array() == known[name].is_array();
    for (const auto& each : value) fits = fits && each.is_number_unsigned();
    if (!fits) throw std::invalid_argument("\"" + name + "\" must be of whole numbers from 0 on");
  }
  return from.get<model_config>();
}

/// Rejects an invalid model.
inline void check(const model_config& model) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("the model's ") + what);
  };
  constexpr std::size_t most = std::size_t{1} << 20U;
  const auto in_range = [](std::size_t value) { return value != 0 && value <= most; };
  require(in_range(model.tokens) && in_range(model.width) && in_range(model.microbatches),
          "tokens, width and microbatches must be 1 to 2^20");
  require(model.words > 1 && model.words <= std::size_t{1} << 24U, "words must be 2 to 2^24");
  for (const std::size_t width : model.hidden) require(in_range(width), "blocks must be 1 to 2^20 wide");
}

/// The inputs and targets of every microbatch, on a device: random tokens, each with the next one as target.
class token_table {
 public:
  token_table(const model_config& model, device& on, pool& memory) {
    std::mt19937_64 random(model.seed);
    std::vector<float> ids(model.tokens + 1);
    for (std::size_t k = 0; k < model.microbatches; ++k) {
      for (float& id : ids) id = static_cast<float>(random() % model.words);
      blocks_.emplace_back(memory, ids.size(), account::parameters);
      on.write(blocks_.back().data(), ids.data(), ids.size());
    }
  }
  /// Per microbatch, from that token on.
  [[nodiscard]] std::vector<const float*> from(std::size_t token) const {
    std::vector<const float*> result;
    for (const auto& block : blocks_) result.push_back(block.data() + token);
    return result;
  }

 private:
  std::vector<block> blocks_;
};

/// Layer i of a model, with parameters determined by its seed, wherever it is created.
[[nodiscard]] inline std::unique_ptr<layer> make_layer(const model_config& model, const token_table& tokens,
                                                       std::size_t i, device& on, pool& memory) {
  const std::uint64_t seed = model.seed + 7919 * (i + 1);
  if (i == 0) {
    return std::make_unique<embedding>(model.tokens, model.width, model.words, tokens.from(0), seed, on, memory);
  }
  if (i > model.hidden.size()) {
    return std::make_unique<head>(model.tokens, model.width, model.words, tokens.from(1), model.microbatches, seed, on,
                                  memory);
  }
  return std::make_unique<feed_forward>("block." + std::to_string(i - 1), model.tokens, model.width,
                                        model.hidden[i - 1], seed, on, memory);
}

/// The results of an iteration, for comparing two runs of a model.
struct gradients {
  std::vector<float> losses{};               ///< per microbatch, from the rank of the last layer
  std::vector<std::vector<float>> layers{};  ///< per layer, one parameter after the other; empty: on another rank
};

/// Reads a layer's gradients from its device.
[[nodiscard]] inline std::vector<float> gradients_of(layer& each, device& on) {
  std::vector<float> result;
  for (const parameter& of : each.parameters()) {
    const std::size_t at = result.size();
    result.resize(at + of.gradient.size());
    on.read(result.data() + at, of.gradient.data(), of.gradient.size());
  }
  return result;
}

}  // namespace executor
