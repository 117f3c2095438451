// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "work/clock.hpp"
#include "work/device.hpp"
#include "work/layer.hpp"
#include "work/model.hpp"
#include "work/pool.hpp"

namespace executor {

/// A stage of the pipeline on its rank.
class stage {
 public:
  stage() = default;
  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;
  virtual ~stage() = default;

  /// F. @return the input of the next stage; empty: none
  virtual block forward(std::size_t microbatch, block input) = 0;
  /// I. @return the gradient for the previous stage; empty: none
  virtual block backward_input(std::size_t microbatch, block gradient) = 0;
  /// W
  virtual void backward_weight(std::size_t microbatch) = 0;
  /// B: I and W, where W waits for the end of I.
  virtual block backward(std::size_t microbatch, block gradient) {
    block result = backward_input(microbatch, std::move(gradient));
    backward_weight(microbatch);
    return result;
  }
  /// Called before an iteration, and after it.
  /// @{
  virtual void clear() {}
  virtual void descend(float) {}
  /// @}
  /// Adds the computed results.
  virtual void collect(gradients&) {}
};

/// Some layers of a model, one after the other.
class layer_stage final : public stage {
 public:
  layer_stage(const model_config& model, const token_table& tokens, std::size_t first, std::size_t last, device& on,
              pool& memory)
      : first_(first), on_(on) {
    for (std::size_t i = first; i < last; ++i) layers_.push_back(make_layer(model, tokens, i, on, memory));
  }
  block forward(std::size_t microbatch, block input) override {
    for (const auto& layer : layers_) input = layer->forward(microbatch, std::move(input));
    return input;
  }
  block backward_input(std::size_t microbatch, block gradient) override {
    for (std::size_t i = layers_.size(); i-- > 0;)
      gradient = layers_[i]->backward_input(microbatch, std::move(gradient));
    return gradient;
  }
  void backward_weight(std::size_t microbatch) override {
    for (std::size_t i = layers_.size(); i-- > 0;) layers_[i]->backward_weight(microbatch);
  }
  void clear() override {
    for (const auto& layer : layers_) layer->clear_gradients();
  }
  void descend(float rate) override {
    for (const auto& layer : layers_) layer->descend(rate);
  }
  void collect(gradients& to) override {
    if (to.layers.size() < first_ + layers_.size()) to.layers.resize(first_ + layers_.size());
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      to.layers[first_ + i] = gradients_of(*layers_[i], on_);
      const auto* const last = dynamic_cast<const head*>(layers_[i].get());
      if (last == nullptr) continue;
      to.losses.resize(last->losses().size());
      on_.read(to.losses.data(), last->losses().data(), to.losses.size());
    }
  }

 private:
  std::size_t first_;
  device& on_;
  std::vector<std::unique_ptr<layer>> layers_;
};

/// The times in seconds of a stage that occupies its rank without computing.
struct hold_times {
  double forward = 0;
  double backward = 0;         ///< of the whole backward pass
  double backward_input = 0;   ///< of the input's gradient, if split
  double backward_weight = 0;  ///< of the weights' gradient, if split
  std::size_t kept = 0;        ///< floats per microbatch, from F to W
};

/// A stage that sleeps for the time of its passes.
class timed_stage final : public stage {
 public:
  /// @param times  per microbatch; must outlive the stage
  timed_stage(const hold_times* times, bool is_first, bool is_last, pool& memory)
      : times_(times), is_first_(is_first), is_last_(is_last), memory_(memory) {}
  block forward(std::size_t microbatch, block) override {
    kept_[microbatch] = block(memory_, times_[microbatch].kept, account::activations);
    hold(times_[microbatch].forward);
    return is_last_ ? block() : message();
  }
  block backward_input(std::size_t microbatch, block) override {
    hold(times_[microbatch].backward_input);
    return is_first_ ? block() : message();
  }
  void backward_weight(std::size_t microbatch) override {
    hold(times_[microbatch].backward_weight);
    kept_.erase(microbatch);
  }
  block backward(std::size_t microbatch, block) override {
    hold(times_[microbatch].backward);
    kept_.erase(microbatch);
    return is_first_ ? block() : message();
  }

 private:
  [[nodiscard]] block message() {
    block result(memory_, 1, account::messages);
    *result.data() = 0;
    return result;
  }
  static void hold(double seconds) { hold_until(steady_seconds() + seconds); }

  const hold_times* times_;
  bool is_first_, is_last_;
  pool& memory_;
  std::map<std::size_t, block> kept_;
};

}  // namespace executor
