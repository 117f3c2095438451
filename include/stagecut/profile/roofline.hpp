// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/transformer_training.hpp>

// How long a device takes for the operations of transformers: a roofline that adds the times of computing and of moving
// data, since real operations overlap them poorly. docs/transformers.md evaluates its accuracy.
namespace stagecut::inline STAGECUT_ABI::transformer {

/// What a pass spends time on.
enum class term_kind : std::uint8_t {
  product,    ///< a matrix product, or several of the same shape
  attention,  ///< the core of attention: scores, softmax, weighted sum
  movement,   ///< everything else on a device: bound by memory
  message,    ///< communication among devices that share a layer or its parameters
  repetition  ///< operations of the forward pass that the backward pass recomputes
};

/// The words for kinds of terms.
inline constexpr named<term_kind> term_names[] = {{"product", term_kind::product},
                                                  {"attention", term_kind::attention},
                                                  {"movement", term_kind::movement},
                                                  {"message", term_kind::message},
                                                  {"repetition", term_kind::repetition}};

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
};

/// A group of communicating devices.
struct device_group {
  double members = 1;    ///< number of devices
  double in_domain = 1;  ///< of these, in the domain of each
};

/// Times of operations on a device. All seconds are finite for figures that `check` accepts.
class roofline {
 public:
  static constexpr double memory_share = 0.85;   ///< share of the bandwidth reached by operations that only move data
  static constexpr double launch = 3e-6;         ///< seconds of overhead of every product
  static constexpr double near_latency = 10e-6;  ///< seconds of latency of a message within a domain
  static constexpr double far_latency = 25e-6;   ///< seconds of latency of a message between domains
  static constexpr double hidden_share = 0.1;    ///< share of a hidden message that slows the work it overlaps
  static constexpr double attention_forward = 0.75;   ///< share of a product's rate in the core of attention, forward
  static constexpr double attention_backward = 0.60;  ///< the same, backward

  /// @param on         a device
  /// @param precision  of matrix products
  /// @param reached    the reached share of its peaks
  /// @throws           invalid_input for `fp8` on a device without it
  roofline(const device& on, number precision, const efficiencies& reached);

  /// Bytes of a number in memory between operations.
  [[nodiscard]] double number_bytes() const noexcept { return precision_ == number::fp32 ? 4 : 2; }

  /// `count` products of m x k and k x n in one launch: the time of the FLOPs at the best product's rate plus the time of
  /// the bytes of all three matrices. With 8-bit numbers the first matrix is read and converted first.
  [[nodiscard]] term product(const char* name, double m, double k, double n, double count = 1,
                             bool narrow = true) const;

  /// Work on attention scores: FLOPs at a share of a product's rate, plus bytes moved.
  [[nodiscard]] term attention(const char* name, double flops, double share, double bytes) const;

  /// An operation that moves `bytes`.
  [[nodiscard]] term movement(const char* name, double bytes) const;

  /// `count` all-gathers of `bytes` in total, where each device lacks all but its own part, or `count` reduce-scatters.
  /// An all-reduce counts as both.
  [[nodiscard]] term collective(const char* name, double bytes, const device_group& group, double count) const;

  /// `count` all-to-alls: each device sends equal parts of `bytes` to all members of its group, itself included. What
  /// leaves the domain uses the network.
  [[nodiscard]] term exchange(const char* name, double bytes, const device_group& group, double count) const;

  /// Bytes per second of a group's messages: of the domain's links, or of all network cards of its members in a domain.
  [[nodiscard]] double link_rate(const device_group& group) const;

  /// Bytes per second that operations move.
  [[nodiscard]] double memory_rate() const noexcept { return on_.bandwidth * memory_share; }

  /// A group of `members` devices, `stride` devices between neighbours, with its members per domain.
  [[nodiscard]] device_group group(double members, double stride) const;

 private:
  static term message(const char* name, double bytes, const device_group& group, double count);

  [[nodiscard]] double near_rate(double members) const;

  static double latency(const device_group& group) {
    return group.in_domain >= group.members ? near_latency : far_latency;
  }

  device on_;
  number precision_;
  efficiencies reached_;
  double wide_ = 0;
  double narrow_ = 0;
};

/// Seconds that a message of `message` seconds adds to overlapping work of `work` seconds.
[[nodiscard]] STAGECUT_DECL double seconds_seen(double message, double work) noexcept;

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/roofline.ipp>
#endif
