// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Pictures of pipelines as one self-contained SVG file without scripts: stacked, on one time scale, each with a row per
/// rank and, if known, the memory of every rank.
///
/// F is blue, I teal, W green and B orange, lighter for later stages of a rank; numbers are microbatches. Ops too narrow
/// to see are merged, so that a picture stays readable with any number of ops.
///
/// @param pictures  times are in seconds if all of them are; memory in bytes and in activations has separate scales
/// @throws          argument_error if the parts of a picture contradict each other
[[nodiscard]] STAGECUT_DECL std::string as_svg(view<const pipeline_picture> pictures);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/svg.ipp>
#endif
