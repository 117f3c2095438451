// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/topology.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

// What would suffice where no stages fit into the memory of devices.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether the choices exclude a recomputation that a layer offers.
[[nodiscard]] inline bool leaves_out_recomputation(const profile& model, const device_choices& choices) {
  const std::vector<std::string>& asked = choices.recomputations;
  bool any = false;
  for (const auto& layer : model.layers) {
    for (const layer_variant& variant : layer.recomputations.get()) {
      any = any || std::find(asked.begin(), asked.end(), variant.name) == asked.end();
    }
  }
  return any && !asked.empty();
}

/// All tensor-parallel degrees, at most `most`, that a layer supports, in order.
[[nodiscard]] inline std::vector<std::size_t> ways_of_layers(const profile& model, std::size_t most) {
  std::vector<std::size_t> result{1};
  for (const auto& layer : model.layers) {
    for (const layer_variant& variant : layer.shardings.get()) {
      if (variant.tensor_parallel <= most) result.push_back(variant.tensor_parallel);
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// A machine with that many times as many of its outermost groups.
[[nodiscard]] inline topology enlarged(const topology& machine, std::size_t times) {
  std::vector<std::size_t> sizes;
  std::vector<link_speed> links;
  std::size_t inner = 1;
  for (std::size_t level = 0; level < machine.levels(); ++level) {
    sizes.push_back(machine.span(level) / inner);
    links.push_back(machine.link_of(level));
    inner = machine.span(level);
  }
  if (sizes.empty()) return topology({times}, {link_speed{}});
  sizes.back() *= times;
  return topology(sizes, links);
}

/// The smallest number of devices, twice as many or a further doubling up to 1024, with which stages fit; 0: none was
/// found.
template <class Fits>
[[nodiscard]] std::size_t doubled_devices(const device_choices& choices, const Fits& fits) {
  constexpr std::size_t most = 1024;
  device_choices more = choices;
  for (std::size_t times = 2; times <= most / choices.machine.devices(); times *= 2) {
    more.machine = enlarged(choices.machine, times);
    if (fits(more)) return more.machine.devices();
  }
  return 0;
}

/// Describes, in words, what would suffice besides more memory: recomputation and tensor parallelism, where layers
/// offer them and they were excluded, each if stages fit with it, else both; and more devices.
///
/// @param would  `would do`, or `may do` where what fits may differ from the request
/// @param fits   whether stages fit with given choices, on their machine
/// @param least  devices that the bytes of all layers need, spread evenly; no more than the machine's: more are tried
template <class Fits>
[[nodiscard]] std::string hybrid_remedy(const profile& model, const device_choices& choices, std::size_t least,
                                        const char* would, const Fits& fits) {
  const std::size_t devices = choices.machine.devices();
  std::string text;
  const auto add = [&](const std::string& what) { text += joined({"; ", what}); };
  device_choices again = choices;
  again.recomputations.clear();
  device_choices shared = choices;
  shared.tensor_parallel = ways_of_layers(model, devices);
  const bool recompute = leaves_out_recomputation(model, choices);
  const bool share = shared.tensor_parallel.size() > choices.tensor_parallel.size();
  if (recompute && fits(again)) add(joined({"recomputation ", would}));
  if (share && fits(shared)) add(joined({"tensor parallelism ", would}));
  if (text.empty() && recompute && share) {
    shared.recomputations.clear();
    if (fits(shared)) add(joined({"recomputation with tensor parallelism ", would}));
  }
  if (least > devices) {
    add(joined({"so run, fewer than ", least, " devices do not hold it"}));
  } else if (const std::size_t more = doubled_devices(choices, fits); more != 0) {
    add(joined({more, " devices ", would}));
  }
  return text;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
