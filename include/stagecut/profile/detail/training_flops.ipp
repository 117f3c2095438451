// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/training_flops.hpp>

#include <cstddef>

#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/pass_terms.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

STAGECUT_DECL double training_flops(const architecture& a, std::size_t sequence) {
  training r;
  r.sequence = sequence;
  double forward = 0;
  for (const pass_terms& terms : explain(a, r)) {
    for (const term& one : terms.forward) {
      if (one.kind == term_kind::product || one.kind == term_kind::attention) forward += one.flops;
    }
  }
  const std::size_t tokens = sequence != 0 ? sequence : a.sequence;
  return 3 * forward / static_cast<double>(tokens);
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
