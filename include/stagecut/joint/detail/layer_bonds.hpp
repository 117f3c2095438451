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

/// What joins layers of a model: those that stand on one stage, and parameters that they share.
class layer_bonds {
 public:
  /// @param ways      numbers of devices
  /// @param of_chain  whether only intervals of layers are stages, which hold all between two that stand on one
  layer_bonds(const profile& model, const std::vector<std::size_t>& ways, const memory_options& memory, bool of_chain);

  /// What layers of a stage have in common and hold once, on each of the devices: bytes that stay, and of parameters. A device
  /// holds as much as that of the layers needs which is divided among the fewest.
  struct shared_bytes {
    double resident = 0;
    double parameters = 0;
  };
  /// @param holds  `holds(layer)` says whether it is of the stage
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

  /// Whether no two layers that stand on one stage are parted by it.
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
  /// Layers between which a chain is not cut.
  void find_cuts(std::size_t size);

  /// Groups, and layers whose shared parameters are on one device, stand on one stage.
  void find_together(const profile& model);

  /// Parameters that a layer has in common with others, and by how many devices they are divided.
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
  std::vector<std::pair<std::size_t, std::size_t>> together_{};  // layers of one stage
  std::vector<char> cuts_{};                                     // of a chain
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/layer_bonds.ipp>
#endif
