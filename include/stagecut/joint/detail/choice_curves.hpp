// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/recompute_model.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// One way to run some layers: what they keep and need, and how long their backward pass takes. Of two ways to run the same
/// layers neither keeps less, needs less and is as fast.
struct choice_point {
  double activations;    // bytes of a microbatch
  double backward;       // in whole units; I, where gradients are run apart
  double weight;         // W, likewise; else 0
  double workspace;      // bytes, of the layer that needs most
  std::uint32_t before;  // the point of one layer less
  std::uint32_t choice;  // how that layer is run
  bool is_lean;          // whether none that keeps less needs as little
  double peak = 0;        // bytes, of the layer that needs most while it goes back whole, its workspace with them
  double recomputed = 0;  // bytes of a microbatch between I and W; where gradients are not run apart, 0
};

/// Layers of a stage, by how many there are of every type: it does not matter where they stand.
struct stage_content {
  std::vector<std::uint32_t> counts;   // of every type
  double forward = 0;                  // in whole units
  double resident = 0;                 // bytes, with those of shared parameters
  std::vector<std::size_t> shared{};   // which of these, each once
  std::uint32_t before = 0;            // the content of one layer less
  std::uint32_t type = 0;              // of that layer
  std::vector<choice_point> points{};  // more activations behind
  bool falls = true;                   // whether more activations are less time

  [[nodiscard]] std::size_t layers() const noexcept;
};

/// All ways to run any layers that a stage may have, made when they are asked for.
///
/// The ways to run n layers are those of n - 1 of them with each choice of the last one, of which the dominated ones are
/// dropped: an iteration takes no less time when a pass takes longer, so they are in no need.
class choice_curves {
 public:
  /// @param splits  whether the schedule runs the gradients of the input and of the parameters apart
  choice_curves(const recompute_model& model, const whole_times& unit, bool splits);

  /// Whether all layers are of one type, and may be cut anywhere.
  [[nodiscard]] bool alike() const noexcept { return alike_; }
  [[nodiscard]] const recompute_model& model() const noexcept { return model_; }
  [[nodiscard]] const stage_content& operator[](std::size_t content) const noexcept { return contents_[content]; }

  /// The content of the layers `[first, last)`.
  [[nodiscard]] std::uint32_t of(std::size_t first, std::size_t last);

  /// Whether a cut may stand there.
  [[nodiscard]] bool may_cut(std::size_t point) const noexcept { return !forbidden_[point]; }

  /// What stays of a content on a stage that has these shared parameters anyway.
  [[nodiscard]] double resident(std::size_t content, const std::vector<std::size_t>& there) const;

  /// How many layers of every type are run by every choice, as `[type][choice]`.
  [[nodiscard]] std::vector<std::vector<std::size_t>> counts_of(std::size_t content, std::size_t point) const;

 private:
  [[nodiscard]] std::uint32_t find(const std::vector<std::uint32_t>& counts);

  /// The content with a layer of that type more.
  std::uint32_t add(std::uint32_t before, std::size_t type);

  /// Drops points that another one is as good as.
  static void keep_best(std::vector<choice_point>& points);

  static constexpr std::size_t most_kept = 1500;  // layers: the contents of all intervals take 9 MB
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};

  const recompute_model& model_;
  const whole_times& unit_;
  bool splits_;
  bool alike_;
  std::vector<bool> forbidden_{};        // cut points
  std::vector<std::uint32_t> before_{};  // [type][i]: layers of the type before layer i
  std::vector<stage_content> contents_{};
  std::map<std::vector<std::uint32_t>, std::uint32_t> places_{};
  std::vector<std::uint32_t> by_length_{};
  std::vector<std::uint32_t> of_interval_{};  // [first * (n + 1) + last]
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/choice_curves.ipp>
#endif
