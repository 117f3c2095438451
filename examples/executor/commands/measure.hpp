// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <barrier>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/fit/fit_link.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/generators/gpipe.hpp>
#include <stagecut/schedule/lower_transfers.hpp>
#include <stagecut/schedule/op.hpp>

#include "ranks/setup.hpp"
#include "ranks/threads.hpp"
#include "transports/inbox.hpp"
#include "work/device.hpp"
#include "work/layer.hpp"
#include "work/model.hpp"
#include "work/pool.hpp"

namespace executor {

/// Seconds of every layer's F, I and W, per run.
using layer_samples = std::vector<std::array<std::vector<double>, 3>>;

/// The median, or another quantile; 0 if empty.
[[nodiscard]] inline double quantile(std::vector<double> values, double share = 0.5) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Runs a model layer by layer on one device, and fills in the properties of its layers that do not depend on time.
[[nodiscard]] inline layer_samples sample_layers(const model_config& model, device& on, std::size_t repeats,
                                                 stagecut::profile& sizes) {
  pool memory(on, false);
  const token_table tokens(model, on, memory);
  std::vector<std::unique_ptr<layer>> layers;
  for (std::size_t i = 0; i < model.layers(); ++i) layers.push_back(make_layer(model, tokens, i, on, memory));
  sizes.layers.assign(layers.size(), {});
  layer_samples result(layers.size());
  constexpr std::size_t warm_up = 3;
  std::vector<std::array<device::mark, 5>> marks(layers.size());
  for (std::size_t round = 0; round < warm_up + repeats; ++round) {
    block moving;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::size_t held = memory.held(account::activations);
      memory.forget_peaks();
      marks[i][0] = on.now();
      moving = layers[i]->forward(0, std::move(moving));
      marks[i][1] = on.now();
      sizes.layers[i].activations = static_cast<double>(memory.held(account::activations) - held);
      sizes.layers[i].workspace = static_cast<double>(memory.peak(account::workspace));
      sizes.layers[i].output = static_cast<double>(moving.size() * sizeof(float));
    }
    for (std::size_t i = layers.size(); i-- > 0;) {
      memory.forget_peaks();
      marks[i][2] = on.now();
      moving = layers[i]->backward_input(0, std::move(moving));
      marks[i][3] = on.now();
      layers[i]->backward_weight(0);
      marks[i][4] = on.now();
      double& workspace = sizes.layers[i].workspace;
      workspace = std::max(workspace, static_cast<double>(memory.peak(account::workspace)));
    }
    on.finish();
    for (std::size_t i = 0; round >= warm_up && i < layers.size(); ++i) {
      const auto between = [&](std::size_t at) { return on.seconds(marks[i][at + 1]) - on.seconds(marks[i][at]); };
      for (const std::size_t pass : {0U, 2U, 3U}) result[i][pass == 0 ? 0 : pass - 1].push_back(between(pass));
    }
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    sizes.layers[i].name = layers[i]->name;
    sizes.layers[i].kind = layers[i]->kind;
    for (const auto& parameter : layers[i]->parameters()) {
      sizes.layers[i].parameters += static_cast<double>(parameter.value.size() * sizeof(float));
    }
    sizes.layers[i].resident = 2 * sizes.layers[i].parameters;  // plus the gradient
  }
  return result;
}

/// The measured costs of a model's layers.
struct measured_model {
  stagecut::profile profile{};   ///< medians of the times
  std::vector<double> spread{};  ///< per layer: the interquartile range, as a share of its time
};

