// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/roofline.hpp>

#include <cstddef>

#include <stagecut/core/error.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

namespace detail {

/// The hypotenuse of a right angle with sides of at least 0, to the last bits: Newton's method, as <cmath> would double what
/// a file that includes this has to compile.
inline double hypotenuse(double x, double y) {
  const double longer = x < y ? y : x;
  if (!(longer > 0) || longer - longer != 0) return longer;  // zero, infinite or no number
  const double ratio = (x < y ? x : y) / longer;
  const double square = 1 + ratio * ratio;
  double root = 1 + ratio * ratio / 2;  // above the root, by less than a tenth
  for (std::size_t i = 0; i < 5; ++i) root = (root + square / root) / 2;
  return longer * root;
}

}  // namespace detail

STAGECUT_DECL bool recomputes(const module_set& modules, layer_module part) noexcept {
  switch (part) {
    case layer_module::other: return false;
    case layer_module::layernorm: return modules.layernorm;
    case layer_module::moe_act: return modules.moe_act || modules.moe;
    case layer_module::mla_up_proj: return modules.mla_up_proj;
    case layer_module::core_attn: return modules.core_attn;
    case layer_module::mlp: return modules.mlp;
    case layer_module::moe: return modules.moe;
  }
  return false;
}

STAGECUT_DECL roofline::roofline(const device& on, number precision, const efficiencies& reached)
    : on_(on), precision_(precision), reached_(reached) {
  wide_ = rate_of(precision == number::fp32 ? number::fp32 : number::bf16);
  narrow_ = rate_of(precision);
  const bool has_blocks = on.flops_fp4 > 0 || on.gemm_fp4 > 0 || on.sustained_fp4 > 0;
  if (precision == number::mxfp8 && narrow_ > 0 && !has_blocks) {
    stagecut::detail::fail(stagecut::invalid_input(
        "device.flops_fp4",
        stagecut::detail::joined({"is 0: ", on.name.empty() ? "the device" : on.name,
                                  " has no 4-bit products, and with them no scales of blocks, which mxfp8 needs: "
                                  "fp8 has a scale per tensor"})));
  }
  if (narrow_ > 0) return;
  const bool four = precision == number::nvfp4;
  stagecut::detail::fail(stagecut::invalid_input(
      four ? "device.gemm_fp4" : "device.gemm_fp8",
      stagecut::detail::joined({"is 0: how fast ", on.name.empty() ? "the device" : on.name, " multiplies ",
                                four ? "4" : "8", "-bit numbers is not known"})));
}

STAGECUT_DECL double roofline::rate_of(number precision) const {
  const auto kept = [&](double sustained, double best) {
    return reached_.gemm * (sustained > 0 ? sustained : best * (on_.power_limited ? reached_.power : 1));
  };
  switch (precision) {
    case number::fp32: return kept(0, on_.flops_fp32);
    case number::fp8: return kept(on_.sustained_fp8, on_.gemm_fp8);
    case number::mxfp8: return kept(on_.sustained_fp8, on_.gemm_fp8) * reached_.mxfp8;
    case number::nvfp4: return kept(on_.sustained_fp4, on_.gemm_fp4);
    case number::bf16:
    case number::fp16: break;
  }
  return kept(on_.sustained, on_.gemm);
}

STAGECUT_DECL double roofline::operand_bytes(bool narrow) const noexcept {
  if (narrow && precision_ == number::fp8) return 1;
  if (narrow && precision_ == number::mxfp8) return 1 + 1. / 32;    // a scale of 8 bits per block of 32
  if (narrow && precision_ == number::nvfp4) return 0.5 + 1. / 16;  // a scale of 8 bits per block of 16
  return number_bytes();
}

STAGECUT_DECL double roofline::cast_bytes() const noexcept {
  switch (precision_) {
    case number::fp8: return 6;  // reads twice, the largest number first, writes it and its transpose
    case number::mxfp8: return 2 + 2 * (1 + 1. / 32);  // reads it, writes a copy for each direction of blocks
    case number::nvfp4: return 8;                      // the same, with a pass for the scale of the tensor
    default: return 0;
  }
}

