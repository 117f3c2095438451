// SPDX-License-Identifier: BSL-1.0
#include "work/layer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "work/host_device.hpp"
#include "work/model.hpp"
#include "work/pool.hpp"

using namespace executor;

namespace {

/// All layers of a small model on the host, whose memory is handed out full of NaN.
struct small_model {
  explicit small_model(model_config wanted) : config(wanted) {
    for (std::size_t i = 0; i < config.layers(); ++i) layers.push_back(make_layer(config, tokens, i, on, memory));
  }
  double loss() {
    for (const auto& layer : layers) layer->clear_gradients();
    for (std::size_t k = 0; k < config.microbatches; ++k) {
      block moving;
      for (const auto& layer : layers) moving = layer->forward(k, std::move(moving));
      for (std::size_t i = layers.size(); i-- > 0;) moving = layers[i]->backward_input(k, std::move(moving));
      for (const auto& layer : layers) layer->backward_weight(k);
    }
    const auto& losses = dynamic_cast<const head&>(*layers.back()).losses();
    double sum = 0;
    for (std::size_t k = 0; k < config.microbatches; ++k) sum += losses.data()[k];
    return sum / static_cast<double>(config.microbatches);
  }

  model_config config;
  host_device on;
  pool memory{on, true};
  token_table tokens{config, on, memory};
  std::vector<std::unique_ptr<layer>> layers;
};

model_config config(std::uint64_t seed) {
  return {.tokens = 5, .width = 6, .words = 11, .hidden = {4, 9}, .microbatches = 3, .seed = seed};
}

using matrix = std::vector<std::vector<double>>;

/// The parameters of a layer as they stand in its definition.
matrix values(layer& of, std::size_t which, std::size_t columns) {
  const block& from = of.parameters()[which].value;
  matrix result(from.size() / columns, std::vector<double>(columns));
  for (std::size_t i = 0; i < from.size(); ++i) result[i / columns][i % columns] = from.data()[i];
  return result;
}

matrix product(const matrix& a, const matrix& b) {
  matrix result(a.size(), std::vector<double>(b[0].size()));
  for (std::size_t r = 0; r < a.size(); ++r) {
    for (std::size_t c = 0; c < b[0].size(); ++c) {
      for (std::size_t i = 0; i < b.size(); ++i) result[r][c] += a[r][i] * b[i][c];
    }
  }
  return result;
}

/// The mean loss of all microbatches by the definition of the layers, in double precision and plain loops.
double loss_by_definition(small_model& model) {
  const std::size_t width = model.config.width;
  double sum = 0;
  for (std::size_t k = 0; k < model.config.microbatches; ++k) {
    matrix x;
    const float* const ids = model.tokens.from(0)[k];
    const matrix table = values(*model.layers[0], 0, width);
    for (std::size_t r = 0; r < model.config.tokens; ++r) x.push_back(table[static_cast<std::size_t>(ids[r])]);
    for (std::size_t i = 0; i < model.config.hidden.size(); ++i) {
      layer& of = *model.layers[i + 1];
      const std::size_t hidden = model.config.hidden[i];
      const auto gamma = values(of, 0, width)[0], beta = values(of, 1, width)[0], b1 = values(of, 3, hidden)[0],
                 b2 = values(of, 5, width)[0];
      matrix scaled = x;
      for (auto& row : scaled) {
        double mean = 0, variance = 0;
        for (const double each : row) mean += each / static_cast<double>(width);
        for (const double each : row) variance += (each - mean) * (each - mean) / static_cast<double>(width);
        for (std::size_t c = 0; c < width; ++c) {
          row[c] = (row[c] - mean) / std::sqrt(variance + 1e-5) * gamma[c] + beta[c];
        }
      }
      matrix inside = product(scaled, values(of, 2, hidden));
      for (auto& row : inside) {
        for (std::size_t c = 0; c < hidden; ++c) {
          const double h = row[c] + b1[c];
          row[c] = 0.5 * h * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (h + 0.044715 * h * h * h)));
        }
      }
      const matrix out = product(inside, values(of, 4, width));
      for (std::size_t r = 0; r < x.size(); ++r) {
        for (std::size_t c = 0; c < width; ++c) x[r][c] += out[r][c] + b2[c];
      }
    }
    const matrix scores = product(x, values(*model.layers.back(), 0, model.config.words));
    for (std::size_t r = 0; r < scores.size(); ++r) {
      double all = 0;
      for (const double score : scores[r]) all += std::exp(score);
      const double target = scores[r][static_cast<std::size_t>(ids[r + 1])];
      sum += (std::log(all) - target) / static_cast<double>(scores.size() * model.config.microbatches);
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("the loss is that of the definition") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    small_model model(config(seed));
    const double expected = loss_by_definition(model);
    CHECK(model.loss() == doctest::Approx(expected).epsilon(1e-6));
  }
}

