// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/roofline.hpp>

#include <cstddef>

#include <stagecut/core/error.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

STAGECUT_DECL roofline::roofline(const device& on, number precision, const efficiencies& reached)
    : on_(on), precision_(precision), reached_(reached) {
  const double sustained = reached.gemm * (on.power_limited ? reached.power : 1);
  wide_ = (precision == number::fp32 ? on.flops_fp32 : on.gemm) * sustained;
  narrow_ = precision == number::fp8 ? on.gemm_fp8 * sustained : wide_;
  if (narrow_ > 0) return;
  stagecut::detail::fail(stagecut::invalid_input(
      "device.gemm_fp8", stagecut::detail::joined({"is 0: how fast ", on.name.empty() ? "the device" : on.name,
                                                   " multiplies 8-bit numbers is not known"})));
}

STAGECUT_DECL term roofline::product(const char* name, double m, double k, double n, double count, bool narrow) const {
  const bool is_narrow = narrow && precision_ == number::fp8;
  const double result = number_bytes() * m * n;
  const double bytes = is_narrow ? m * k + k * n + result + 3 * m * k : number_bytes() * (m * k + k * n) + result;
  term made{name, term_kind::product, count, m, k, n, count * 2 * m * k * n, count * bytes};
  made.rate = is_narrow ? narrow_ : wide_;
  made.alone = made.flops / made.rate + made.bytes / memory_rate() + launch;
  made.seconds = made.alone;
  return made;
}

STAGECUT_DECL term roofline::attention(const char* name, double flops, double share, double bytes) const {
  term made{name, term_kind::attention};
  made.flops = flops;
  made.bytes = bytes;
  made.rate = wide_ * share;
  made.alone = made.seconds = flops / made.rate + bytes / memory_rate();
  return made;
}

STAGECUT_DECL term roofline::movement(const char* name, double bytes) const {
  term made{name, term_kind::movement};
  made.bytes = bytes;
  made.rate = memory_rate();
  made.alone = made.seconds = bytes / made.rate;
  return made;
}

STAGECUT_DECL term roofline::collective(const char* name, double bytes, const device_group& group, double count) const {
  term made = message(name, bytes * (group.members - 1) / group.members, group, count);
  made.rate = link_rate(group);
  made.alone = made.seconds = group.members > 1 ? count * (made.bytes / count / made.rate + latency(group)) : 0;
  return made;
}

STAGECUT_DECL term roofline::exchange(const char* name, double bytes, const device_group& group, double count) const {
  term made = message(name, bytes * (group.members - 1) / group.members, group, count);
  const double far = bytes * (group.members - group.in_domain) / group.members;
  const double near = bytes * (group.in_domain - 1) / group.members;
  const double once =
      far / (on_.network * reached_.network) + near / (near_rate(group.in_domain) * reached_.network) + latency(group);
  made.alone = made.seconds = group.members > 1 ? count * once : 0;
  made.rate = made.alone > 0 ? made.bytes / made.alone : 0;
  return made;
}

STAGECUT_DECL double roofline::link_rate(const device_group& group) const {
  const double near = near_rate(group.in_domain);
  const double far = on_.network * group.in_domain;
  const double rate = group.in_domain >= group.members || far > near ? near : far;
  return rate * reached_.network;
}

STAGECUT_DECL device_group roofline::group(double members, double stride) const {
  const double fit = static_cast<double>(on_.domain) / stride;
  if (fit >= members) return {members, members};
  return {members, fit < 1 ? 1 : static_cast<double>(static_cast<std::size_t>(fit))};
}

STAGECUT_DECL term roofline::message(const char* name, double bytes, const device_group& group, double count) {
  term made{name, term_kind::message};
  made.count = count;
  made.bytes = count * bytes;
  made.members = group.members;
  made.far = group.in_domain < group.members;
  return made;
}

STAGECUT_DECL double roofline::near_rate(double members) const {
  if (on_.pair == 0) return on_.link;
  const double others = members > 1 ? on_.pair * (members - 1) : on_.link;
  return others < on_.link ? others : on_.link;
}

STAGECUT_DECL double seconds_seen(double message, double work) noexcept {
  const double longer = message > work ? message - work : 0;
  const double both = message > work ? work : message;
  return longer + roofline::hidden_share * both;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
