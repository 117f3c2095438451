// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Throws for a request that is invalid for a model with `size` points whose positions repeat after `period` devices.
inline void check_hybrid_request(std::string_view function, std::size_t size, std::size_t period,
                                 const hybrid_request& request);

/// The part of a cut after a point, as far as it concerns the stages before: a label of `engine::label_program`.
struct stage_label {
  std::uint32_t devices = 0;  ///< that they take
  std::uint32_t load = 0;     ///< what the stage before must keep in addition, by the memory rule
  std::uint32_t stages = 0;   ///< their number
};

/// What a request requires of a stage, given the label of those after it.
class hybrid_rules {
 public:
  static constexpr std::uint32_t no_limit = ~std::uint32_t{0};

  /// @param period  of the model
  hybrid_rules(const hybrid_request& request, std::size_t period)
      : request_(request),
        memory_(request.memory_limit.for_all()),
        devices_(static_cast<std::uint32_t>(request.devices)),
        period_(static_cast<std::uint32_t>(period)) {}

  /// Sets another memory limit; unset: no limit.
  void set_memory(std::optional<double> bytes) { memory_ = bytes; }

  /// Labels whose numbers of devices are equal modulo this are compared; 0: only if equal.
  [[nodiscard]] std::uint32_t label_period() const noexcept { return request_.at_most ? period_ : 0; }

  /// `stage_query::device` of a stage before `behind` devices.
  [[nodiscard]] std::size_t device_before(std::uint32_t behind) const noexcept {
    return (devices_ - behind - 1) % period_ + 1;
  }

  /// Microbatches that a stage with `replicas` replicas keeps, given the load after it.
  [[nodiscard]] std::size_t in_flight(std::size_t replicas, std::uint32_t load) const noexcept;

  /// Bytes per device of a stage that keeps `held` microbatches.
  [[nodiscard]] static double held_bytes(const stage_option& option, std::size_t held) noexcept {
    return option.resident + option.activations * static_cast<double>(held);
  }

  /// The same, given the load after it.
  [[nodiscard]] double bytes(const stage_option& option, std::uint32_t load) const noexcept {
    return held_bytes(option, in_flight(option.replicas, load));
  }

  /// Whether a stage that keeps `held` microbatches fits into a memory.
  [[nodiscard]] static bool fits_with(const stage_option& option, std::size_t held,
                                      const std::optional<double>& memory) noexcept {
    return !memory || held_bytes(option, held) <= *memory;
  }

  /// Whether a stage fits into the memory, given the load after it.
  [[nodiscard]] bool fits(const stage_option& option, std::uint32_t load) const noexcept {
    return !memory_ || bytes(option, load) <= *memory_;
  }

  /// The label with one more stage. Loads and stages are set only where they matter, so that more labels are equal.
  [[nodiscard]] stage_label before(const stage_label& label, const stage_option& option) const noexcept;

  /// Whether an option takes at most `devices` devices.
  [[nodiscard]] static bool takes_at_most(const stage_option& option, std::size_t devices) noexcept {
    return option.replicas <= devices && option.tensor_parallel <= devices / option.replicas;
  }

  /// Whether stages from a point on can be part of a cut, given their number and their devices.
  [[nodiscard]] bool may_begin(std::size_t point, const stage_label& label) const noexcept;

  [[nodiscard]] const hybrid_request& request() const noexcept { return request_; }
  [[nodiscard]] std::uint32_t devices() const noexcept { return devices_; }
  [[nodiscard]] std::optional<double> memory() const noexcept { return memory_; }

 private:
  const hybrid_request& request_;
  std::optional<double> memory_;
  std::uint32_t devices_;
  std::uint32_t period_;
};

inline void check_hybrid_request(std::string_view function, std::size_t size, std::size_t period,
                                 const hybrid_request& request) {
  const auto refuse = [function](std::string_view argument, const std::string& value, std::string_view must) {
    fail(argument_error(function, argument, value, must));
  };
  constexpr std::size_t most = std::size_t{1} << 31U;
  if (size >= most) refuse("model.size()", joined({size}), "must be below 2^31");
  if (request.devices == 0) refuse("request.devices", "0", "must be at least 1");
  if (request.devices >= most) refuse("request.devices", joined({request.devices}), "must be below 2^31");
  if (request.microbatches == 0) refuse("request.microbatches", "0", "must be at least 1");
  if (request.stages && *request.stages == 0) refuse("request.stages", "0", "must be at least 1");
  if (period == 0) refuse("model.period()", "0", "must be at least 1");
  if (request.devices % period != 0) {
    refuse("request.devices", joined({request.devices}),
           joined({"must be a multiple of ", period, ", the model's period"}));
  }
  if (!request.memory_limit.of_ranks().empty())
    refuse("request.memory_limit", "{…}", "must be one value: devices are alike");
  const double memory = request.memory_limit.for_all().value_or(0);
  if (!is_finite(memory) || is_negative(memory)) {
    refuse("request.memory_limit", std::to_string(memory), "must be finite and not negative");
  }
}

inline std::size_t hybrid_rules::in_flight(std::size_t replicas, std::uint32_t load) const noexcept {
  if (request_.in_flight_rule == in_flight_rule::replicas) return (load + replicas - 1) / replicas + 1;
  return load >= request_.microbatches ? request_.microbatches : std::size_t{load} + 1;
}

inline stage_label hybrid_rules::before(const stage_label& label, const stage_option& option) const noexcept {
  stage_label next;
  next.devices = label.devices + static_cast<std::uint32_t>(option.devices());
  next.stages = label.stages + (request_.stages ? 1 : 0);
  if (!memory_) return next;
  if (request_.in_flight_rule == in_flight_rule::replicas) {
    next.load = label.load + static_cast<std::uint32_t>(option.replicas);
  } else {
    next.load = label.load + 1 < request_.microbatches ? label.load + 1 : label.load;
  }
  return next;
}

inline bool hybrid_rules::may_begin(std::size_t point, const stage_label& label) const noexcept {
  if (point == 0) {
    return (request_.at_most || label.devices == devices_) && (!request_.stages || label.stages == *request_.stages);
  }
  if (label.devices >= devices_) return false;
  if (!request_.stages) return true;
  return label.stages < *request_.stages && *request_.stages - label.stages <= point;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
