// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/architecture.hpp>

// The file config.json that stands beside a published checkpoint, as it is.
namespace stagecut::inline STAGECUT_ABI::io {

/// The families whose `config.json` is read, for a help text: `bert, cohere, ...`. `plain` is the last.
[[nodiscard]] STAGECUT_DECL std::string hugging_face_families();

/// Whether `hugging_face_families` has it.
[[nodiscard]] STAGECUT_DECL bool is_hugging_face_family(std::string_view name) noexcept;

namespace detail {

/// Whether an object is one that `read_hugging_face_config` reads, and not of the library's own format.
STAGECUT_DECL bool is_hugging_face(const json_value& from);

STAGECUT_DECL transformer::architecture read_hugging_face(const json_value& from, std::string_view source,
                                                          std::string_view as_family);

}  // namespace detail

/// Reads the figures of a model from its `config.json` as Hugging Face publishes it: a JSON object whose `model_type`
/// is one of `hugging_face_families`; or from one without `model_type` and `architectures` that says all in plain names
/// (docs/transformers.md lists them). Members that do not matter are ignored.
///
/// @param text       the content
/// @param source     what errors call the text: the name of its file
/// @param as_family  the family that it is read as, whatever it says; empty: as it says
/// @param limits     how much is read
/// @return           what `check` accepts. Objects within others may leave out what their class has by default, as may
///                   any in a few figures (`num_key_value_heads`, `head_dim`, windows, tying). `sequence` is the length
///                   that the model is made for, at most 8192, but as long as its images
/// @throws           argument_error if `as_family` is not known; invalid_input at `SOURCE:LINE` where the text is no
///                   JSON, else at `SOURCE#POINTER`: a family that is not known, all figures that are missing, a figure
///                   not of its type, or out of range, or not going with another
///
/// Source: the classes of the library transformers, and the counts of published checkpoints, to which tests hold it.
[[nodiscard]] STAGECUT_DECL transformer::architecture read_hugging_face_config(std::string_view text,
                                                                               std::string_view source,
                                                                               std::string_view as_family = {},
                                                                               const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/hugging_face_config.ipp>
#endif
