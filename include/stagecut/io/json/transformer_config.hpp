// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/transformer_training.hpp>

// Architectures as JSON files, such as those in models/.
namespace stagecut::inline STAGECUT_ABI::io {

/// What a file says: a model, and how it is trained where that is left open.
struct transformer_config {
  transformer::architecture architecture;  ///< the model
  transformer::training training;          ///< what is not said stays at its default
  /// How its published weights are quantized, `fp8`, `awq`; empty: they are not. No figure here knows of it.
  std::string quantized{};

  /// Equal in all parts.
  friend bool operator==(const transformer_config&, const transformer_config&) = default;
};

namespace detail {

inline void require(const json_value& from, std::initializer_list<const char*> keys) {
  for (const char* const key : keys) (void)from.at(key);
}

}  // namespace detail

/// Whether a text is a model's configuration, of our own or Hugging Face's, and no profile or plan.
[[nodiscard]] STAGECUT_DECL bool is_transformer_config(std::string_view text, const read_limits& limits = {});

/// Reads an architecture: a JSON object whose members are the fields of `architecture`, and optionally `training`, an
/// object whose members are those of `training`, and `quantized`; `forms` lists `{"layers": N, "window": W, "dense": D}`, in order and
/// from the start again until all layers have theirs. An object with names of Hugging Face's is read by
/// `read_hugging_face_config`.
///
/// @param source     what errors call the text: the name of its file
/// @param limits     how much is read
/// @param as_family  the family as which `read_hugging_face_config` reads the text, whatever it is; empty: as it says
/// @throws           invalid_input at `SOURCE:LINE` where it is no JSON, else at `SOURCE#POINTER`: a member that
///                   is missing, not known, or not of its type; figures out of range, or that do not go together;
///                   argument_error if `as_family` is not known
[[nodiscard]] STAGECUT_DECL transformer_config read_transformer_config(std::string_view text, std::string_view source,
                                                                       const read_limits& limits = {},
                                                                       std::string_view as_family = {});

/// Writes an architecture so that `read_transformer_config` reads it back equal: figures to edit, each member on its
/// line, without those that have their default.
///
/// @throws argument_error if it could not be read back: figures that `check` refuses, no name, a text that is not UTF-8
[[nodiscard]] STAGECUT_DECL std::string as_json(const transformer_config& config);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/transformer_config.ipp>
#endif
