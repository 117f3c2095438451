// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/profiler_trace.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/device_shares.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/launch_owners.hpp>
#include <stagecut/io/detail/trace_events.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The launch of a kernel; none if the trace lacks it.
[[nodiscard]] inline std::size_t launch_of(const device_event& kernel, const trace_events& events) {
  const auto find = [](const auto& map, const auto& number) {
    const auto found = number ? map.find(*number) : map.end();
    return found == map.end() ? no_index : found->second;
  };
  const std::size_t launch = find(events.by_correlation, kernel.correlation);
  return launch != no_index ? launch : find(events.by_external, kernel.external);
}

/// The share of each kernel in the time of its device, in seconds. Adds up the time of all devices.
[[nodiscard]] inline std::vector<double> kernel_seconds(const std::vector<device_event>& kernels,
                                                        std::string_view source, profiler_trace& made) {
  std::vector<std::vector<std::size_t>> of_device;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (of_device.size() <= kernels[i].device) of_device.resize(kernels[i].device + 1);
    of_device[kernels[i].device].push_back(i);
  }
  std::vector<double> seconds(kernels.size());
  for (const std::vector<std::size_t>& device : of_device) {
    if (device.empty()) continue;
    std::vector<device_interval> intervals;
    double first = kernels[device.front()].span.first;
    double last = first;
    for (const std::size_t i : device) {
      const trace_span& span = kernels[i].span;
      first = std::min(first, span.first);
      last = std::max(last, span.last);
      intervals.push_back({span.first, span.last, kernels[i].is_collective || kernels[i].is_copy});
    }
    made.span += (last - first) / 1e6;
    if (!is_finite(made.span)) fail(invalid_input(source, "has kernels so far apart that times are out of range"));
    const device_shares shares = share_device(intervals);
    made.busy += shares.busy / 1e6;
    for (std::size_t i = 0; i < device.size(); ++i) seconds[device[i]] = shares.each[i] / 1e6;
  }
  return seconds;
}

/// The device time of runs, by pass.
struct run_seconds {
  double seconds[2] = {0, 0};  ///< forward, backward
  bool has_kernels[2] = {false, false};
};

/// Lists the times of runs by layer.
[[nodiscard]] inline std::vector<traced_layer> layers_of_runs(const std::vector<run_seconds>& runs,
                                                              const owner_search& search, const trace_events& events) {
  std::vector<traced_layer> layers(events.layer_names.texts.size());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    traced_layer& layer = layers[search.layer_of_run[r]];
    if (runs[r].has_kernels[0]) layer.forward.push_back(runs[r].seconds[0]);
    if (runs[r].has_kernels[1]) layer.backward.push_back(runs[r].seconds[1]);
  }
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].name = events.layer_names.texts[i];
  std::erase_if(layers, [](const traced_layer& layer) { return layer.forward.empty() && layer.backward.empty(); });
  return layers;
}

/// Divides the time of the devices among layers.
inline void attribute(const trace_events& events, const std::vector<double>& seconds, profiler_trace& made) {
  owner_search search(events);
  search.run();
  std::vector<run_seconds> runs(search.layer_of_run.size());
  std::vector<traced_kernels> others(events.kernel_names.texts.size());
  for (std::size_t i = 0; i < events.kernels.size(); ++i) {
    const device_event& kernel = events.kernels[i];
    const std::size_t launch = launch_of(kernel, events);
    const launch_owner owner = launch == no_index ? launch_owner{} : search.owners[launch];
    // Replicas exchange gradients as these are added up: not the work of a layer.
    if (owner.run == no_index || (owner.accumulates && kernel.is_collective)) {
      ++others[kernel.name].count;
      others[kernel.name].seconds += seconds[i];
      continue;
    }
    ++made.attributed;
    const std::size_t pass = owner.is_backward ? 1 : 0;
    runs[owner.run].has_kernels[pass] = true;
    runs[owner.run].seconds[pass] += seconds[i];
  }
  made.layers = layers_of_runs(runs, search, events);
  for (std::size_t i = 0; i < others.size(); ++i) others[i].name = events.kernel_names.texts[i];
  std::erase_if(others, [](const traced_kernels& kernels) { return kernels.count == 0; });
  std::sort(others.begin(), others.end(), [](const traced_kernels& a, const traced_kernels& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.name < b.name;
  });
  made.unattributed = std::move(others);
}

}  // namespace detail

STAGECUT_DECL profiler_trace read_profiler_trace(std::string_view text, std::string_view source,
                                                 const layer_ranges& layers, const read_limits& limits) {
  if (text.starts_with("\x1f\x8b")) {
    detail::fail(invalid_input(source, "is compressed by gzip, which is not read: decompress it first"));
  }
  const auto parsed = detail::parse_json(text, source, limits);
  const detail::json_value whole(parsed, source, limits);
  const detail::json_value list = parsed.is_object() ? whole.at("traceEvents") : whole;
  detail::trace_events events(layers);
  for (const detail::json_value& event : list.elements()) events.add(event);
  if (events.kernels.empty()) {
    detail::fail(invalid_input(source, "has no kernels: record the trace with ProfilerActivity.CUDA, too"));
  }
  profiler_trace made;
  made.kernels = events.kernels.size();
  made.steps = events.steps.texts.size();
  made.other_ranges = std::move(events.other_ranges.texts);
  detail::attribute(events, detail::kernel_seconds(events.kernels, source, made), made);
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
