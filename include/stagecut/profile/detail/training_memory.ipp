// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/training_memory.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/detail/shared_bytes.hpp>
#include <stagecut/profile/optimizer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/stage_memory.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL training_memory::training_memory(const profile& model, const memory_options& options)
    : options_(options) {
  check_figures(model);
  check("parameter_multiplier", options.parameter_multiplier);
  check("boundary_buffers", options.boundary_buffers);
  const std::size_t n = model.layers.size();
  std::vector<double> resident(n);
  std::vector<double> activations(n);
  std::vector<double> workspace(n);
  std::vector<double> recomputed(n);
  bool recomputes = false;
  output_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const layer& each = model.layers[i];
    resident[i] = options_.resident_bytes(each.parameters, each.resident);
    activations[i] = each.activations;
    workspace[i] = each.workspace;
    recomputed[i] = each.recomputed;
    recomputes = recomputes || each.recomputed > 0;
    output_[i] = each.output;
  }
  shared_ = {model, [this](const tied_parameters& tied) { return options_.resident_bytes(tied.bytes, tied.resident); }};
  resident_.assign(resident);
  activations_.assign(activations);
  if (recomputes) {
    std::vector<double> peak(n);
    for (std::size_t i = 0; i < n; ++i) peak[i] = workspace[i] + recomputed[i];
    recomputed_.assign(recomputed);
    peak_ = table_of(std::move(peak));
  }
  workspace_ = table_of(std::move(workspace));
}

STAGECUT_DECL stage_memory training_memory::operator()(std::size_t first, std::size_t last,
                                                       std::size_t in_flight) const {
  return (*this)(first, last, detail::held_microbatches{in_flight, 1, 0});
}

STAGECUT_DECL stage_memory training_memory::operator()(std::size_t first, std::size_t last,
                                                       detail::held_microbatches held) const {
  const double input = first == 0 ? 0 : output_[first - 1];
  const double passing = last == size() ? 0 : output_[last - 1];
  return {resident(first, last), activations(first, last, held), most_of(workspace_, first, last),
          options_.boundary_buffers * (input + passing), again(first, last, held)};
}

STAGECUT_DECL double training_memory::most(std::size_t first, std::size_t last,
                                           const detail::stage_moments& held) const {
  double most = 0;
  for (const detail::held_microbatches& each : held) most = larger(most, (*this)(first, last, each).total());
  return most;
}

STAGECUT_DECL double training_memory::least(std::size_t first, std::size_t last, detail::held_microbatches held) const {
  const double input = first == 0 ? 0 : output_[first - 1];
  return resident(first, last) + activations(first, last, held) + most_of(workspace_, first, last) +
         again(first, last, held) + options_.boundary_buffers * input;
}

STAGECUT_DECL double training_memory::least(std::size_t first, std::size_t last,
                                            const detail::stage_moments& held) const {
  double most = 0;
  for (const detail::held_microbatches& each : held) most = larger(most, least(first, last, each));
  return most;
}

STAGECUT_DECL double training_memory::share(std::size_t first, std::size_t last,
                                            const detail::stage_moments& held) const {
  double most = 0;
  for (const detail::held_microbatches& each : held) {
    const double copies = options_.checkpoint == checkpointing::never ? static_cast<double>(each.in_flight) : 1;
    most = larger(most, resident(first, last) + activations_(first, last) * copies + most_of(workspace_, first, last) +
                            again(first, last, each));
  }
  return most;
}

STAGECUT_DECL void training_memory::check(const char* argument, double value) {
  if (is_finite(value) && !is_negative(value)) return;
  detail::fail(argument_error("training_memory", argument, std::to_string(value), "must be finite and not negative"));
}

STAGECUT_DECL double training_memory::activations(std::size_t first, std::size_t last,
                                                  detail::held_microbatches held) const {
  const double all = activations_(first, last);
  if (options_.checkpoint == checkpointing::never) return all * static_cast<double>(held.in_flight);
  const double input = first == 0 ? 0 : output_[first - 1];
  const bool last_kept = options_.checkpoint == checkpointing::except_last && held.in_flight != 0;
  const std::size_t inputs = last_kept ? held.in_flight - 1 : held.in_flight;
  return input * static_cast<double>(inputs) + all * static_cast<double>(held.recomputed);
}

STAGECUT_DECL double training_memory::again(std::size_t first, std::size_t last, detail::held_microbatches held) const {
  if (peak_.empty()) return 0;
  return static_cast<double>(held.recomputed - held.apart) * recomputed_whole(first, last) +
         static_cast<double>(held.apart) * recomputed_apart(first, last);
}

STAGECUT_DECL auto training_memory::table_of(std::vector<double> values) -> most_table {
  const std::size_t n = values.size();
  most_table result;
  result.push_back(std::move(values));
  for (std::size_t width = 1; 2 * width <= n; width *= 2) {
    const std::vector<double>& half = result.back();
    std::vector<double> twice(n + 1 - 2 * width);
    for (std::size_t i = 0; i < twice.size(); ++i) twice[i] = larger(half[i], half[i + width]);
    result.push_back(std::move(twice));
  }
  return result;
}

STAGECUT_DECL double training_memory::most_of(const most_table& table, std::size_t first, std::size_t last) {
  std::size_t level = 0;
  while ((std::size_t{2} << level) <= last - first) ++level;
  return larger(table[level][first], table[level][last - (std::size_t{1} << level)]);
}

namespace detail {

STAGECUT_DECL stage_limits::stage_limits(double bytes, moments held)
    : held_(std::move(held)), bytes_(held_.size(), bytes) {
  if (is_nan(bytes)) fail(argument_error("memory_cap", "bytes", "NaN", "must be a number"));
}

STAGECUT_DECL stage_limits::stage_limits(std::vector<double> bytes, moments held)
    : held_(std::move(held)), bytes_(std::move(bytes)) {
  if (bytes_.size() != held_.size()) {
    fail(argument_error("memory_cap", "bytes.size()", std::to_string(bytes_.size()),
                        joined({"must be the number of stages, ", held_.size()})));
  }
  for (std::size_t s = 0; s < bytes_.size(); ++s) {
    if (!is_nan(bytes_[s])) continue;
    fail(argument_error("memory_cap", joined({"bytes[", s, "]"}), "NaN", "must be a number"));
  }
}

STAGECUT_DECL void stage_limits::refuse(std::size_t stage, std::size_t last, std::size_t layers) const {
  if (stage >= held_.size()) {
    fail(argument_error("memory_cap", "in_flight.size()", std::to_string(held_.size()),
                        joined({"must be the number of stages, above ", stage})));
  }
  fail(argument_error("memory_cap", "memory.size()", std::to_string(layers),
                      joined({"must be the number of layers, at least ", last})));
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
