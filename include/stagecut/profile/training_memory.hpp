// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/profile/detail/shared_bytes.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/stage_memory.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Of which microbatches a stage keeps no more than its input, and computes its activations again in the backward pass:
/// torchgpipe's modes.
enum class checkpointing : std::uint8_t {
  never,        ///< none
  except_last,  ///< all but the last, whose backward pass comes first
  always        ///< all
};

/// The words for the modes, as torchgpipe spells them.
inline constexpr word<checkpointing> checkpointing_words[] = {
    {"never", checkpointing::never}, {"except_last", checkpointing::except_last}, {"always", checkpointing::always}};

/// The name of a mode.
[[nodiscard]] constexpr const char* to_string(checkpointing mode) noexcept {
  return stagecut::name_of(checkpointing_words, mode);
}

/// How memory is reckoned.
struct memory_options {
  /// Bytes that stay for each byte of parameters: see `optimizers`.
  double parameter_multiplier = 4;
  /// Whether a layer's `resident`, where it is known, goes before the multiplier.
  bool use_resident = true;
  checkpointing checkpoint = checkpointing::never;  ///< what is kept of a microbatch
  /// Buffers for each tensor that crosses an end of a stage: one to receive or send while another is computed with, as
  /// large for the gradient as for the activation.
  double boundary_buffers = 2;

  /// Bytes that stay for `parameters` bytes of them: `known`, the profile's own figure, if it is set and used.
  [[nodiscard]] double resident_bytes(double parameters, const std::optional<double>& known) const noexcept {
    return use_resident && known ? *known : parameters * parameter_multiplier;
  }
};

/// The memory that stages of a chain take in training, in bytes.
///
/// A stage of the layers `[first, last)` with N microbatches in flight takes the sum of
///   - resident: parameters times the optimizer's multiplier, or what the profile says of them; parameters that several
///     of its layers share count once, as the first of these layers says;
///   - activations: N times those of its layers; with checkpointing N times its input (N - 1 times for `except_last`),
///     and once the activations of its layers. The input of the first stage is not counted;
///   - workspace: that of the layer that needs most;
///   - recomputed: of a microbatch that goes back, whole, as much more as the layer takes that needs most with what it
///     computes again; of each whose gradients are run apart, from that of the input on, what all its layers compute again;
///   - buffers: `boundary_buffers` times input and output.
///
/// Built in O(n log n), then every stage in O(1); with t shared parameters, counted in each layer that has them, in
/// O((n + t) log n), then O(log n).
class training_memory {
 public:
  /// @throws invalid_input as `check_figures`, and naming the layer at which a sum of bytes overflows; argument_error
  ///         for options that are negative or not finite
  explicit training_memory(const profile& model, const memory_options& options = {});

  /// Number of layers n.
  [[nodiscard]] std::size_t size() const noexcept { return output_.size(); }

  /// What the layers `[first, last)` take as a stage with `in_flight` microbatches in flight.
  /// With checkpointing the activations of one of them are there again.
  /// @pre `first < last && last <= size() && in_flight >= 1`
  [[nodiscard]] stage_memory operator()(std::size_t first, std::size_t last, std::size_t in_flight) const;

  /// The same with these microbatches; with checkpointing, each that goes back takes as much as `of_microbatch` more.
  /// @pre likewise; `in_flight` may be 0
  [[nodiscard]] stage_memory operator()(std::size_t first, std::size_t last, detail::held_microbatches held) const;

  /// The bytes at the fullest of some moments.
  [[nodiscard]] double most(std::size_t first, std::size_t last, const detail::stage_moments& held) const;

  /// What a stage that begins with `first` takes at least if it reaches to `last` or beyond.
  [[nodiscard]] double least(std::size_t first, std::size_t last, std::size_t in_flight) const {
    return least(first, last, detail::held_microbatches{in_flight, 1, 0});
  }
  /// The same with these microbatches.
  [[nodiscard]] double least(std::size_t first, std::size_t last, detail::held_microbatches held) const;
  /// The same at the fullest of some moments.
  [[nodiscard]] double least(std::size_t first, std::size_t last, const detail::stage_moments& held) const;

  /// What the layers `[first, last)` take at least in any stage that holds them.
  [[nodiscard]] double share(std::size_t first, std::size_t last, std::size_t in_flight) const {
    return share(first, last, detail::stage_moments{{in_flight, 1, 0}});
  }
  /// The same at the fullest of some moments.
  [[nodiscard]] double share(std::size_t first, std::size_t last, const detail::stage_moments& held) const;

