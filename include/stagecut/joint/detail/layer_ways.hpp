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

/// The figures of a layer run in one way, or of several layers: on each of the devices that share them. All but the
/// first three are bytes.
struct way_figures {
  double forward = 0;
  double backward = 0;
  double update = 0;
  double activations = 0;
  double resident = 0;
  double workspace = 0;  ///< including recomputed bytes
  double parameters = 0;

  /// Whether it is nowhere worse.
  [[nodiscard]] bool covers(const way_figures& other) const noexcept;
  /// Takes the elementwise minimum of both.
  void lower(const way_figures& other) noexcept;
};

/// One way to run a layer.
struct layer_way : way_figures {
  std::string recomputation{};  // the variant with that name; empty: as profiled
  std::string sharding{};
  double recomputed = 0;  ///< part of `workspace`, in bytes
};

/// The alternatives of each layer of a chain or a graph, at each tensor-parallel degree.
class layer_ways {
 public:
  layer_ways(const profile& model, const std::vector<std::size_t>& ways, const std::vector<std::string>& names,
             const memory_options& memory, bool of_chain = true);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The alternatives of a layer at the `w`-th degree.
  [[nodiscard]] const std::vector<layer_way>& of(std::size_t w, std::size_t layer) const noexcept {
    return ways_[w * size_ + layer];
  }
  [[nodiscard]] double output(std::size_t layer) const noexcept { return outputs_[layer]; }
  [[nodiscard]] double buffers() const noexcept { return memory_.boundary_buffers; }

 private:
  void check(const profile& model, bool of_chain) const;

  /// Rejects variants that send other messages or have duplicate names, and layers with a fixed stage.
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

  /// On one device: the layer's own figures, and its recomputations.
  [[nodiscard]] std::vector<layer_way> recomputed(const layer& each, const std::vector<std::string>& names) const;

  /// On several devices: its shardings of degree `ways`, or run whole on each of them.
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
