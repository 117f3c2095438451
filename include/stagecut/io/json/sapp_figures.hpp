// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/sapp_init.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A model with a body of identical layers, as in SAPP's layer files. Memory in bytes.
struct sapp_figures {
  std::string name{};                  ///< of the model
  std::size_t layers = 0;              ///< of the body
  sapp_times times{};                  ///< of forward passes
  double constant = 0;                 ///< of every rank; may be below 0
  double parameters = 0;               ///< of a layer of the body
  double head = 0;                     ///< of what comes before it
  double tail = 0;                     ///< of what comes after it
  std::vector<std::string> choices{};  ///< `none`, and those of `select`, `comm`, `both` and `full` that are considered
  std::vector<double> activations{};   ///< of a layer and a microbatch, for each choice
};

namespace detail {

[[noreturn]] STAGECUT_DECL void refuse_figure(const std::string& name, const std::string& value,
                                              const char* requirement);

/// Rejects a negative or non-finite figure.
STAGECUT_DECL void check_figure(const std::string& name, double value);

}  // namespace detail

/// Writes a layer file for SAPP's pipeline balance and `read_sapp_layers`: `head`, `body` and `tail`. Backward passes are
/// left to SAPP's default shares. Memory is rounded to a thousandth of its MB of 2^20 bytes, times to a picosecond.
///
/// Smaller activations are written as a thousandth of an MB, since readers ignore choices of 0.
///
/// @return  several lines of JSON
/// @throws  argument_error for no layers; figures that are not finite, or negative (except the constant); choices that do
///          not begin with `none`, are unknown to SAPP or repeated; a different number of activations;
///          nlohmann::json::type_error for a name that is not UTF-8
///
/// Source: the layer files of SAPP's pipeline balance, MindFormers 0b3a3b55.
[[nodiscard]] STAGECUT_DECL std::string as_sapp_layers(const sapp_figures& figures);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/sapp_figures.ipp>
#endif
