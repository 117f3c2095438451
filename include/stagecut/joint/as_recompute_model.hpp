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

/// A chain of layers of which each may be recomputed, and where in its profile they stand.
struct recomputed_chain {
  recompute_model model{};  ///< the chain
  /// The layers of the profile before the first layer of the model, 0 or 1: its head. Behind the last one stands its tail.
  std::size_t first = 0;

  /// Equal in both parts.
  friend bool operator==(const recomputed_chain&, const recomputed_chain&) = default;
};

namespace detail {

/// What a choice that recomputes nothing is called.
inline constexpr const char* no_recomputation = "none";

/// Makes the model of a profile.
class recomputed_chain_maker {
 public:
  recomputed_chain_maker(const profile& model, const std::vector<std::string>& names, const memory_options& memory);

  [[nodiscard]] recomputed_chain make();

 private:
  [[noreturn]] static void refuse(const char* name, const std::string& value, const char* requirement);

  /// Finds which shared parameters every layer has, and their bytes: as the layer says that says most.
  void number_shared();

  /// A layer that has no choice, or none.
  [[nodiscard]] layer_type end(std::size_t first, std::size_t last) const;

  [[nodiscard]] bool is_asked_for(const std::string& name) const;

  /// The type of a layer, which is made if no other layer is alike.
  [[nodiscard]] std::size_t type_of(std::size_t i);

  const profile& model_;
  const std::vector<std::string>& names_;
  const memory_options& memory_;
  std::vector<std::vector<std::size_t>> shared_{};  // of every layer
  recomputed_chain result_{};
};

}  // namespace detail

/// A profile as a chain of layers that may be recomputed: the choices of a layer are its own figures, and those of its
/// `recomputations`.
///
/// @param model   a chain, which `as_chain` makes of a graph
/// @param names   the recomputations that may be chosen, `none` for a layer's own figures if these recompute nothing; empty:
///                all that there are
/// @param memory  how memory is reckoned, without checkpoints
/// @return        all layers, but for the first and the last one where these have no choice: they are the head and the tail,
///                on the first and on the last stage anyway. If none has a choice, all layers, with the one choice each.
///                Layers of the same figures are of one type. Parameters that layers share count once a stage; layers that
///                `layer_blocks` keeps together are not cut apart
/// @throws        argument_error for edges, inference and checkpoints; invalid_input as `check_figures`, for a layer that
///                has choices but none that was asked for, and for a recomputation with another forward pass or output
[[nodiscard]] inline recomputed_chain as_recompute_model(const profile& model,
                                                         const std::vector<std::string>& names = {},
                                                         const memory_options& memory = {}) {
  return detail::recomputed_chain_maker(model, names, memory).make();
}

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/as_recompute_model.ipp>
#endif
