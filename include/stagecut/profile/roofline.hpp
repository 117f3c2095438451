// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/transformer_training.hpp>

// How long a device takes for the operations that transformers are made of: a roofline in which times of computing and of
// moving are added, since real operations overlap them badly. docs/transformers.md says how well that does.
namespace stagecut::inline STAGECUT_ABI::transformer {

/// What takes time in a pass.
enum class term_kind : std::uint8_t {
  product,    ///< a matrix product, or several of the same shape
  attention,  ///< the core of attention: scores, softmax, weighted sum
  movement,   ///< everything else that a device does: it waits for memory alone
  message,    ///< what devices that share a layer or its parameters send each other
  repetition  ///< operations of the forward pass that the backward pass runs again
};

/// The words for kinds of terms.
inline constexpr word<term_kind> term_words[] = {{"product", term_kind::product},
                                                 {"attention", term_kind::attention},
                                                 {"movement", term_kind::movement},
                                                 {"message", term_kind::message},
                                                 {"repetition", term_kind::repetition}};

/// One summand of the time of a pass, and what it was computed from.
struct term {
  const char* name = "";                 ///< what is done: `queries, keys, values`
  term_kind kind = term_kind::movement;  ///< which formula tells its time
  double count = 1;                      ///< products of that shape, or messages
  double m = 0;                          ///< of a product: m x k times k x n
  double k = 0;                          ///< likewise
  double n = 0;                          ///< likewise
  double flops = 0;                      ///< of all
  double bytes = 0;                      ///< moved by all of them, or sent by a device
  double members = 0;                    ///< of the group that sends
  bool far = false;                      ///< whether the group reaches beyond a domain: over network cards
  double rate = 0;                       ///< FLOP/s, or bytes a second of a message, that are reached
  double alone = 0;                      ///< seconds if nothing else ran
  double seconds = 0;                    ///< what it adds to its pass: less than `alone` where it is hidden
  double beside = 0;                     ///< of a message: seconds of work that it runs beside
  double waiting = 0;                    ///< of a repetition: seconds that wait for messages
};

/// A group of devices that send each other something.
struct device_group {
  double members = 1;    ///< all of them
  double in_domain = 1;  ///< of those, in the domain of each
};

/// What operations take on a device. All seconds are finite for figures that `check` accepts.
class roofline {
 public:
  static constexpr double memory_share = 0.85;        ///< of the bandwidth, reached by operations that only move
  static constexpr double launch = 3e-6;              ///< seconds of every product beside its work
  static constexpr double near_latency = 10e-6;       ///< seconds of a message in a domain beside its bytes
  static constexpr double far_latency = 25e-6;        ///< likewise between domains
  static constexpr double hidden_share = 0.1;         ///< of a message behind other work, which slows that work down
  static constexpr double attention_forward = 0.75;   ///< of a product's rate, reached by the core of attention
  static constexpr double attention_backward = 0.60;  ///< likewise backward

  /// @param on         a device
  /// @param precision  of matrix products
  /// @param reached    how much of the device
  /// @throws           invalid_input for `fp8` on a device that has none
  roofline(const device& on, number precision, const efficiencies& reached);

  /// Bytes of a number between operations.
  [[nodiscard]] double number_bytes() const noexcept { return precision_ == number::fp32 ? 4 : 2; }

  /// `count` products of m x k and k x n, launched at once: the work at the rate of the best product, and the bytes of all
  /// three matrices, added. With 8-bit numbers the first matrix is read, and written narrow, before.
  [[nodiscard]] term product(const char* name, double m, double k, double n, double count = 1,
                             bool narrow = true) const;

  /// Work on scores: at a share of a product's rate, and bytes that are moved.
  [[nodiscard]] term attention(const char* name, double flops, double share, double bytes) const;

  /// An operation that moves so many bytes.
  [[nodiscard]] term movement(const char* name, double bytes) const;

  /// `count` times, each device gathers `bytes` of which the others of its group have all but its own part, or the other way
  /// round scatters sums of them. An all-reduce counts as both.
  [[nodiscard]] term collective(const char* name, double bytes, const device_group& group, double count) const;

  /// `count` times, each device sends equal parts of `bytes` to all of a group, itself among them: what leaves the domain goes
  /// by the network.
  [[nodiscard]] term exchange(const char* name, double bytes, const device_group& group, double count) const;

  /// Bytes a second of a group's messages: those of the domain's links, or of all network cards of the group in a domain.
  [[nodiscard]] double link_rate(const device_group& group) const;

  /// Bytes a second that operations move.
  [[nodiscard]] double memory_rate() const noexcept { return on_.bandwidth * memory_share; }

  /// Devices of a group in a domain, `stride` devices between neighbours.
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

/// Seconds that a message of `message` seconds adds to work of `work` seconds that it runs beside.
[[nodiscard]] STAGECUT_DECL double seconds_seen(double message, double work) noexcept;

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/roofline.ipp>
#endif
