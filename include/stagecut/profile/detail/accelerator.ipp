// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/accelerator.hpp>

#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

namespace detail {

STAGECUT_DECL void refuse_device(std::string_view part, std::string_view field, double value,
                                 std::string_view problem) {
  stagecut::detail::fail(stagecut::invalid_input(stagecut::detail::joined({part, field}),
                                                 stagecut::detail::joined({std::to_string(value), " ", problem})));
}

}  // namespace detail

STAGECUT_DECL void check(const device& on) {
  if (on.gemm == 0 && on.sustained == 0) {
    detail::refuse_device("device.", "gemm", 0, "is not above 0, and there is no sustained rate");
  }
  const std::pair<std::string_view, double> figures[] = {{"flops", on.flops},         {"flops_fp32", on.flops_fp32},
                                                         {"bandwidth", on.bandwidth}, {"memory", on.memory},
                                                         {"network", on.network},     {"link", on.link}};
  for (const auto& [field, value] : figures) {
    if (!is_finite(value) || !(value > 0)) detail::refuse_device("device.", field, value, "is not above 0");
  }
  for (const auto& [field, value] : {std::pair("gemm", on.gemm),
                                     {"gemm_fp8", on.gemm_fp8},
                                     {"pair", on.pair},
                                     {"flops_fp8", on.flops_fp8},
                                     {"flops_fp4", on.flops_fp4},
                                     {"gemm_fp4", on.gemm_fp4},
                                     {"sustained", on.sustained},
                                     {"sustained_fp8", on.sustained_fp8},
                                     {"sustained_fp4", on.sustained_fp4},
                                     {"sustained_bandwidth", on.sustained_bandwidth},
                                     {"sustained_link", on.sustained_link},
                                     {"exponentials", on.exponentials},
                                     {"dispatch_sms", on.dispatch_sms},
                                     {"host_link", on.host_link}}) {
    if (!is_finite(value) || is_negative(value)) detail::refuse_device("device.", field, value, "is negative");
  }
  const struct {
    std::string_view field;
    double value, most;
    std::string_view text;
  } limits[] = {{"sustained", on.sustained, on.flops, "is above flops, the peak"},
                {"sustained_bandwidth", on.sustained_bandwidth, on.bandwidth, "is above bandwidth"},
                {"sustained_link", on.sustained_link, on.link, "is above link"}};
  for (const auto& [field, value, most, text] : limits) {
    if (value > most) detail::refuse_device("device.", field, value, text);
  }
  if (!is_finite(on.sinks) || !(on.sinks > 0)) detail::refuse_device("device.", "sinks", on.sinks, "is not above 0");
  if (on.domain == 0) detail::refuse_device("device.", "domain", 0, "is not above 0");
  if (on.used > on.domain) {
    detail::refuse_device("device.", "used", static_cast<double>(on.used), "is above the devices of the domain");
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
