// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/efficiencies.hpp>
#include <stagecut/profile/transformer_training.hpp>

// How long a device takes for the operations of transformers: a roofline that adds the times of computing and of moving
// data, since real operations overlap them poorly. docs/transformers.md evaluates its accuracy.
namespace stagecut::inline STAGECUT_ABI::transformer {

/// What a pass spends time on.
enum class term_kind : std::uint8_t {
  product,     ///< a matrix product, or several of the same shape
  attention,   ///< the core of attention: scores, softmax, weighted sum
  movement,    ///< everything else on a device: bound by memory
  message,     ///< communication among devices that share a layer or its parameters
  repetition,  ///< operations of the forward pass that the backward pass recomputes
  host         ///< waiting for the host, which launches kernels
};

/// The words for kinds of terms.
inline constexpr named<term_kind> term_names[] = {
    {"product", term_kind::product}, {"attention", term_kind::attention},   {"movement", term_kind::movement},
    {"message", term_kind::message}, {"repetition", term_kind::repetition}, {"host", term_kind::host}};

/// The part of a layer that a term belongs to, for recomputation by modules.
enum class layer_module : std::uint8_t { other, layernorm, moe_act, mla_up_proj, core_attn, mlp, moe };

/// Whether the backward pass recomputes the terms of a part.
[[nodiscard]] STAGECUT_DECL bool recomputes(const module_set& modules, layer_module part) noexcept;

/// What distinguishes a product.
struct product_kind {
  bool narrow = true;        ///< whether it uses the precision of the layers, of 8 or 4 bits; false: 16 bits at least
  double share = 1;          ///< reached share of the rate of large products
  bool accumulates = false;  ///< whether it adds to a gradient in memory: reads and writes it
};

/// One summand of the time of a pass, and its inputs.
struct term {
  const char* name = "";                 ///< the operation: `queries, keys, values`
  term_kind kind = term_kind::movement;  ///< selects the formula of its time
  double count = 1;                      ///< products of that shape, or messages
  double m = 0;                          ///< of a product: m x k times k x n
  double k = 0;                          ///< of a product
  double n = 0;                          ///< of a product
  double flops = 0;                      ///< of all of them
  double bytes = 0;                      ///< moved by all of them, or sent by a device
  double members = 0;                    ///< devices in the communicating group
  bool far = false;                      ///< whether the group spans domains: over network cards
  double rate = 0;                       ///< reached FLOP/s; of a message: bytes per second
  double alone = 0;                      ///< seconds if nothing else ran
  double seconds = 0;                    ///< what it adds to its pass: less than `alone` if partly hidden
  double beside = 0;                     ///< of a message: seconds of work that overlap with it
  double waiting = 0;                    ///< of a repetition: seconds of waiting for messages
  double kernels = 0;                    ///< of a movement: kernels, each with a tail; of the host: launches
  layer_module module = layer_module::other;  ///< the part that recomputation by modules drops
};

/// A group of communicating devices.
struct device_group {
  double members = 1;    ///< number of devices
  double in_domain = 1;  ///< of these, in the domain of each
};

/// Times of operations on a device. All seconds are finite for figures that `check` accepts.
class roofline {
 public:
  static constexpr double launch = 3e-6;         ///< seconds of overhead of every product in inference
  static constexpr double attention_forward = 0.75;  ///< share of a product's rate in the core, in inference

  /// @param on         a device
  /// @param precision  of matrix products
  /// @param reached    the reached share of its peaks
  /// @throws           invalid_input for a precision that the device lacks
  roofline(const device& on, number precision, const efficiencies& reached);

  /// Bytes of a number in memory between operations.
  [[nodiscard]] double number_bytes() const noexcept { return precision_ == number::fp32 ? 4 : 2; }

  /// Bytes of an operand of a product, with its scales.
  [[nodiscard]] double operand_bytes(bool narrow = true) const noexcept;

  /// Bytes that the conversion of a number to an operand moves; 0: there is none.
  [[nodiscard]] double cast_bytes() const noexcept;

