// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/pictures/pipeline_picture.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

#include <stagecut/core/visible.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL std::string title_of(const pipeline_picture& picture) {
  if (!picture.title.empty()) return visible(picture.title);
  return picture.order.name.empty() ? "schedule" : visible(picture.order.name);
}

STAGECUT_DECL std::string microbatch_text(const stagecut::schedule& order, const op& each) {
  std::string text = std::to_string(each.microbatch);
  if (order.slices > 1) text.append(":").append(std::to_string(each.slice));
  return text;
}

namespace detail {

STAGECUT_DECL std::size_t most_chunks(const stagecut::schedule& order) {
  const auto chunks = chunks_of_stages(order);
  return chunks.empty() ? 1 : *std::max_element(chunks.begin(), chunks.end()) + 1;
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI::io
