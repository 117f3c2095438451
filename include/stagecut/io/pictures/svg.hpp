// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Pictures of pipelines as one SVG file, without scripts or anything from elsewhere: one below the other, on one scale
/// of time, each with a row a rank and, where it is known, the memory of every rank.
///
/// F is blue, I teal, W green and B orange, lighter for later stages of a rank; numbers are microbatches. What is too
/// narrow to be seen is drawn together, so that a picture stays readable however many ops there are.
///
/// @param pictures  their times are in seconds if all are; memory in bytes and in activations has a scale each
/// @throws          argument_error if the parts of a picture do not belong together
[[nodiscard]] STAGECUT_DECL std::string as_svg(view<const pipeline_picture> pictures);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/svg.ipp>
#endif