  /// Whether products of layers use 8 or 4 bits.
  [[nodiscard]] bool is_narrow() const noexcept { return precision_ > number::fp32; }

  /// `count` products of m x k and k x n in one launch: the time of the FLOPs at the product's rate plus the time of the
  /// bytes of all three matrices. Conversions are not included.
  /// @param gradient_bytes  of a number of the result, if it accumulates
  [[nodiscard]] term product(const char* name, double m, double k, double n, double count = 1,
                             const product_kind& kind = {}, double gradient_bytes = 2) const;

  /// The same in inference: with 8-bit numbers the first matrix is read and converted first.
  /// @param weight_bytes  of a number of the second matrix, if it is stored otherwise and converted while it is read; 0: not
  [[nodiscard]] term served_product(const char* name, double m, double k, double n, double count = 1,
                                    bool narrow = true, double weight_bytes = 0) const;

  /// Work on attention scores: FLOPs at a share of a product's rate, plus bytes moved.
  [[nodiscard]] term attention(const char* name, double flops, double share, double bytes) const;

  /// The core of attention without scores in memory: its products at the device's peak and one exponential per score
  /// share the pass, so that their times add as the sides of a right angle (hypotenuse).
  /// @param narrow  whether its products use 8-bit numbers
  [[nodiscard]] term core(const char* name, double flops, double scores, bool backward, bool narrow) const;

  /// An operation that moves `bytes` in `kernels` kernels.
  [[nodiscard]] term movement(const char* name, double bytes, double kernels = 1) const;

  /// `count` all-gathers of `bytes` in total, where each device lacks all but its own part, or `count` reduce-scatters.
  /// An all-reduce counts as both.
  [[nodiscard]] term collective(const char* name, double bytes, const device_group& group, double count) const;

  /// `count` all-to-alls: each device sends equal parts of `bytes` to all members of its group, itself included. What
  /// leaves the domain uses the network.
  [[nodiscard]] term exchange(const char* name, double bytes, const device_group& group, double count) const;

  /// Bytes per second of a group's messages: of the domain's links, or of all network cards of its members in a domain.
  [[nodiscard]] double link_rate(const device_group& group) const;

  /// Bytes per second that operations move.
  [[nodiscard]] double memory_rate() const noexcept {
    return on_.sustained_bandwidth > 0 ? on_.sustained_bandwidth : on_.bandwidth * reached_.memory;
  }

  /// The device.
  [[nodiscard]] const device& on() const noexcept { return on_; }

  /// The constants.
  [[nodiscard]] const efficiencies& reached() const noexcept { return reached_; }

  /// FLOP per byte of memory traffic: products of the precision at the sustained rate, and the memory's bandwidth.
  [[nodiscard]] double intensity() const noexcept { return narrow_ / reached_.gemm / on_.bandwidth; }

  /// Seconds of latency of a message in a group.
  [[nodiscard]] double latency(const device_group& group) const {
    return group.in_domain >= group.members ? reached_.near_latency : reached_.far_latency;
  }

  /// A group of `members` devices, `stride` devices between neighbours, with its members per domain.
  [[nodiscard]] device_group group(double members, double stride) const;

 private:
  static term message(const char* name, double bytes, const device_group& group, double count);

  // Bytes per second that messages within a domain reach.
  [[nodiscard]] double near_rate(double members) const;

  [[nodiscard]] double rate_of(number precision) const;

  device on_;
  number precision_;
  efficiencies reached_;
  double wide_ = 0;
  double narrow_ = 0;
};

/// The peak of dense matrix products of a device, by its data sheet.
[[nodiscard]] STAGECUT_DECL double peak_flops(const device& on, number precision) noexcept;

/// Seconds that a message of `message` seconds adds to overlapping work of `work` seconds.
/// @param share  of the hidden part, which slows the work
[[nodiscard]] STAGECUT_DECL double seconds_seen(double message, double work, double share = 0.1) noexcept;

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/roofline.ipp>
#endif
