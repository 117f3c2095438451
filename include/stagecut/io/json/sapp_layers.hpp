// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/profile.hpp>

// SAPP's files of layers.
namespace stagecut::inline STAGECUT_ABI::io {

/// What the time of a layer is in a file of SAPP's.
enum class sapp_time : std::uint8_t {
  forward,  ///< that of the forward pass
  both      ///< of both passes, the backward one taking twice the forward one: files up to MindFormers r1.5.0-beta1
};

/// What such a file tells.
struct sapp_layers {
  stagecut::profile profile;  ///< the layers, without the constant
  double constant = 0;        ///< bytes that every rank takes besides; may be below 0, as a fit leaves it
};

namespace detail {

/// A number in other units, which may be too large for it.
STAGECUT_DECL double converted(const json_value& value, double unit);

STAGECUT_DECL sapp_layers read_sapp_layers(const json_value& whole, sapp_time meaning);

/// Whether a JSON object is such a file.
[[nodiscard]] STAGECUT_DECL bool is_sapp_layers(const json& object);

/// The profile of such a file, the constant among the fields that are not known.
[[nodiscard]] STAGECUT_DECL profile read_sapp_profile(const json_value& whole);

}  // namespace detail

/// Reads a file of layers that SAPP's pipeline balance takes: HEAD becomes a layer of kind `embedding`, each BODY
/// `nb_layer` layers NAME.0, NAME.1, ... of kind `decoder`, TAIL one of kind `head`, in this order. Milliseconds and MB of
/// 2^20 bytes become seconds and bytes.
///
/// Figures of a body are those without recomputation; its other types are variants named `select` (SLCT), `comm` (COMM),
/// `both` (BOTH) and `full` (FULL), each if its memory is said and above 0, of every body by itself. A backward pass takes
/// what the file says above 0, or else twice the forward one and the type's share more: 0, 0.04, 0.125, 0.165 and 0.5.
///
/// SAPP tells what stays for the parameters, not the parameters alone: both `resident` and `parameters` are that, so that
/// memory reckoned for another optimizer is no less.
///
/// @param source   what errors call the text: the name of its file
/// @param meaning  what `time` is
/// @param limits   how much is read
/// @throws         invalid_input at `SOURCE:LINE` where it is no JSON, else at `SOURCE#POINTER`: a member that is missing,
///                 not known or not of its type, a negative time, a body without memory for no recomputation, two layers of
///                 a name, a second HEAD or TAIL, more than 10000 layers. Members beside `layers_description` are left
///                 alone
///
/// O(n log n) for n layers.
///
/// Source: the layer files of SAPP's pipeline balance, MindFormers 0b3a3b55. Deviations: there the first body decides for all
/// which types are considered, and the time of FULL is never found, as a blank ends its name; here it is with and without.
[[nodiscard]] STAGECUT_DECL sapp_layers read_sapp_layers(std::string_view text, std::string_view source,
                                                         sapp_time meaning = sapp_time::forward,
                                                         const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/sapp_layers.ipp>
#endif
