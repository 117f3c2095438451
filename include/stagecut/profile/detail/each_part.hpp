// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/detail/transformer_parts.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// Calls `visit(part)` for every layer of a model, from the input to the output. A part that differs from the previous
/// one only in its name is computed once.
template <class Visit>
void each_part(const architecture& a, const training& r, const part_maker& make, const Visit& visit) {
  if (a.vision) {
    visit(make.patches());
    part each;
    for (std::size_t i = 0; i < a.vision->layers; ++i) {
      if (i == 0 || sees_all(*a.vision, i) != sees_all(*a.vision, i - 1)) each = make.vision_layer(i, r.recomputation);
      each.name = joined({"vision.layers.", i});
      visit(each);
    }
    visit(make.projector());
  }
  visit(make.embedding());
  part each;
  for (std::size_t i = 0; i < a.layers; ++i) {
    if (i == 0 || !(form_of(a, i) == form_of(a, i - 1))) each = make.layer(i, r.recomputation);
    each.name = joined({"layers.", i});
    visit(each);
  }
  if (!a.encoder) visit(make.norm());  // its output also feeds the layers that predict further tokens
  for (std::size_t i = 0; i < a.mtp_layers; ++i) {
    part further = make.layer(a.layers + i, r.recomputation);
    further.name = joined({"mtp.", i});
    visit(further);
  }
  visit(make.head());
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail
