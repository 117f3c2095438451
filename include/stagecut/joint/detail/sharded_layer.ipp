// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/sharded_layer.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/cost/link_speed.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL void check_sharded(std::string_view function, view<const sharded_layer> layers, std::size_t tensor_parallel,
                                 const link_speed& link, double input) {
  const auto is_figure = [](double value) { return is_finite(value) && !is_negative(value); };
  const auto shown = [](double value) { return is_nan(value) ? std::string("NaN") : number_text(value); };
  if (tensor_parallel == 0) fail(argument_error(function, "tensor_parallel", "0", "must be at least 1"));
  const auto check = [&](std::string_view name, double value) {
    if (!is_figure(value)) fail(argument_error(function, name, shown(value), "must be finite and not negative"));
  };
  check("link.latency", link.latency);
  check("link.bandwidth", link.bandwidth);
  check("input", input);
  const auto most_of_collectives = [&](double bytes) {
    const double sent = link.bandwidth == 0 ? 0 : bytes / link.bandwidth;
    return 4 * (sent + link.latency * static_cast<double>(tensor_parallel));
  };
  double sum = most_of_collectives(input);
  if (!is_finite(sum)) fail(argument_error(function, "input", shown(input), "takes longer than can be told"));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto check_figure = [&](std::string_view name, double value) {
      if (is_figure(value)) return;
      fail(invalid_input(joined({"layer ", i}),
                         joined({name, " = ", shown(value), ", must be finite and not negative"})));
    };
    check_figure("forward", layers[i].forward);
    check_figure("backward", layers[i].backward);
    check_figure("parameters", layers[i].parameters);
    check_figure("output", layers[i].output);
    sum += layers[i].forward + layers[i].backward + layers[i].parameters + most_of_collectives(layers[i].output);
    if (is_finite(sum)) continue;
    fail(invalid_input(joined({"layer ", i}), "the sum of the figures up to here is out of range"));
  }
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
