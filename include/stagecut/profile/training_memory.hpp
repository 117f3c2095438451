// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/cost/parts/wrapped.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/profile/detail/shared_bytes.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/stage_memory.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// For which microbatches a stage keeps only its input and recomputes its activations in the backward pass: torchgpipe's
/// modes.
enum class checkpointing : std::uint8_t {
  never,        ///< none
  except_last,  ///< all but the last, whose backward pass comes first
  always        ///< all
};

/// The words for the modes, as torchgpipe spells them.
inline constexpr named<checkpointing> checkpointing_names[] = {
    {"never", checkpointing::never}, {"except_last", checkpointing::except_last}, {"always", checkpointing::always}};

/// The name of a mode.
[[nodiscard]] constexpr const char* to_string(checkpointing mode) noexcept {
  return stagecut::name_of(checkpointing_names, mode);
}

/// Options of the memory model.
struct memory_options {
  /// Resident bytes per byte of parameters: see `optimizers`.
  double parameter_multiplier = 4;
  /// Whether a layer's `resident`, where set, takes precedence over the multiplier.
  bool use_resident = true;
  checkpointing checkpoint = checkpointing::never;  ///< which microbatches keep only the stage's input
  /// Buffers for each tensor that crosses an end of a stage: one is received or sent while another is used; the
  /// gradient's are as large as the activation's.
  double boundary_buffers = 2;

  /// Resident bytes for `parameters` bytes of parameters: `known`, the profile's figure, if it is set and used.
  [[nodiscard]] double resident_bytes(double parameters, const std::optional<double>& known) const noexcept {
    return use_resident && known ? *known : parameters * parameter_multiplier;
  }
};

/// The memory of the stages of a chain in training, in bytes.
///
/// A stage of the layers `[first, last)` with N microbatches in flight takes the sum of
///   - resident: parameters times the optimizer's multiplier, or the profile's figure; parameters that several of its
///     layers share count once, as specified by the first of these layers;
///   - activations: N times the activations of its layers; with checkpointing N times its input (N - 1 times for
///     `except_last`) plus the activations of its layers once. The input of the first stage is not counted;
///   - workspace: the maximum over its layers;
///   - recomputed: for a whole backward pass, the maximum over the layers of workspace plus recomputed bytes, less the
///     workspace above; for each microbatch with a split one, from the start of the gradient of the input to the end of
///     the gradient of the parameters, the recomputed bytes of all layers;
///   - buffers: `boundary_buffers` times input and output.
///
/// Construction takes O(n log n), each query O(1); with t shared parameters, counted in each layer that has them,
/// O((n + t) log n) and O(log n).
class training_memory {
 public:
  /// @throws invalid_input as `check_figures`, and naming the layer at which a sum of bytes overflows; argument_error
  ///         for options that are negative or not finite
  explicit training_memory(const profile& model, const memory_options& options = {});

  /// How memory is computed.
  [[nodiscard]] const memory_options& options() const noexcept { return options_; }

  /// Number of layers n.
  [[nodiscard]] std::size_t size() const noexcept { return output_.size(); }

  /// The memory of the layers `[first, last)` as a stage with `in_flight` microbatches in flight. With checkpointing, one
  /// of them has its activations recomputed.
  /// @pre `first < last && last <= size() && in_flight >= 1`
  [[nodiscard]] stage_memory operator()(std::size_t first, std::size_t last, std::size_t in_flight) const;

  /// The same for these microbatches; with checkpointing, each that runs its backward pass takes `of_microbatch` more.
  /// @pre as above; `in_flight` may be 0
  [[nodiscard]] stage_memory operator()(std::size_t first, std::size_t last, detail::held_microbatches held) const;

  /// The bytes at the peak of the given moments.
  [[nodiscard]] double most(std::size_t first, std::size_t last, const detail::stage_moments& held) const;

  /// A lower bound on the memory of any stage that begins at `first` and reaches to `last` or beyond.
  [[nodiscard]] double least(std::size_t first, std::size_t last, std::size_t in_flight) const {
    return least(first, last, detail::held_microbatches{in_flight, 1, 0});
  }
  /// The same for these microbatches.
  [[nodiscard]] double least(std::size_t first, std::size_t last, detail::held_microbatches held) const;
  /// The same at the peak of the given moments.
  [[nodiscard]] double least(std::size_t first, std::size_t last, const detail::stage_moments& held) const;

  /// A lower bound on the memory of any stage that contains the layers `[first, last)`.
  [[nodiscard]] double share(std::size_t first, std::size_t last, std::size_t in_flight) const {
    return share(first, last, detail::stage_moments{{in_flight, 1, 0}});
  }
  /// The same at the peak of the given moments.
  [[nodiscard]] double share(std::size_t first, std::size_t last, const detail::stage_moments& held) const;

  /// The activations of the layers `[first, last)` for one microbatch, without checkpointing.
  /// @pre `first < last && last <= size()`
  [[nodiscard]] double of_microbatch(std::size_t first, std::size_t last) const { return activations_(first, last); }

  /// The recomputed bytes of the layers `[first, last)` for one microbatch: in addition to their workspace during a whole
  /// backward pass; in a split one, from the gradient of the input to the gradient of the parameters. See
  /// `layer::recomputed`.
  /// @{
  [[nodiscard]] double recomputed_whole(std::size_t first, std::size_t last) const {
    return peak_.empty() ? 0 : most_of(peak_, first, last) - most_of(workspace_, first, last);
  }
  [[nodiscard]] double recomputed_apart(std::size_t first, std::size_t last) const {
    return peak_.empty() ? 0 : recomputed_(first, last);
  }
  /// Whether any layer has recomputed bytes.
  [[nodiscard]] bool layers_recompute() const noexcept { return !peak_.empty(); }
  /// @}

