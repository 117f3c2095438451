// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/profile.hpp>

// The few cuts that decoder counts can express, where all stages but the first and the last have the same count.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Makes cuts of blocks from decoder counts.
class decoder_layouts {
 public:
  decoder_layouts(const target_entry& entry, const profile& model, const cuts& blocks) : blocks_(blocks) {
    const target_kinds kinds(entry, model);
    std::vector<std::size_t> block_at(model.layers.size(), none);  // the block that begins with a layer
    for (std::size_t b = 0; b < blocks.stages(); ++b) block_at[blocks[b]] = b;
    std::size_t behind = 0;  // after the last decoder
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      if (!kinds.is_decoder(i)) continue;
      begins_.push_back(block_at[i]);
      behind = i + 1;
    }
    // A norm may have its place with the last decoder: then it is in its block.
    while (behind < model.layers.size() && block_at[behind] == none &&
           kinds.place(behind) == layer_place::with_last_decoder) {
      ++behind;
    }
    begins_.push_back(behind < model.layers.size() ? block_at[behind] : none);
  }

  /// All layouts for that number of stages. With several stages a device all are equal, except one less on the first
  /// and the last if the embedding and the loss count as layers; ordered by the first, then by the middle stages'
  /// decoders.
  [[nodiscard]] std::vector<cuts> all(std::size_t devices, std::size_t chunks) {
    const std::size_t stages = devices * chunks;
    const std::size_t n = begins_.size() - 1;
    if (stages == 1) {
      add({});
    } else if (chunks > 1) {
      for (const std::size_t embedding : {std::size_t{1}, std::size_t{0}}) {
        for (const std::size_t loss : {std::size_t{1}, std::size_t{0}}) {
          if (stages == 2 && embedding + loss == 2) continue;  // the same as neither
          const std::size_t each = (n + embedding + loss) / stages;
          if (each * stages == n + embedding + loss && each != 0) add(equal(each - embedding, each, stages));
        }
      }
    } else if (stages == 2) {
      for (std::size_t first = 1; first < n; ++first) add({first});
    } else {
      for (std::size_t first = 1; first < n; ++first) {
        for (std::size_t each = 1; first + each * (stages - 2) < n; ++each) add(equal(first, each, stages));
      }
    }
    return std::move(found_);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Decoders before each stage but the first.
  [[nodiscard]] static std::vector<std::size_t> equal(std::size_t first, std::size_t each, std::size_t stages) {
    std::vector<std::size_t> before;
    for (std::size_t s = 1; s < stages; ++s) before.push_back(first + (s - 1) * each);
    return before;
  }

  /// Adds that cut unless it splits a block.
  void add(const std::vector<std::size_t>& before) {
    std::vector<std::size_t> points = {0};
    for (const std::size_t decoders : before) {
      if (begins_[decoders] == none || begins_[decoders] <= points.back()) return;
      points.push_back(begins_[decoders]);
    }
    points.push_back(blocks_.stages());
    found_.emplace_back(std::move(points));
  }

  const cuts& blocks_;
  std::vector<std::size_t>
      begins_{};  // the block that begins with each decoder, or right after; none: it is inside one
  std::vector<cuts> found_{};
};

/// Whether the target of a request can express only few cuts.
[[nodiscard]] inline bool has_layouts(const plan_request& request) {
  return request.target != framework::none && entry_of(request.target).counts == decoder_counts::equal_or_ends;
}

/// These cuts; none if it can express others.
[[nodiscard]] inline std::vector<cuts> layouts_of(const plan_request& request, const profile& model,
                                                  const cuts& blocks) {
  if (!has_layouts(request)) return {};
  return decoder_layouts(entry_of(request.target), model, blocks).all(request.devices, request.stages_per_rank);
}

/// Tries layouts in order of their lower bound, and keeps the best; ties go to the earliest.
///
/// @param lower     a lower bound for the plans of a layout
/// @param evaluate  makes the plan of a layout
/// @param value     of an answer
/// @param end       when to stop; not above 0: never
/// @return          optimal once no remaining layout can be better; feasible with the answer of least value if time ran
///                  out before; the first reason if none has an answer
template <class Answer, class Value>
[[nodiscard]] outcome<Answer> best_layout(const std::vector<cuts>& layouts, function_ref<double(const cuts&)> lower,
                                          function_ref<outcome<Answer>(const cuts&)> evaluate, const Value& value,
                                          double end) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < layouts.size(); ++i) order.emplace_back(lower(layouts[i]), i);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a < b; });
  outcome<Answer> best;
  std::size_t place = layouts.size();
  bool proved = true;
  for (const auto& [least, i] : order) {
    if (best && least > value(*best)) break;
    if (best && end > 0 && seconds_now() > end) {
      proved = false;
      break;
    }
    outcome<Answer> found = evaluate(layouts[i]);
    if (!found) {
      if (!best && place == layouts.size()) best = std::move(found);
      continue;
    }
    const bool better = !best || value(*found) < value(*best) || (!(value(*best) < value(*found)) && i < place);
    if (!better) continue;
    best = std::move(found);
    place = i;
  }
  if (!best) return best;
  return proved ? outcome<Answer>::optimal(*std::move(best)) : outcome<Answer>::feasible(*std::move(best));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
