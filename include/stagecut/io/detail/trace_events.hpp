// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/mindspore_events.hpp>
#include <stagecut/io/tables/layer_ranges.hpp>

// The events of a trace of PyTorch's profiler that tell whose kernels are, in microseconds.
namespace stagecut::inline STAGECUT_ABI::io::detail {

inline constexpr std::size_t no_index = std::numeric_limits<std::size_t>::max();

/// Numbers of texts, in the order of their first occurrence.
class numbered_texts {
 public:
  std::size_t number(std::string_view text) {
    const auto [at, is_new] = numbers_.try_emplace(std::string(text), texts.size());
    if (is_new) texts.push_back(at->first);
    return at->second;
  }

  std::vector<std::string> texts{};

 private:
  std::unordered_map<std::string, std::size_t> numbers_{};
};

/// A moment on a thread of the host.
using host_moment = std::pair<std::size_t, double>;

/// A range with a layer on a thread of the host.
struct layer_event {
  trace_span span{};
  std::size_t thread = 0;
  std::size_t layer = 0;
  range_pass pass = range_pass::unstated;
};

/// An operator with a number that links the passes, or one of the backward pass.
struct operator_event {
  trace_span span{};
  std::size_t thread = 0;
  std::optional<std::uint64_t> sequence{};
  std::uint64_t forward_thread = 0;  ///< the profiler's number of the forward operator's thread; 0: a forward operator
  bool is_backward = false;
  bool accumulates = false;  ///< adds up gradients
};

/// A call or an operator that launches kernels.
struct launch_event {
  double first = 0;
  std::size_t thread = 0;
};

/// Work of a device.
struct device_event {
  trace_span span{};
  std::size_t device = 0;
  std::size_t name = 0;
  bool is_collective = false;
  bool is_copy = false;
  std::optional<std::uint64_t> correlation{};
  std::optional<std::uint64_t> external{};
};

/// Collects the events of a trace.
class trace_events {
 public:
  explicit trace_events(const layer_ranges& layers) : layers_(&layers) {}

  void add(const json_value& event);

  std::vector<layer_event> ranges{};
  std::vector<operator_event> operators{};
  std::vector<launch_event> launches{};
  std::vector<device_event> kernels{};
  std::unordered_map<std::uint64_t, std::size_t> by_correlation{};  ///< launches
  std::unordered_map<std::uint64_t, std::size_t> by_external{};     ///< launches that are operators
  std::map<std::uint64_t, host_moment> flow_starts{};               ///< by the flow's number
  std::map<host_moment, std::uint64_t> flow_ends{};                 ///< numbers of flows
  numbered_texts layer_names{};
  numbered_texts kernel_names{};
  numbered_texts other_ranges{};
  numbered_texts steps{};

 private:
  void add_kernel(const json_value& event, std::string_view category);
  void add_host(const json_value& event, std::string_view category);
  void add_flow(const json_value& event);
  bool add_range(const json_value& event, std::string_view name);
  void add_operator(const json_value& event, std::string_view name);
  [[nodiscard]] std::size_t thread_of(const json_value& event);