  /// The activations of the layers `[first, last)` for one microbatch, whatever is checkpointed.
  /// @pre `first < last && last <= size()`
  [[nodiscard]] double of_microbatch(std::size_t first, std::size_t last) const { return activations_(first, last); }

  /// What the layers `[first, last)` compute again for one microbatch: beside their workspace while it goes back whole, and
  /// from the gradient of the input to that of the parameters where these are run apart. See `layer::recomputed`.
  /// @{
  [[nodiscard]] double recomputed_whole(std::size_t first, std::size_t last) const {
    return peak_.empty() ? 0 : most_of(peak_, first, last) - most_of(workspace_, first, last);
  }
  [[nodiscard]] double recomputed_apart(std::size_t first, std::size_t last) const {
    return peak_.empty() ? 0 : recomputed_(first, last);
  }
  /// Whether any layer does.
  [[nodiscard]] bool layers_recompute() const noexcept { return !peak_.empty(); }
  /// @}

  /// What stays of layer `i` and its activations of one microbatch: its share in a weighted cost. Shared parameters
  /// count in every layer that shares them.
  [[nodiscard]] double weight(std::size_t i) const { return resident(i, i + 1) + activations_(i, i + 1); }

 private:
  static void check(const char* argument, double value);
  static double larger(double a, double b) { return a < b ? b : a; }

  [[nodiscard]] double resident(std::size_t first, std::size_t last) const {
    return resident_(first, last) + shared_(first, last);
  }
  [[nodiscard]] double activations(std::size_t first, std::size_t last, detail::held_microbatches held) const;
  /// What layers compute again.
  [[nodiscard]] double again(std::size_t first, std::size_t last, detail::held_microbatches held) const;

  /// [l][i]: the most among the 2^l numbers from i on.
  using most_table = std::vector<std::vector<double>>;
  [[nodiscard]] static most_table table_of(std::vector<double> values);
  [[nodiscard]] static double most_of(const most_table& table, std::size_t first, std::size_t last);

  memory_options options_;
  prefix_sums<double> resident_;
  prefix_sums<double> activations_;
  most_table workspace_;
  most_table peak_;  // workspace and what is recomputed; empty: nothing is
  prefix_sums<double> recomputed_{};
  std::vector<double> output_;
  detail::shared_bytes shared_;
};

/// A `stage_constraint`: no stage takes more than the bytes of its device.
class memory_cap {
  using moments = std::vector<detail::stage_moments>;

 public:
  /// @param memory     what stages take; must outlive this object
  /// @param in_flight  microbatches in flight, of every stage
  /// @param bytes      of a device
  /// @throws           argument_error for bytes that are NaN
  memory_cap(const training_memory& memory, std::vector<std::size_t> in_flight, double bytes);
  /// The same of devices that differ.
  /// @param bytes  of the device of every stage
  /// @throws       argument_error for bytes that are NaN, and where there are not as many as stages
  memory_cap(const training_memory& memory, std::vector<std::size_t> in_flight, std::vector<double> bytes);
  /// The same of stages of which is known what they hold at the moments that count.
  /// @{
  memory_cap(const training_memory& memory, double bytes, moments held);
  memory_cap(const training_memory& memory, std::vector<double> bytes, moments held);
  /// @}
  memory_cap(const training_memory&&, std::vector<std::size_t>, double) = delete;  // would die before it is asked
  memory_cap(const training_memory&&, std::vector<std::size_t>, std::vector<double>) = delete;

  /// Whether the layers `[first, last)` fit as that stage.
  /// @throws argument_error for layers that the memory is not of, and for a stage whose microbatches were not said
  [[nodiscard]] bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    if (stage >= held_.size() || last > memory_->size()) refuse(stage, last);
    return memory_->most(first, last, held_[stage]) <= bytes_[stage];
  }

  /// Whether they do not, and would not with more layers behind them.
  /// @throws as the call
  [[nodiscard]] bool hopeless(std::size_t stage, std::size_t first, std::size_t last) const {
    if (stage >= held_.size() || last > memory_->size()) refuse(stage, last);
    return memory_->least(first, last, held_[stage]) > bytes_[stage];
  }

 private:
  [[noreturn]] void refuse(std::size_t stage, std::size_t last) const;

  const training_memory* memory_;
  moments held_;               // of every stage
  std::vector<double> bytes_;  // of every stage
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/training_memory.ipp>
#endif
