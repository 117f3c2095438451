// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/sequence_split.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/schedule/generators/sliced.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The bytes that SAPP moves when it slices sequences.
struct sequence_bytes {
  double keys;    ///< keys or values of a layer
  double head;    ///< kept by the head for a whole sequence
  double logits;  ///< kept by the tail for one, in 4 bytes each

  explicit sequence_bytes(const sequence_figures& of) {
    const auto check = [](const char* name, std::size_t value) {
      if (value == 0) fail(argument_error("sequence_split", name, "0", "must be at least 1"));
      return static_cast<double>(value);
    };
    const double ways = check("figures.tensor_parallel", of.tensor_parallel);
    const double tokens = check("figures.batch", of.batch) * check("figures.length", of.length);
    const double wide = tokens * check("figures.hidden", of.hidden);
    keys = 2 * tokens * check("figures.heads", of.heads) * check("figures.head_width", of.head_width) / ways;
    const double inner = tokens * check("figures.feed_forward", of.feed_forward);
    head = ways > 1 ? 4 * wide / ways + 2 * wide : 2 * wide + 2 * inner;
    logits = 4 * tokens * check("figures.vocabulary", of.vocabulary) / ways;
  }
};

/// Rejects negative bytes.
inline double not_below_zero(double bytes, const std::string& place) {
  if (is_negative(bytes)) {
    fail(invalid_input(place, joined({"would take ", number_text(bytes), " bytes: the figures are not those of it"})));
  }
  return bytes;
}

}  // namespace detail

namespace detail {

/// Divides the figures of a type by the number of slices, except what its choices keep.
inline void shorten(layer_type& type, double parts) {
  type.forward /= parts;
  type.sent_bytes /= parts;
  for (recompute_choice& each : type.choices) {
    each.backward /= parts;
    each.backward_weight /= parts;
    each.recomputed_whole /= parts;
    each.recomputed_apart /= parts;
  }
}

/// The layers of a slice.
/// @param keys  bytes of the keys of a layer, the same as of its values; every slice holds those of all slices
[[nodiscard]] inline recompute_model in_slices(const recompute_model& model, double keys, double parts) {
  recompute_model result = model;
  for (layer_type& type : result.types) {
    shorten(type, parts);
    type.resident += 4 * keys;
    std::vector<recompute_choice> kept;
    for (recompute_choice& each : type.choices) {
      if (each.name == "full" || each.activations < 2 * keys) continue;
      each.activations = (each.activations - 2 * keys) / parts + 2 * keys;
      kept.push_back(each);
    }
    if (kept.empty()) {
      fail(invalid_input(joined({"type ", in_quotes(type.name)}),
                         keys > 0
                             ? joined({"no choice keeps keys and values, ", number_text(2 * keys), " bytes"})
                             : "no choice but full, which would compute keys and values again that later slices read"));
    }
    type.choices = std::move(kept);
  }
  for (layer_type* const end : {&result.head, &result.tail}) {
    shorten(*end, parts);
    for (recompute_choice& each : end->choices) each.activations /= parts;
  }
  return result;
}

}  // namespace detail

STAGECUT_DECL recompute_model sequence_split(const recompute_model& model, std::size_t slices) {
  detail::check_recompute_model(model);
  if (slices == 0) detail::fail(argument_error("sequence_split", "slices", "0", "must be at least 1"));
  return slices == 1 ? model : detail::in_slices(model, 0, static_cast<double>(slices));
}

STAGECUT_DECL recompute_model sequence_split(const recompute_model& model, const sequence_figures& figures,
                                             std::size_t slices) {
  detail::check_recompute_model(model);
  const detail::sequence_bytes bytes(figures);
  if (slices == 0) detail::fail(argument_error("sequence_split", "slices", "0", "must be at least 1"));
  if (slices == 1) return model;
  const auto parts = static_cast<double>(slices);
  recompute_model result = detail::in_slices(model, bytes.keys, parts);
  const double spared = 1 - 1 / parts;
  if (!(model.head == layer_type{})) {
    result.head.resident = detail::not_below_zero(model.head.resident - spared * bytes.head, "head");
  }
  if (!(model.tail == layer_type{})) {
    const double less = 3 * spared * bytes.logits - spared * bytes.logits;
    result.tail.resident = detail::not_below_zero(model.tail.resident - less, "tail");
  }
  return result;
}

STAGECUT_DECL schedule sequence_split_order(std::size_t ranks, std::size_t stages_per_rank, std::size_t microbatches,
                                            std::size_t slices) {
  if (stages_per_rank != 1) {
    detail::fail(argument_error("sequence_split_order", "stages_per_rank", std::to_string(stages_per_rank),
                                "must be 1: no order of slices is known for more"));
  }
  return sliced_one_forward_one_backward(ranks, microbatches, slices);
}

}  // namespace stagecut::inline STAGECUT_ABI
