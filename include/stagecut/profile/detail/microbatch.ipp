// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/detail/microbatch.hpp>

#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer::detail {

STAGECUT_DECL microbatch::microbatch(const architecture& a, const training& r, const roofline& clock)
    : bytes(clock.number_bytes()),
      operand(clock.operand_bytes()),
      samples(static_cast<double>(r.microbatch)),
      sequence(static_cast<double>(r.sequence != 0 ? r.sequence : a.sequence)),
      tokens(samples * sequence / static_cast<double>(r.context_parallel)),
      rows(tokens),
      sequence_parallel(r.tensor_parallel > 1 && r.sequence_parallel.value_or(true)),
      overlap(overlap_of(a, r)) {
  const auto t = static_cast<double>(r.tensor_parallel);
  const auto c = static_cast<double>(r.context_parallel);
  const auto e = static_cast<double>(r.expert_parallel);
  const auto d = static_cast<double>(r.data_parallel);
  if (sequence_parallel) rows = tokens / t;
  tensor = clock.group(t, 1);
  context = clock.group(c, t);
  experts = clock.group(e, 1);
  replicas = clock.group(c * d, t);
  expert_replicas = e > 1 ? clock.group(t * c * d / e, e) : replicas;
}

STAGECUT_DECL microbatch microbatch::of(const vision_tower& v) const {
  microbatch made = *this;
  made.sequence = static_cast<double>(v.patches);
  made.tokens = samples * static_cast<double>(v.images * v.patches);
  made.rows = sequence_parallel ? made.tokens / tensor.members : made.tokens;
  made.context = {};
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail
