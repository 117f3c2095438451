// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What a layer takes when it is run in one way, or layers together: on each of the devices that share them. Bytes but for
/// the first three.
struct way_figures {
  double forward = 0;
  double backward = 0;
  double update = 0;
  double activations = 0;
  double resident = 0;
  double workspace = 0;  ///< with what is computed again
  double parameters = 0;

  /// Whether it is nowhere worse.
  [[nodiscard]] bool covers(const way_figures& other) const noexcept;
  /// Takes what is better of both.
  void lower(const way_figures& other) noexcept;
};

/// One way to run a layer.
struct layer_way : way_figures {
  std::string recomputation{};  // the variant of that name; empty: as profiled
  std::string sharding{};
  double recomputed = 0;  ///< of `workspace`, bytes
};

/// The ways to run each layer of a chain or a graph, on each number of devices.
class layer_ways {
 public:
  layer_ways(const profile& model, const std::vector<std::size_t>& ways, const std::vector<std::string>& names,
             const memory_options& memory, bool of_chain = true);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The alternatives of a layer on the `w`-th number of devices.
  [[nodiscard]] const std::vector<layer_way>& of(std::size_t w, std::size_t layer) const noexcept {
    return ways_[w * size_ + layer];
  }
  [[nodiscard]] double output(std::size_t layer) const noexcept { return outputs_[layer]; }
  [[nodiscard]] double buffers() const noexcept { return memory_.boundary_buffers; }

 private:
  void check(const profile& model, bool of_chain) const;

  /// Refuses variants that send other messages, or are called as another one, and layers that have a place of their own.
  static void check_layer(const profile& model, std::size_t i);

  template <class Figures>
  [[nodiscard]] layer_way way(const Figures& each) const {
    layer_way result;
    result.forward = each.forward;
    result.backward = each.backward;
    result.update = each.update;
    result.parameters = each.parameters;
    result.resident = memory_.resident_bytes(each.parameters, each.resident);
    result.activations = each.activations;
    result.workspace = each.workspace + each.recomputed;
    result.recomputed = each.recomputed;
    return result;
  }

  [[nodiscard]] static bool is_asked_for(const std::string& name, const std::vector<std::string>& names);

  /// On one device: its own figures, and its recomputations.
  [[nodiscard]] std::vector<layer_way> recomputed(const layer& each, const std::vector<std::string>& names) const;

  /// On several ones: its shardings of so many ways, or run whole by each of them.
  [[nodiscard]] std::vector<layer_way> sharded(const layer& each, std::size_t ways,
                                               const std::vector<std::string>& names) const;

  std::size_t size_;
  memory_options memory_;
  std::vector<std::vector<layer_way>> ways_{};  // [w * layers + layer]
  std::vector<double> outputs_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/layer_ways.ipp>
#endif
