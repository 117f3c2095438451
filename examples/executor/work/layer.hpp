// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "work/device.hpp"
#include "work/pool.hpp"

namespace executor {

/// A matrix of parameters with its gradient, which accumulates over microbatches until `descend`.
struct parameter {
  std::string name{};  ///< `W1`
  block value{};
  block gradient{};
};

/// A layer of the model: forward pass, input gradient and parameter gradient as separate calls.
///
/// Each microbatch passes through the three in this order. What the forward pass keeps counts as activations, from its
/// beginning to the end of `backward_weight`, and does not grow in between: space for a gradient that waits for
/// `backward_weight` is reserved from the beginning.
class layer {
 public:
  layer(std::string called, std::string of, device& on, pool& memory)
      : name(std::move(called)), kind(std::move(of)), on_(on), memory_(memory) {}
  layer(const layer&) = delete;
  layer& operator=(const layer&) = delete;
  virtual ~layer() = default;

  /// @param input  of the microbatch; empty for the first layer
  /// @return       the output, counted as a message; empty for the last layer
  virtual block forward(std::size_t microbatch, block input) = 0;
  /// @param gradient  of the output; empty for the last layer
  /// @return          the input's gradient, counted as a message; empty for the first layer
  virtual block backward_input(std::size_t microbatch, block gradient) = 0;
  virtual void backward_weight(std::size_t microbatch) = 0;

  std::vector<parameter>& parameters() { return parameters_; }
  void clear_gradients() {
    for (auto& parameter : parameters_) on_.fill(parameter.gradient.data(), parameter.gradient.size(), 0);
  }
  void descend(float rate) {
    for (auto& parameter : parameters_) {
      on_.descend(parameter.value.size(), rate, parameter.gradient.data(), parameter.value.data());
    }
  }

  const std::string name;
  const std::string kind;

 protected:
  /// Adds parameters: uniform below `spread`, determined by the seed; all `centre` if `spread` is 0.
  void add(const char* of, std::size_t count, std::uint64_t seed, float spread, float centre = 0) {
    std::mt19937_64 random(seed + 1000003 * parameters_.size());
    std::vector<float> values(count, centre);
    for (float& each : values) each += spread * (2 * static_cast<float>(random() >> 40U) * 0x1p-24F - 1);
    parameters_.push_back({of, {memory_, count, account::parameters}, {memory_, count, account::parameters}});
    on_.write(parameters_.back().value.data(), values.data(), count);
  }
  [[nodiscard]] float* value(std::size_t i) { return parameters_[i].value.data(); }
  [[nodiscard]] float* gradient(std::size_t i) { return parameters_[i].gradient.data(); }
  [[nodiscard]] block take(std::size_t count, account of) { return {memory_, count, of}; }

  device& on_;
  pool& memory_;

 private:
  std::vector<parameter> parameters_;
};

/// y[r] = E[id of token r]: the first layer.
class embedding final : public layer {
 public:
  /// @param ids  per microbatch, on the device, one per token
  embedding(std::size_t tokens, std::size_t width, std::size_t words, std::vector<const float*> ids, std::uint64_t seed,
            device& on, pool& memory)
      : layer("embedding", "embedding", on, memory), rows_(tokens), columns_(width), ids_(std::move(ids)) {
    add("E", words * width, seed, 1);
  }
  block forward(std::size_t microbatch, block) override {
    kept_[microbatch] = take(rows_ * columns_, account::activations);
    block output = take(rows_ * columns_, account::messages);
    on_.gather(rows_, columns_, ids_[microbatch], value(0), output.data());
    return output;
  }
  block backward_input(std::size_t microbatch, block gradient) override {
    kept_[microbatch] = block();
    gradient.move_to(account::activations);
    kept_[microbatch] = std::move(gradient);
    return {};
  }
  void backward_weight(std::size_t microbatch) override {
    on_.scatter_add(rows_, columns_, ids_[microbatch], kept_[microbatch].data(), gradient(0));
    kept_.erase(microbatch);
  }

 private:
  std::size_t rows_, columns_;
  std::vector<const float*> ids_;
  std::map<std::size_t, block> kept_;  // space for the output's gradient
};

/// y = x + GELU(norm(x) W1 + b1) W2 + b2, where norm(x) is the layer norm with gamma and beta.
class feed_forward final : public layer {
 public:
  feed_forward(std::string called, std::size_t tokens, std::size_t width, std::size_t hidden, std::uint64_t seed,
               device& on, pool& memory)
      : layer(std::move(called), "feed_forward", on, memory), rows_(tokens), width_(width), hidden_(hidden) {
    add("gamma", width, seed, 0, 1);
    add("beta", width, seed, 0);
    add("W1", width * hidden, seed, 1 / std::sqrt(static_cast<float>(width)));
    add("b1", hidden, seed, 0.1F);
    add("W2", hidden * width, seed, 1 / std::sqrt(static_cast<float>(hidden)));
    add("b2", width, seed, 0.1F);
  }

