// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The bonds between layers of a model: layers that must be on one stage, and shared parameters.
class layer_bonds {
 public:
  /// @param ways      tensor-parallel degrees
  /// @param of_chain  whether stages are intervals: one with two layers that must be together has all between them
  layer_bonds(const profile& model, const std::vector<std::size_t>& ways, const memory_options& memory, bool of_chain);

  /// Parameters that layers of a stage share and hold once, on each device: resident bytes, and bytes of parameters. A
  /// device holds what the layer with the smallest tensor-parallel degree needs.
  struct shared_bytes {
    double resident = 0;
    double parameters = 0;
  };
  /// @param holds  `holds(layer)` returns whether it is in the stage
  template <class Holds>
  [[nodiscard]] shared_bytes shared(std::size_t w, const Holds& holds) const {
    shared_bytes sum;
    for (std::size_t k = 0; k < shared_.size(); ++k) {
      if (!holds(shared_[k].layer)) continue;
      bool again = false;
      double ways = shared_[k].ways[w];
      for (std::size_t j = 0; j < shared_.size() && !again; ++j) {
        if (j == k || shared_[j].name != shared_[k].name || !holds(shared_[j].layer)) continue;
        again = j < k;
        ways = shared_[j].ways[w] < ways ? shared_[j].ways[w] : ways;
      }
      if (again) continue;
      sum.resident += shared_[k].resident / ways;
      sum.parameters += shared_[k].parameters / ways;
    }
    return sum;
  }

  /// Whether the stage separates no two layers that must be together.
  template <class Holds>
  [[nodiscard]] bool may_be(const Holds& holds) const {
    for (const auto& [one, other] : together_) {
      if (holds(one) != holds(other)) return false;
    }
    return true;
  }

  /// Whether a stage of a chain may begin or end there.
  [[nodiscard]] bool may_cut(std::size_t point) const noexcept { return cuts_[point] != 0; }

 private:
  /// Finds the points where a chain must not be cut.
  void find_cuts(std::size_t size);

  /// Groups, and layers with colocated shared parameters, must be on one stage.
  void find_together(const profile& model);

  /// Parameters that a layer shares with others, and the number of devices that divide them.
  struct shared_parameters {
    std::string name{};
    std::size_t layer = 0;
    double resident = 0;
    double parameters = 0;
    std::vector<double> ways{};
  };

  void find_shared(const profile& model, std::size_t i, const std::vector<std::size_t>& ways,
                   const memory_options& memory);

  std::vector<shared_parameters> shared_{};                      // by layer
  std::vector<std::pair<std::size_t, std::size_t>> together_{};  // must be on one stage
  std::vector<char> cuts_{};                                     // for a chain
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/layer_bonds.ipp>
#endif
