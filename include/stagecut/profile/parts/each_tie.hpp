// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Numbers names from 0 on in the order of first use; at most `most` names.
class name_numbers {
 public:
  explicit name_numbers(std::size_t most) : slots_(std::bit_ceil(2 * most + 1)) {}

  /// O(1) expected, plus the length of the name.
  std::size_t operator()(std::string_view name);

 private:
  struct slot {
    std::size_t hash = 0;
    std::size_t number = 0;  // plus 1; 0: free
  };

  // <map> and <unordered_map> would add thousands of lines to every includer.
  std::vector<slot> slots_;
  std::vector<std::string_view> names_{};
};

/// Calls `visit(LAYER, TIED, NAME)` for the tied parameters of all layers, in their order. Names are numbered from 0 in
/// the order of first occurrence. O(t) expected for t of them.
template <class Visit>
void each_tie(const profile& model, const Visit& visit) {
  std::size_t ties = 0;
  for (const auto& layer : model.layers) ties += layer.tied.size();
  if (ties == 0) return;
  name_numbers names(ties);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const tied_parameters& tied : model.layers[i].tied) visit(i, tied, names(tied.name));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/each_tie.ipp>
#endif
