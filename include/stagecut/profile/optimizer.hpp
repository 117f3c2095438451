// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <string_view>

#include <stagecut/core/names.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What training keeps on a device for each byte of parameters.
struct optimizer {
  std::string_view name;    ///< on a command line
  double multiplier;        ///< resident bytes per byte of parameters, these included
  std::string_view counts;  ///< what the multiplier counts
};

/// The optimizers that stagecut knows by name. Single precision: the multipliers of torchgpipe's `balance_by_size` and of
/// PyTorch's RFC-0022 (SGD 2 to 3, Adam 4 to 5, Adadelta 4, Adagrad 3, RMSprop 3 to 5), with a name for each end of a
/// range. Mixed precision: for parameters of 2 bytes (Rajbhandari et al., ZeRO, SC 2020, section 3.1: 16 bytes per
/// parameter).
inline constexpr std::array<optimizer, 11> optimizers = {{
    {"sgd", 2, "parameters, gradients"},
    {"sgd-momentum", 3, "parameters, gradients, momentum"},
    {"adam", 4, "parameters, gradients, first and second moments"},
    {"adam-amsgrad", 5, "parameters, gradients, first and second moments, their maxima"},
    {"adadelta", 4, "parameters, gradients, squares, updates"},
    {"adagrad", 3, "parameters, gradients, squares"},
    {"rmsprop", 3, "parameters, gradients, squares"},
    {"rmsprop-momentum", 4, "parameters, gradients, squares, momentum or means"},
    {"rmsprop-centered-momentum", 5, "parameters, gradients, squares, momentum and means"},
    {"mixed-adam", 8, "2-byte parameters and gradients; 4-byte parameters, first and second moments"},
    {"mixed-adam-fp32-gradients", 9, "the same with 4-byte gradients"},
}};

/// The optimizer of that name; null if there is none.
[[nodiscard]] constexpr const optimizer* find_optimizer(std::string_view name) noexcept {
  return stagecut::find_name(optimizers, name);
}

}  // namespace stagecut::inline STAGECUT_ABI
