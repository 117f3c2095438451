// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/architecture.hpp>

// The file config.json of a published checkpoint, unchanged.
namespace stagecut::inline STAGECUT_ABI::io {

/// The families whose `config.json` can be read, for a help text: `bert, cohere, ...`. `plain` is the last.
[[nodiscard]] STAGECUT_DECL std::string hugging_face_families();

/// Whether `hugging_face_families` contains it.
[[nodiscard]] STAGECUT_DECL bool is_hugging_face_family(std::string_view name) noexcept;

namespace detail {

/// Whether `read_hugging_face_config` reads this object: it is not in the library's own format.
STAGECUT_DECL bool is_hugging_face(const json_value& from);

STAGECUT_DECL transformer::architecture read_hugging_face(const json_value& from, std::string_view source,
                                                          std::string_view as_family);

}  // namespace detail

/// Reads the figures of a model from its `config.json` on Hugging Face: a JSON object whose `model_type` is one of
/// `hugging_face_families`, or one without `model_type` and `architectures` that gives all figures under plain names
/// (docs/transformers.md lists them). Ignores irrelevant members.
///
/// @param text       the content
/// @param source     the text's name in errors: its file name
/// @param as_family  the family to assume instead of the file's; empty: the file's
/// @param limits     limits on the input
/// @return           an architecture that `check` accepts. Nested objects may omit what their class has as default; any
///                   object may omit a few figures (`num_key_value_heads`, `head_dim`, windows, tying). `sequence` is the
///                   model's length, at most 8192, but at least the length of its images
/// @throws           argument_error for an unknown `as_family`; invalid_input at `SOURCE:LINE` for invalid JSON, else at
///                   `SOURCE#POINTER`: an unknown family, all missing figures, a figure of the wrong type, out of range,
///                   or contradicting another
///
/// Source: the classes of the library transformers; tests compare the parameter counts of published checkpoints.
[[nodiscard]] STAGECUT_DECL transformer::architecture read_hugging_face_config(std::string_view text,
                                                                               std::string_view source,
                                                                               std::string_view as_family = {},
                                                                               const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/hugging_face_config.ipp>
#endif
