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
  const std::pair<std::string_view, double> figures[] = {{"gemm", on.gemm},
                                                         {"flops", on.flops},
                                                         {"flops_fp32", on.flops_fp32},
                                                         {"bandwidth", on.bandwidth},
                                                         {"memory", on.memory},
                                                         {"network", on.network},
                                                         {"link", on.link}};
  for (const auto& [field, value] : figures) {
    if (!is_finite(value) || !(value > 0)) detail::refuse_device("device.", field, value, "is not above 0");
  }
  for (const auto& [field, value] : {std::pair("gemm_fp8", on.gemm_fp8), {"pair", on.pair}}) {
    if (!is_finite(value) || is_negative(value)) detail::refuse_device("device.", field, value, "is negative");
  }
  if (on.domain == 0) detail::refuse_device("device.", "domain", 0, "is not above 0");
}

STAGECUT_DECL void check(const efficiencies& reached) {
  for (const auto& [field, value] :
       {std::pair("gemm", reached.gemm), {"power", reached.power}, {"network", reached.network}}) {
    if (is_finite(value) && value > 0 && value <= 2) continue;
    detail::refuse_device("efficiency.", field, value, "is not above 0 and at most 2");
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
