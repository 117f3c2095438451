// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>

#include <array>
#include <cstddef>
#include <string_view>

// Devices and their interconnects.
namespace stagecut::inline STAGECUT_ABI::transformer {

/// A device and its interconnects. Rates in FLOP/s and bytes per second. Figures that are 0 by default are unknown, and
/// their lines say what is taken instead.
struct device {
  std::string_view name = "a100-80gb";  ///< on the command line
  double flops = 312e12;                ///< dense 16-bit matrix products, peak of the data sheet
  double gemm = 271e12;                 ///< the highest measured rate of such products
  double gemm_fp8 = 0;                  ///< the highest measured rate with 8 bits; 0: no support
  double flops_fp32 = 19.5e12;          ///< with 32 bits, without TF32, the default of frameworks
  double bandwidth = 2.039e12;          ///< of its memory
  double memory = 80e9;                 ///< bytes; data sheets round, and the framework needs some of it
  double link = 300e9;                  ///< one way, to all devices of its domain together (NVLink)
  double pair = 0;                      ///< one way, to each device of its domain, without a switch; 0: `link`
  std::size_t domain = 8;               ///< devices joined by `link`
  double network = 25e9;                ///< one way, to other domains: its share of the network cards
  bool power_limited = false;  ///< long runs are slower than measurements of seconds: boards of 700 W and above
  double flops_fp8 = 0;        ///< dense 8-bit peak of the data sheet; 0: twice `flops`
  double flops_fp4 = 0;        ///< dense 4-bit peak; 0: four times `flops`
  double gemm_fp4 = 0;         ///< the highest measured rate with 4 bits; 0: no support
  /// The rate that products of 16 bits keep in long training; 0: `gemm`, and `efficiencies::power` of it if the device
  /// is power-limited.
  double sustained = 0;
  double sustained_fp8 = 0;      ///< the same with 8 bits, from `gemm_fp8`
  double sustained_fp4 = 0;      ///< the same with 4 bits, from `gemm_fp4`
  double sustained_bandwidth = 0;  ///< of memory, in the kernels of long training; 0: `efficiencies::memory` of `bandwidth`
  double exponentials = 0;       ///< exponentials per second; 0: attention is limited by its products alone
  double sinks = 1;              ///< time of the attention core with sinks, relative to the one without
  double dispatch_sms = 0;       ///< multiprocessors that dispatch and combine run on; 0: as many as their links need
  double host_link = 0;          ///< one way, to the host's memory; 0: activations cannot be offloaded
  std::size_t used = 0;          ///< devices of its domain that jobs use, 64 of 72; 0: all

  /// Equal in every part.
  friend bool operator==(const device&, const device&) = default;
};

/// Devices with data sheets, SXM modules or similar: NVIDIA A100 (2021), H100 (2023), H200 and B200 (2024), GB200 NVL72
/// (2024), AMD Instinct MI300X (2023). The best matrix products are from the public collection ml-engineering (Stas
/// Bekman, 2024 and 2025); for GB200 scaled by the ratio of the peaks. Network cards have 200 Gbit/s per device with
/// A100, 400 with all others.
inline constexpr std::array devices{
    device{.exponentials = 2.44e12, .host_link = 25e9},
    device{.name = "a100-40gb", .bandwidth = 1.555e12, .memory = 40e9, .exponentials = 2.44e12, .host_link = 25e9},
    device{.name = "h100-80gb", .flops = 989.4e12, .gemm = 794.5e12, .gemm_fp8 = 1402.6e12, .flops_fp32 = 66.9e12, .bandwidth = 3.35e12,
           .memory = 80e9, .link = 450e9, .network = 50e9, .power_limited = true, .sustained = 740e12, .sustained_fp8 = 1560e12,
           .exponentials = 3.9e12, .dispatch_sms = 24, .host_link = 50e9},
    device{.name = "h200-141gb", .flops = 989.4e12, .gemm = 794.5e12, .gemm_fp8 = 1453.4e12, .flops_fp32 = 66.9e12, .bandwidth = 4.8e12,
           .memory = 141e9, .link = 450e9, .network = 50e9, .power_limited = true, .sustained = 740e12, .sustained_fp8 = 1560e12,
           .exponentials = 3.9e12, .dispatch_sms = 24, .host_link = 50e9},
    device{.name = "b200-180gb", .flops = 2250e12, .gemm = 1745e12, .gemm_fp8 = 3432.5e12, .flops_fp32 = 75e12, .bandwidth = 8e12,
           .memory = 180e9, .link = 900e9, .network = 50e9, .power_limited = true, .flops_fp4 = 9000e12, .gemm_fp4 = 6750e12,
           .sustained = 1700e12, .sustained_fp8 = 3370e12, .sustained_fp4 = 6750e12, .exponentials = 5.0e12, .sinks = 9.7,
           .dispatch_sms = 32, .host_link = 50e9},
    device{.name = "gb200-186gb", .flops = 2450e12, .gemm = 1822e12, .gemm_fp8 = 3615.6e12, .flops_fp32 = 80e12, .bandwidth = 8e12,
           .memory = 186e9, .link = 900e9, .domain = 72, .network = 50e9, .power_limited = true, .flops_fp4 = 10000e12,
           .gemm_fp4 = 7000e12, .sustained = 1750e12, .sustained_fp8 = 3470e12, .sustained_fp4 = 7000e12, .exponentials = 5.3e12,
           .sinks = 9.7, .dispatch_sms = 32, .host_link = 200e9, .used = 64},
    device{.name = "b300-268gb", .flops = 2250e12, .gemm = 1769e12, .gemm_fp8 = 3353e12, .flops_fp32 = 75e12, .bandwidth = 8e12,
           .memory = 268e9, .link = 900e9, .network = 100e9, .power_limited = true, .flops_fp4 = 13500e12, .gemm_fp4 = 9200e12,
           .sustained = 1870e12, .sustained_fp8 = 3700e12, .sustained_fp4 = 9200e12, .exponentials = 10.7e12, .sinks = 9.7,
           .dispatch_sms = 32, .host_link = 50e9},
    device{.name = "gb300-279gb", .flops = 2500e12, .gemm = 2000e12, .gemm_fp8 = 4000e12, .flops_fp32 = 80e12, .bandwidth = 8e12,
           .memory = 279e9, .link = 900e9, .domain = 72, .network = 100e9, .power_limited = true, .flops_fp4 = 15000e12,
           .gemm_fp4 = 11200e12, .sustained = 2270e12, .sustained_fp8 = 4500e12, .sustained_fp4 = 11200e12, .exponentials = 10.7e12,
           .sinks = 9.7, .dispatch_sms = 32, .host_link = 200e9, .used = 64},
    device{.name = "mi300x-192gb", .flops = 1307.4e12, .gemm = 668e12, .flops_fp32 = 163.4e12, .bandwidth = 5.3e12, .memory = 192e9,
           .link = 448e9, .pair = 64e9, .network = 50e9, .power_limited = true}};

namespace detail {

/// Rejects a figure of a device.
[[noreturn]] STAGECUT_DECL void refuse_device(std::string_view part, std::string_view field, double value,
                                              std::string_view problem);

}  // namespace detail

/// Rejects a device that computes nothing.
/// @throws stagecut::invalid_input at `device.FIELD`
STAGECUT_DECL void check(const device& on);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/accelerator.ipp>
#endif
