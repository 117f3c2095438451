// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A chain of layers with recomputation choices, and their place in the profile.
struct recomputed_chain {
  recompute_model model{};  ///< the chain
  /// The layers of the profile before the first layer of the model, 0 or 1: its head. The tail follows the last one.
  std::size_t first = 0;

  /// Equal in both parts.
  friend bool operator==(const recomputed_chain&, const recomputed_chain&) = default;
};

namespace detail {

/// The name of a choice that recomputes nothing.
inline constexpr const char* no_recomputation = "none";

/// The form in which a layer was profiled.
[[nodiscard]] inline std::string own_recomputation(const layer& of) {
  return of.recomputation.empty() ? std::string(no_recomputation) : of.recomputation.get();
}

/// Rejects a recomputation of layer `i` with a figure that recomputation cannot change.
STAGECUT_DECL void check_recomputation(const profile& model, std::size_t i, const layer_variant& way);

/// Makes the model of a profile.
class recomputed_chain_maker {
 public:
  recomputed_chain_maker(const profile& model, const std::vector<std::string>& names, const memory_options& memory);

  [[nodiscard]] recomputed_chain make();

 private:
  [[noreturn]] static void refuse(const char* name, const std::string& value, const char* requirement);

  /// Finds the shared parameters of every layer, and their bytes: the largest figure of any layer.
  void number_shared();

  /// A layer without choices, or no layer.
  [[nodiscard]] layer_type end(std::size_t first, std::size_t last) const;

  [[nodiscard]] bool is_asked_for(const std::string& name) const;

  /// The type of a layer, added if no other layer is equal.
  [[nodiscard]] std::size_t type_of(std::size_t i);

  const profile& model_;
  const std::vector<std::string>& names_;
  const memory_options& memory_;
  std::vector<std::vector<std::size_t>> shared_{};  // of every layer
  recomputed_chain result_{};
};

}  // namespace detail

/// Turns a profile into a chain of layers with recomputation: the choices of a layer are its own figures, and those of
/// its `recomputations`.
///
/// @param model   a chain, such as `as_chain` makes from a graph
/// @param names   the allowed recomputations, `none` for a layer's own figures if they recompute nothing; empty: all
/// @param memory  how memory is computed, without checkpoints
/// @return        all layers except the first and the last one where these have no choice: they are the head and the
///                tail, always on the first and the last stage. If no layer has a choice, all layers, each with its
///                single one. Layers with equal figures share a type. Parameters that layers share count once per
///                stage; layers that `layer_blocks` keeps together are not separated
/// @throws        argument_error for edges, inference and checkpoints; invalid_input as `check_figures`, for a layer
///                with choices but none of the allowed ones, and for a recomputation with another forward pass, output,
///                parameters, resident bytes or update; of these three, 0 means the layer's
[[nodiscard]] inline recomputed_chain as_recompute_model(const profile& model,
                                                         const std::vector<std::string>& names = {},
                                                         const memory_options& memory = {}) {
  return detail::recomputed_chain_maker(model, names, memory).make();
}

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/as_recompute_model.ipp>
#endif