STAGECUT_DECL term roofline::product(const char* name, double m, double k, double n, double count,
                                     const product_kind& kind, double gradient_bytes) const {
  const bool narrow = kind.narrow && is_narrow();
  const double result = (kind.accumulates ? 2 * gradient_bytes : number_bytes()) * m * n;
  const double bytes = operand_bytes(narrow) * (m * k + k * n) + result;
  term made{name, term_kind::product, count, m, k, n, count * 2 * m * k * n, count * bytes};
  made.rate = (narrow ? narrow_ : wide_) * kind.share;
  made.alone = made.seconds = made.flops / made.rate + made.bytes / memory_rate() + reached_.tail;
  return made;
}

STAGECUT_DECL term roofline::served_product(const char* name, double m, double k, double n, double count, bool narrow,
                                            double weight_bytes) const {
  const bool is_fp8 = narrow && precision_ == number::fp8;
  const double result = number_bytes() * m * n;
  const double weights = k * n * (weight_bytes != 0 ? weight_bytes : is_fp8 ? 1 : number_bytes());
  const double bytes = (is_fp8 ? 4 : number_bytes()) * m * k + weights + result;
  term made{name, term_kind::product, count, m, k, n, count * 2 * m * k * n, count * bytes};
  made.rate = is_fp8 ? narrow_ : wide_;
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

STAGECUT_DECL term roofline::core(const char* name, double flops, double scores, bool backward, bool narrow) const {
  term made{name, term_kind::attention};
  made.flops = flops;
  const double peak = precision_ == number::fp32 ? on_.flops_fp32 : on_.flops * (narrow ? 2 : 1);
  const double products = flops / peak;
  const double others = on_.exponentials > 0 ? scores / on_.exponentials : 0;
  const double bound = detail::hypotenuse(products, others);
  made.alone = made.seconds = bound / (reached_.attention * (backward ? reached_.backward : 1));
  made.rate = made.alone > 0 ? flops / made.alone : 0;
  return made;
}

STAGECUT_DECL term roofline::movement(const char* name, double bytes, double kernels) const {
  term made{name, term_kind::movement};
  made.bytes = bytes;
  made.kernels = kernels;
  made.rate = memory_rate();
  made.alone = made.seconds = bytes / made.rate + kernels * reached_.tail;
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
  const double once = far / (on_.network * reached_.network) + near / near_rate(group.in_domain) + latency(group);
  made.alone = made.seconds = group.members > 1 ? count * once : 0;
  made.rate = made.alone > 0 ? made.bytes / made.alone : 0;
  return made;
}

STAGECUT_DECL double roofline::link_rate(const device_group& group) const {
  const double near = near_rate(group.in_domain);
  const double far = on_.network * group.in_domain * reached_.network;
  return group.in_domain >= group.members || far > near ? near : far;
}

STAGECUT_DECL device_group roofline::group(double members, double stride) const {
  const double fit = static_cast<double>(on_.used != 0 ? on_.used : on_.domain) / stride;
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
  const double kept = on_.sustained_link > 0 ? on_.sustained_link : on_.link * reached_.link;
  if (on_.pair == 0 || members <= 1) return kept;
  const double share = on_.pair * (members - 1) / on_.link;
  return share < 1 ? kept * share : kept;
}

STAGECUT_DECL double peak_flops(const device& on, number precision) noexcept {
  switch (precision) {
    case number::fp32: return on.flops_fp32;
    case number::fp8:
    case number::mxfp8: return on.flops_fp8 > 0 ? on.flops_fp8 : 2 * on.flops;
    case number::nvfp4: return on.flops_fp4 > 0 ? on.flops_fp4 : 4 * on.flops;
    case number::bf16:
    case number::fp16: break;
  }
  return on.flops;
}

STAGECUT_DECL double seconds_seen(double message, double work, double share) noexcept {
  const double longer = message > work ? message - work : 0;
  const double both = message > work ? work : message;
  return longer + share * both;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
