// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/profile.hpp>

// SAPP's layer files.
namespace stagecut::inline STAGECUT_ABI::io {

/// The meaning of a layer's time in one of SAPP's files.
enum class sapp_time : std::uint8_t {
  forward,  ///< the forward pass
  both      ///< both passes, backward twice forward: files up to MindFormers r1.5.0-beta1
};

/// The content of such a file.
struct sapp_layers {
  stagecut::profile profile;  ///< the layers, without the constant
  double constant = 0;        ///< further bytes of every rank; may be below 0 after a fit
};

namespace detail {

/// A number in other units, which may overflow.
STAGECUT_DECL double converted(const json_value& value, double unit);

STAGECUT_DECL sapp_layers read_sapp_layers(const json_value& whole, sapp_time meaning);

/// Whether a JSON object is such a file.
[[nodiscard]] STAGECUT_DECL bool is_sapp_layers(const json& object);

/// The profile of such a file, with the constant among the unknown fields.
[[nodiscard]] STAGECUT_DECL profile read_sapp_profile(const json_value& whole);

}  // namespace detail

/// Reads a layer file of SAPP's pipeline balance: HEAD becomes a layer of kind `embedding`, each BODY `nb_layer` layers
/// NAME.0, NAME.1, ... of kind `decoder`, TAIL one of kind `head`, in this order. Milliseconds and MB of 2^20 bytes
/// become seconds and bytes.
///
/// Figures of a body exclude recomputation; its other types are variants named `select` (SLCT), `comm` (COMM), `both`
/// (BOTH) and `full` (FULL), each if its memory is given and above 0, independently for every body. A backward pass takes
/// the file's time if above 0, else twice the forward time plus the type's share: 0, 0.04, 0.125, 0.165 and 0.5.
///
/// SAPP gives the resident bytes of the parameters, not the parameters alone: `resident` and `parameters` both have this
/// value, so that memory computed for another optimizer is no less.
///
/// @param source   the text's name in errors: its file name
/// @param meaning  the meaning of `time`
/// @param limits   limits on the input
/// @throws         invalid_input at `SOURCE:LINE` for invalid JSON, else at `SOURCE#POINTER`: a member that is missing,
///                 unknown or of the wrong type, a negative time, a body without memory for no recomputation, two layers
///                 with one name, a second HEAD or TAIL, more than 10000 layers. Ignores members next to
///                 `layers_description`
///
/// O(n log n) for n layers.
///
/// Source: the layer files of SAPP's pipeline balance, MindFormers 0b3a3b55. Deviations: there the first body decides for
/// all which types are considered, and the time of FULL is never found, since its name ends in a blank; here the name is
/// accepted with and without it.
[[nodiscard]] STAGECUT_DECL sapp_layers read_sapp_layers(std::string_view text, std::string_view source,
                                                         sapp_time meaning = sapp_time::forward,
                                                         const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/sapp_layers.ipp>
#endif
