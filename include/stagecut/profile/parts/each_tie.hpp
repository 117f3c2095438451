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

/// Numbers for names, from 0 on in the order in which they are first asked for; no more than `most` names.
class name_numbers {
 public:
  explicit name_numbers(std::size_t most) : slots_(std::bit_ceil(2 * most + 1)) {}

  /// O(1) as a rule, and the length of the name.
  std::size_t operator()(std::string_view name);

 private:
  struct slot {
    std::size_t hash = 0;
    std::size_t number = 0;  // plus 1; 0: free
  };

  // <map> and <unordered_map> are thousands of lines more for whoever includes this.
  std::vector<slot> slots_;
  std::vector<std::string_view> names_{};
};

/// Shows the tied parameters of all layers, in their order, as `visit(LAYER, TIED, NAME)`: names have numbers from 0 on, in
/// the order in which they first stand. O(t) as a rule, for t of them.
template <class Visit>
void each_tie(const profile& model, const Visit& visit) {
  std::size_t ties = 0;
  for (const layer& each : model.layers) ties += each.tied.size();
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