TEST_CASE("the gradient of every parameter is the slope of the loss, as finite differences in double precision say") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    small_model model(config(seed));
    static_cast<void>(model.loss());
    std::mt19937 random(static_cast<unsigned>(seed));
    for (const auto& layer : model.layers) {
      for (parameter& of : layer->parameters()) {
        CAPTURE(layer->name);
        CAPTURE(of.name);
        const std::vector<float> gradient(of.gradient.data(), of.gradient.data() + of.gradient.size());
        const std::vector<float> value(of.value.data(), of.value.data() + of.value.size());
        for (int round = 0; round < 3; ++round) {
          // Along a random direction of signs, by steps that float32 can tell apart and that stay small.
          std::vector<float> direction(value.size());
          double slope = 0;
          for (std::size_t i = 0; i < value.size(); ++i) {
            direction[i] = random() % 2 == 0 ? 1.0F : -1.0F;
            slope += double{gradient[i]} * direction[i];
          }
          constexpr float step = 0x1p-10F;
          const auto at = [&](float length) {
            for (std::size_t i = 0; i < value.size(); ++i) of.value.data()[i] = value[i] + length * direction[i];
            return loss_by_definition(model);
          };
          const double found = (at(step) - at(-step)) / (2 * double{step});
          CHECK(slope == doctest::Approx(found).epsilon(1e-3).scale(0.1));
        }
        for (std::size_t i = 0; i < value.size(); ++i) of.value.data()[i] = value[i];
      }
    }
  }
}

TEST_CASE("descent lowers the loss") {
  small_model model(config(4));
  double before = model.loss();
  for (int i = 0; i < 5; ++i) {
    for (const auto& layer : model.layers) layer->descend(0.05F);
    const double after = model.loss();
    CHECK(after < before);
    before = after;
  }
}

TEST_CASE("what is kept is there from the forward pass to the gradient of the weights, and does not grow") {
  small_model model(config(1));
  const auto held = [&] { return model.memory.held(account::activations); };
  block moving;
  std::vector<std::size_t> after;
  for (const auto& layer : model.layers) {
    moving = layer->forward(0, std::move(moving));
    after.push_back(held());
  }
  const std::size_t d = 5 * 6 * sizeof(float);
  CHECK(after == std::vector<std::size_t>{d, d + 3 * d + 5 * 4 + 2 * 5 * 4 * 4, 7 * d + 2 * 5 * 4 + 2 * 5 * 13 * 4,
                                          8 * d + 2 * 5 * 4 + 2 * 5 * 13 * 4 + 5 * 11 * 4});
  model.memory.forget_peaks();
  for (std::size_t i = model.layers.size(); i-- > 0;) moving = model.layers[i]->backward_input(0, std::move(moving));
  CHECK(held() == after.back());
  CHECK(model.memory.peak(account::activations) == after.back());
  for (const auto& layer : model.layers) layer->backward_weight(0);
  CHECK(held() == 0);
  CHECK(model.memory.held(account::workspace) == 0);
  CHECK(model.memory.held(account::messages) == 0);
}