  /// Resident bytes of layer `i` plus its activations of one microbatch: its share in a weighted cost. Shared parameters
  /// count in every layer that shares them.
  [[nodiscard]] double weight(std::size_t i) const { return resident(i, i + 1) + activations_(i, i + 1); }

 private:
  static void check(const char* argument, double value);
  static double larger(double a, double b) { return a < b ? b : a; }

  [[nodiscard]] double resident(std::size_t first, std::size_t last) const {
    return resident_(first, last) + shared_(first, last);
  }
  [[nodiscard]] double activations(std::size_t first, std::size_t last, detail::held_microbatches held) const;
  /// The bytes that layers recompute.
  [[nodiscard]] double again(std::size_t first, std::size_t last, detail::held_microbatches held) const;

  /// [l][i]: the maximum of the 2^l numbers from i on.
  using most_table = std::vector<std::vector<double>>;
  [[nodiscard]] static most_table table_of(std::vector<double> values);
  [[nodiscard]] static double most_of(const most_table& table, std::size_t first, std::size_t last);

  memory_options options_;
  prefix_sums<double> resident_;
  prefix_sums<double> activations_;
  most_table workspace_;
  most_table peak_;  // workspace plus recomputed bytes; empty: nothing is recomputed
  prefix_sums<double> recomputed_{};
  std::vector<double> output_;
  detail::shared_bytes shared_;
};

namespace detail {

/// What every stage holds, and the bytes of its device.
class stage_limits {
  using moments = std::vector<stage_moments>;

 public:
  /// Throws `argument_error` for bytes that are NaN.
  stage_limits(double bytes, moments held);
  /// Throws `argument_error` for bytes that are NaN, and if their number is not the number of stages.
  stage_limits(std::vector<double> bytes, moments held);

  [[nodiscard]] std::size_t stages() const noexcept { return held_.size(); }
  [[nodiscard]] const stage_moments& held(std::size_t stage) const { return held_[stage]; }
  [[nodiscard]] double bytes(std::size_t stage) const { return bytes_[stage]; }

  /// Throws `argument_error` for a stage, or layers up to `last` of `layers`, that are not there.
  [[noreturn]] void refuse(std::size_t stage, std::size_t last, std::size_t layers) const;

 private:
  moments held_;               // of every stage
  std::vector<double> bytes_;  // of every stage
};

}  // namespace detail

/// A `stage_constraint`: no stage takes more memory than its device has.
///
/// `Memory` is `training_memory`, or a reference to it; deduced.
template <class Memory = training_memory>
requires std::is_same_v<std::remove_cvref_t<Memory>, training_memory>
class memory_cap {
  using moments = std::vector<detail::stage_moments>;

 public:
  /// @param memory     memory of the stages; copied, or referred to if given as `std::cref(memory)`
  /// @param in_flight  microbatches in flight, per stage
  /// @param bytes      of a device
  /// @throws           argument_error for bytes that are NaN
  memory_cap(detail::holder<Memory> memory, const std::vector<std::size_t>& in_flight, double bytes)
      : memory_cap(std::move(memory), bytes, detail::moments_of(in_flight)) {}
  /// The same for devices that differ.
  /// @param bytes  of the device of every stage
  /// @throws       argument_error for bytes that are NaN, and if their number is not the number of stages
  memory_cap(detail::holder<Memory> memory, const std::vector<std::size_t>& in_flight, std::vector<double> bytes)
      : memory_cap(std::move(memory), std::move(bytes), detail::moments_of(in_flight)) {}
  /// The same for stages with known moments of peak memory.
  /// @{
  memory_cap(detail::holder<Memory> memory, double bytes, moments held)
      : memory_(std::move(memory)), limits_(bytes, std::move(held)) {}
  memory_cap(detail::holder<Memory> memory, std::vector<double> bytes, moments held)
      : memory_(std::move(memory)), limits_(std::move(bytes), std::move(held)) {}
  /// @}

  /// Whether the layers `[first, last)` fit as that stage.
  /// @throws argument_error for layers beyond those of `memory`, and for a stage without a number of microbatches
  [[nodiscard]] bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    check(stage, last);
    return memory_->most(first, last, limits_.held(stage)) <= limits_.bytes(stage);
  }

  /// Whether they do not fit, nor would with more layers appended.
  /// @throws as the call
  [[nodiscard]] bool hopeless(std::size_t stage, std::size_t first, std::size_t last) const {
    check(stage, last);
    return memory_->least(first, last, limits_.held(stage)) > limits_.bytes(stage);
  }

 private:
  void check(std::size_t stage, std::size_t last) const {
    if (stage >= limits_.stages() || last > memory_->size()) limits_.refuse(stage, last, memory_->size());
  }

  detail::holder<Memory> memory_;
  detail::stage_limits limits_;
};

/// The type, deduced from the memory.
/// @{
template <class Memory>
memory_cap(Memory, std::vector<std::size_t>, double) -> memory_cap<detail::wrapped_t<Memory>>;
template <class Memory>
memory_cap(Memory, std::vector<std::size_t>, std::vector<double>) -> memory_cap<detail::wrapped_t<Memory>>;
/// @}

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/training_memory.ipp>
#endif