  const layer_ranges* layers_;
  std::unordered_map<std::string, std::optional<std::pair<std::size_t, range_pass>>> known_ranges_{};
  numbered_texts threads_{};
  numbered_texts devices_{};
};

/// A member that is a text; empty if there is none.
[[nodiscard]] inline std::string_view text_member(const json_value& object, const char* key) {
  const auto found = (*object).find(key);
  return found != (*object).end() && found->is_string() ? std::string_view(found->get_ref<const std::string&>())
                                                        : std::string_view();
}

/// A whole number within the `args` of an event; none if it has none.
[[nodiscard]] inline std::optional<std::uint64_t> number_argument(const json_value& event, const char* key) {
  const auto arguments = (*event).find("args");
  if (arguments == (*event).end() || !arguments->is_object()) return std::nullopt;
  const auto found = arguments->find(key);
  if (found == arguments->end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

/// A member as text, whatever its type.
[[nodiscard]] inline std::string any_member(const json_value& event, const char* key) {
  const auto found = (*event).find(key);
  return found == (*event).end() ? std::string() : found->dump(-1, ' ', false, json::error_handler_t::replace);
}

inline void trace_events::add(const json_value& event) {
  const std::string_view phase = text_member(event.object(), "ph");
  const std::string_view category = text_member(event, "cat");
  if (phase == "X") {
    const bool of_device = category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset";
    if (of_device) {
      add_kernel(event, category);
    } else {
      add_host(event, category);
    }
  } else if ((phase == "s" || phase == "f") && category == "fwdbwd") {
    add_flow(event);
  }
}

inline void trace_events::add_kernel(const json_value& event, std::string_view category) {
  const std::string_view name = text_member(event, "name");
  device_event& kernel = kernels.emplace_back();
  kernel.span = span_of(event);
  kernel.device = devices_.number(any_member(event, "pid"));
  kernel.name = kernel_names.number(name);
  kernel.is_collective = name.starts_with("nccl");
  kernel.is_copy = category == "gpu_memcpy";
  kernel.correlation = number_argument(event, "correlation");
  kernel.external = number_argument(event, "External id");
}

inline std::size_t trace_events::thread_of(const json_value& event) {
  return threads_.number(joined({any_member(event, "pid"), "/", any_member(event, "tid")}));
}

inline void trace_events::add_host(const json_value& event, std::string_view category) {
  const std::string_view name = text_member(event, "name");
  if (category.ends_with("_runtime") || category.ends_with("_driver")) {
    if (const auto correlation = number_argument(event, "correlation")) {
      if (by_correlation.try_emplace(*correlation, launches.size()).second)
        launches.push_back({trace_number(event.at("ts")), thread_of(event)});
    }
  } else if (category == "cpu_op") {
    if (const auto external = number_argument(event, "External id")) {
      if (by_external.try_emplace(*external, launches.size()).second)
        launches.push_back({trace_number(event.at("ts")), thread_of(event)});
    }
    if (!add_range(event, name)) add_operator(event, name);
  } else if (category == "user_annotation" && name.starts_with("ProfilerStep#")) {
    (void)steps.number(name);
  } else if (category == "user_annotation" || (category == "python_function" && name.starts_with("nn.Module: "))) {
    if (!add_range(event, name)) (void)other_ranges.number(name);
  }
}

inline bool trace_events::add_range(const json_value& event, std::string_view name) {
  const auto [known, is_new] = known_ranges_.try_emplace(std::string(name));
  if (is_new) {
    if (const auto found = layers_->find(name)) known->second.emplace(layer_names.number(found->layer), found->pass);
  }
  if (!known->second) return false;
  ranges.push_back({span_of(event), thread_of(event), known->second->first, known->second->second});
  return true;
}

inline void trace_events::add_operator(const json_value& event, std::string_view name) {
  operator_event made;
  made.sequence = number_argument(event, "Sequence number");
  made.forward_thread = number_argument(event, "Fwd thread id").value_or(0);
  made.is_backward = made.forward_thread > 0 || name.starts_with("autograd::engine::evaluate_function: ");
  if (!made.is_backward && !made.sequence) return;
  made.accumulates = made.is_backward && name.find("AccumulateGrad") != name.npos;
  made.span = span_of(event);
  made.thread = thread_of(event);
  operators.push_back(made);
}

inline void trace_events::add_flow(const json_value& event) {
  const auto number = (*event).find("id");
  if (number == (*event).end() || !number->is_number_unsigned()) return;
  const host_moment moment{thread_of(event), trace_number(event.at("ts"))};
  if (text_member(event, "ph") == "s") {
    flow_starts[number->get<std::uint64_t>()] = moment;
  } else {
    flow_ends[moment] = number->get<std::uint64_t>();
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
