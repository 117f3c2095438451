// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <stagecut/core/error.hpp>
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
  roofline(const device& on, number precision, const efficiencies& reached)
      : on_(on), precision_(precision), reached_(reached) {
    const double sustained = reached.gemm * (on.power_limited ? reached.power : 1);
    wide_ = (precision == number::fp32 ? on.flops_fp32 : on.gemm) * sustained;
    narrow_ = precision == number::fp8 ? on.gemm_fp8 * sustained : wide_;
    if (narrow_ > 0) return;
    stagecut::detail::fail(stagecut::invalid_input(
        "device.gemm_fp8", stagecut::detail::joined({"is 0: how fast ", on.name.empty() ? "the device" : on.name,
                                                     " multiplies 8-bit numbers is not known"})));
  }

  /// Bytes of a number between operations.
  [[nodiscard]] double number_bytes() const noexcept { return precision_ == number::fp32 ? 4 : 2; }

  /// `count` products of m x k and k x n, launched at once: the work at the rate of the best product, and the bytes of all
  /// three matrices, added. With 8-bit numbers the first matrix is read, and written narrow, before.
  [[nodiscard]] term product(const char* name, double m, double k, double n, double count = 1,
                             bool narrow = true) const {
    const bool is_narrow = narrow && precision_ == number::fp8;
    const double result = number_bytes() * m * n;
    const double bytes = is_narrow ? m * k + k * n + result + 3 * m * k : number_bytes() * (m * k + k * n) + result;
    term made{name, term_kind::product, count, m, k, n, count * 2 * m * k * n, count * bytes};
    made.rate = is_narrow ? narrow_ : wide_;
    made.alone = made.flops / made.rate + made.bytes / memory_rate() + launch;
    made.seconds = made.alone;
    return made;
  }

  /// Work on scores: at a share of a product's rate, and bytes that are moved.
  [[nodiscard]] term attention(const char* name, double flops, double share, double bytes) const {
    term made{name, term_kind::attention};
    made.flops = flops;
    made.bytes = bytes;
    made.rate = wide_ * share;
    made.alone = made.seconds = flops / made.rate + bytes / memory_rate();
    return made;
  }

  /// An operation that moves so many bytes.
  [[nodiscard]] term movement(const char* name, double bytes) const {
    term made{name, term_kind::movement};
    made.bytes = bytes;
    made.rate = memory_rate();
    made.alone = made.seconds = bytes / made.rate;
    return made;
  }

  /// `count` times, each device gathers `bytes` of which the others of its group have all but its own part, or the other way
  /// round scatters sums of them. An all-reduce counts as both.
  [[nodiscard]] term collective(const char* name, double bytes, const device_group& group, double count) const {
    term made = message(name, bytes * (group.members - 1) / group.members, group, count);
    made.rate = link_rate(group);
    made.alone = made.seconds = group.members > 1 ? count * (made.bytes / count / made.rate + latency(group)) : 0;
    return made;
  }

  /// `count` times, each device sends equal parts of `bytes` to all of a group, itself among them: what leaves the domain goes
  /// by the network.
  [[nodiscard]] term exchange(const char* name, double bytes, const device_group& group, double count) const {
    term made = message(name, bytes * (group.members - 1) / group.members, group, count);
    const double far = bytes * (group.members - group.in_domain) / group.members;
    const double near = bytes * (group.in_domain - 1) / group.members;
    const double once = far / (on_.network * reached_.network) +
                        near / (near_rate(group.in_domain) * reached_.network) + latency(group);
    made.alone = made.seconds = group.members > 1 ? count * once : 0;
    made.rate = made.alone > 0 ? made.bytes / made.alone : 0;
    return made;
  }

  /// Bytes a second of a group's messages: those of the domain's links, or of all network cards of the group in a domain.
  [[nodiscard]] double link_rate(const device_group& group) const {
    const double near = near_rate(group.in_domain);
    const double far = on_.network * group.in_domain;
    const double rate = group.in_domain >= group.members || far > near ? near : far;
    return rate * reached_.network;
  }

  /// Bytes a second that operations move.
  [[nodiscard]] double memory_rate() const noexcept { return on_.bandwidth * memory_share; }

  /// Devices of a group in a domain, `stride` devices between neighbours.
  [[nodiscard]] device_group group(double members, double stride) const {
    const double fit = static_cast<double>(on_.domain) / stride;
    if (fit >= members) return {members, members};
    return {members, fit < 1 ? 1 : static_cast<double>(static_cast<std::size_t>(fit))};
  }

 private:
  static term message(const char* name, double bytes, const device_group& group, double count) {
    term made{name, term_kind::message};
    made.count = count;
    made.bytes = count * bytes;
    made.members = group.members;
    made.far = group.in_domain < group.members;
    return made;
  }

  [[nodiscard]] double near_rate(double members) const {
    if (on_.pair == 0) return on_.link;
    const double others = members > 1 ? on_.pair * (members - 1) : on_.link;
    return others < on_.link ? others : on_.link;
  }

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
[[nodiscard]] inline double seconds_seen(double message, double work) noexcept {
  const double longer = message > work ? message - work : 0;
  const double both = message > work ? work : message;
  return longer + roofline::hidden_share * both;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