/// Measures a model's layers on `ranks` ranks at once: alone with one, else while all are busy.
/// @throws any failure on a rank
[[nodiscard]] inline measured_model measure_model(const model_config& model, std::size_t ranks, std::size_t repeats,
                                                  const machine_maker& make) {
  check(model);
  run_setup setup;
  setup.model = model;
  setup.order.orders.resize(ranks);
  std::vector<inbox> boxes(ranks);
  std::vector<layer_samples> samples(ranks);
  std::vector<stagecut::profile> sizes(ranks);
  std::barrier together(static_cast<std::ptrdiff_t>(ranks));
  const auto sample = [&](std::size_t rank) {
    const rank_machine machine = make(setup, rank, boxes);
    together.arrive_and_wait();
    samples[rank] = sample_layers(model, *machine.on, repeats, sizes[rank]);
  };
  on_threads(ranks, sample, [&] { together.arrive_and_drop(); });
  measured_model result{sizes[0], {}};
  result.profile.name = "executor";
  for (std::size_t i = 0; i < model.layers(); ++i) {
    stagecut::layer& to = result.profile.layers[i];
    double between = 0;
    const auto median = [&](std::size_t pass) {
      std::vector<double> all;
      for (const layer_samples& each : samples) all.insert(all.end(), each[i][pass].begin(), each[i][pass].end());
      between += quantile(all, 0.75) - quantile(all, 0.25);
      return quantile(all);
    };
    to.forward = median(0);
    to.backward_input = median(1);
    to.backward_weight = median(2);
    to.backward = *to.backward_input + *to.backward_weight;
    result.spread.push_back(to.time() > 0 ? between / to.time() : 0);
  }
  return result;
}

/// Fits a link to samples. `fit_link` throws if they do not determine a bandwidth (noise hides the effect of bytes):
/// then a link of unlimited bandwidth (0), with the median time as its latency.
/// @throws stagecut::invalid_input  as `fit_link` does for one sample, and if there is none
[[nodiscard]] inline stagecut::link_fit link_of(const std::vector<stagecut::link_sample>& samples) {
  try {
    return stagecut::fit_link(samples);
  } catch (const stagecut::invalid_input& refused) {
    if (refused.place() != "samples" || samples.empty()) throw;
  }
  std::vector<double> seconds;
  for (const stagecut::link_sample& sample : samples) seconds.push_back(sample.seconds);
  stagecut::link_fit result{{.latency = quantile(seconds)}};
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const double error = std::abs(result.link.latency / seconds[i] - 1);
    if (error > result.largest_error) result.largest_error = error, result.worst = i;
  }
  return result;
}

/// Measures messages from one rank to another, of one float up to `largest`, and fits a latency and a bandwidth to
/// them. Each rank has its own thread: the thread that starts all others must not be bound to a core.
/// @throws any failure on a rank
[[nodiscard]] inline stagecut::link_fit measure_link(std::size_t repeats, std::size_t largest,
                                                     const machine_maker& make) {
  run_setup setup;
  setup.order = stagecut::lower_transfers(stagecut::gpipe(2, 1));  // with one edge in each direction
  std::vector<inbox> boxes(2);
  std::vector<stagecut::link_sample> samples;
  const auto turns = [&](std::size_t rank) {
    const rank_machine machine = make(setup, rank, boxes);
    pool memory(*machine.on, false);
    for (std::size_t floats = 1; floats <= largest; floats *= 8) {
      const block content(memory, floats, account::messages);
      machine.on->fill(content.data(), floats, 0);
      std::vector<double> seconds;
      for (std::size_t k = 0; k < repeats; ++k) {
        for (const std::size_t sender : {0U, 1U}) {
          const stagecut::op what{.kind = stagecut::op_kind::send_forward, .stage = sender, .microbatch = k};
          if (sender == rank) {
            machine.data->send(1 - rank, what, content.data(), floats);
            continue;
          }
          machine.data->expect(sender, what, floats);
          const message_marks when = machine.data->receive(sender, what, content.data(), floats);
          machine.on->finish();
          seconds.push_back(machine.on->seconds(when.arrived) - machine.on->seconds(when.sent));
        }
      }
      if (rank == 0) samples.push_back({static_cast<double>(floats * sizeof(float)), quantile(seconds)});
    }
  };
  on_threads(2, turns, [&] {
    for (inbox& box : boxes) box.fail({}, "the other rank has failed");
  });
  return link_of(samples);
}

}  // namespace executor