  block forward(std::size_t microbatch, block input) override {
    input.move_to(account::activations);
    block normal = take(rows_ * width_, account::activations);
    block scale = take(rows_, account::activations);
    block before = take(rows_ * hidden_, account::activations);
    block active = take(rows_ * hidden_, account::activations);
    block later = take(rows_ * width_, account::activations);
    on_.normalize(rows_, width_, input.data(), normal.data(), scale.data());
    const block scaled = scaled_rows(normal);
    on_.multiply(transposed::neither, rows_, hidden_, width_, scaled.data(), value(w1), before.data(), false);
    on_.add_to_rows(rows_, hidden_, value(b1), before.data());
    on_.gelu(rows_ * hidden_, before.data(), active.data());
    block output = take(rows_ * width_, account::messages);
    on_.multiply(transposed::neither, rows_, width_, hidden_, active.data(), value(w2), output.data(), false);
    on_.add_to_rows(rows_, width_, value(b2), output.data());
    on_.add(rows_ * width_, input.data(), output.data());
    kept_[microbatch] = {std::move(input),  std::move(normal), std::move(scale),
                         std::move(before), std::move(active), std::move(later)};
    return output;
  }

  /// Afterwards `before` holds the gradient before GELU, `later` the scaled rows' gradient, and `ends` the output's.
  block backward_input(std::size_t microbatch, block gradient) override {
    kept& has = kept_[microbatch];
    const block active = take(rows_ * hidden_, account::workspace);
    on_.multiply(transposed::right, rows_, hidden_, width_, gradient.data(), value(w2), active.data(), false);
    on_.gelu_backward(rows_ * hidden_, active.data(), has.before.data());
    on_.multiply(transposed::right, rows_, width_, hidden_, has.before.data(), value(w1), has.later.data(), false);
    block result = take(rows_ * width_, account::messages);
    on_.fill(result.data(), result.size(), 0);
    on_.add(result.size(), gradient.data(), result.data());
    on_.normalize_backward(rows_, width_, has.later.data(), value(gamma), has.normal.data(), has.scale.data(),
                           result.data());
    has.ends = block();  // makes space for the gradient
    gradient.move_to(account::activations);
    has.ends = std::move(gradient);
    return result;
  }

  void backward_weight(std::size_t microbatch) override {
    const kept& has = kept_[microbatch];
    const block scaled = scaled_rows(has.normal);
    on_.sum_rows(rows_, width_, has.later.data(), has.normal.data(), gradient(gamma));
    on_.sum_rows(rows_, width_, has.later.data(), nullptr, gradient(beta));
    on_.multiply(transposed::left, width_, hidden_, rows_, scaled.data(), has.before.data(), gradient(w1), true);
    on_.sum_rows(rows_, hidden_, has.before.data(), nullptr, gradient(b1));
    on_.multiply(transposed::left, hidden_, width_, rows_, has.active.data(), has.ends.data(), gradient(w2), true);
    on_.sum_rows(rows_, width_, has.ends.data(), nullptr, gradient(b2));
    kept_.erase(microbatch);
  }

 private:
  enum place : std::size_t { gamma, beta, w1, b1, w2, b2 };
  struct kept {
    block ends;  // the input, then the gradient of the output
    block normal, scale, before, active, later;
  };

  [[nodiscard]] block scaled_rows(const block& normal) {
    block result = take(rows_ * width_, account::workspace);
    on_.scale_rows(rows_, width_, normal.data(), value(gamma), value(beta), result.data());
    return result;
  }

  std::size_t rows_, width_, hidden_;
  std::map<std::size_t, kept> kept_;
};

/// The loss of a microbatch: the mean cross entropy of softmax(x W) and the next token. The last layer.
class head final : public layer {
 public:
  /// @param targets       per microbatch, on the device, one per token
  /// @param microbatches  the gradient is of the mean loss over this number
  head(std::size_t tokens, std::size_t width, std::size_t words, std::vector<const float*> targets,
       std::size_t microbatches, std::uint64_t seed, device& on, pool& memory)
      : layer("head", "head", on, memory),
        rows_(tokens),
        width_(width),
        words_(words),
        targets_(std::move(targets)),
        scale_(1 / (static_cast<float>(tokens) * static_cast<float>(microbatches))),
        losses_(memory, microbatches, account::parameters) {
    add("W", width * words, seed, 1 / std::sqrt(static_cast<float>(width)));
  }
  block forward(std::size_t microbatch, block input) override {
    input.move_to(account::activations);
    block scores = take(rows_ * words_, account::activations);
    on_.multiply(transposed::neither, rows_, words_, width_, input.data(), value(0), scores.data(), false);
    on_.softmax_loss(rows_, words_, targets_[microbatch], scale_, scores.data(), losses_.data() + microbatch);
    kept_[microbatch] = {std::move(input), std::move(scores)};
    return {};
  }
  block backward_input(std::size_t microbatch, block) override {
    block result = take(rows_ * width_, account::messages);
    on_.multiply(transposed::right, rows_, width_, words_, kept_[microbatch].scores.data(), value(0), result.data(),
                 false);
    return result;
  }
  void backward_weight(std::size_t microbatch) override {
    const kept& has = kept_[microbatch];
    on_.multiply(transposed::left, width_, words_, rows_, has.input.data(), has.scores.data(), gradient(0), true);
    kept_.erase(microbatch);
  }
  /// Per microbatch, on the device.
  [[nodiscard]] const block& losses() const { return losses_; }

 private:
  struct kept {
    block input, scores;  // the scores' gradient, from the forward pass on
  };
  std::size_t rows_, width_, words_;
  std::vector<const float*> targets_;
  float scale_;
  block losses_;
  std::map<std::size_t, kept> kept_;
};

}  // namespace executor
