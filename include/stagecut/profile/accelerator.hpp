// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>

#include <array>
#include <cstddef>
#include <string_view>

// Devices, and the share of their peaks that training reaches.
namespace stagecut::inline STAGECUT_ABI::transformer {

/// A device and its interconnects. Rates in FLOP/s and bytes per second.
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

  /// Equal in every part.
  friend bool operator==(const device&, const device&) = default;
};

/// Devices with data sheets, SXM modules or similar: NVIDIA A100 (2021), H100 (2023), H200 and B200 (2024), GB200 NVL72
/// (2024), AMD Instinct MI300X (2023). The best matrix products are from the public collection ml-engineering (Stas
/// Bekman, 2024 and 2025); for GB200 scaled by the ratio of the peaks. Network cards have 200 Gbit/s per device with
/// A100, 400 with all others.
inline constexpr std::array devices{
    device{},
    device{.name = "a100-40gb", .bandwidth = 1.555e12, .memory = 40e9},
    device{"h100-80gb", 989.4e12, 794.5e12, 1402.6e12, 66.9e12, 3.35e12, 80e9, 450e9, 0, 8, 50e9, true},
    device{"h200-141gb", 989.4e12, 794.5e12, 1453.4e12, 66.9e12, 4.8e12, 141e9, 450e9, 0, 8, 50e9, true},
    device{"b200-180gb", 2250e12, 1745e12, 3432.5e12, 75e12, 8e12, 180e9, 900e9, 0, 8, 50e9, true},
    device{"gb200-186gb", 2450e12, 1822e12, 3615.6e12, 80e12, 8e12, 186e9, 900e9, 0, 72, 50e9, true},
    device{"mi300x-192gb", 1307.4e12, 668e12, 0, 163.4e12, 5.3e12, 192e9, 448e9, 64e9, 8, 50e9, true}};

/// The share of a device's peaks that is reached: three numbers, fitted to the published training runs in
/// docs/benchmarks.md. `fit_efficiencies` fits them to your own measurements.
struct efficiencies {
  double gemm = 0.86;     ///< of the best matrix product, for products inside a model
  double power = 0.86;    ///< what the power limit leaves of `gemm`, on power-limited devices
  double network = 0.69;  ///< of links and networks

  /// Equal in every part.
  friend bool operator==(const efficiencies&, const efficiencies&) = default;
};

namespace detail {

/// Rejects a figure of a device.
[[noreturn]] STAGECUT_DECL void refuse_device(std::string_view part, std::string_view field, double value,
                                              std::string_view problem);

}  // namespace detail

/// Rejects a device that computes nothing.
/// @throws stagecut::invalid_input at `device.FIELD`
STAGECUT_DECL void check(const device& on);

/// Rejects efficiencies of 0 or below, or above what can be measured. Matrix products and networks may reach 2, since a
/// device's best figure may be too low.
/// @throws stagecut::invalid_input at `efficiency.FIELD`
STAGECUT_DECL void check(const efficiencies& reached);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/accelerator.ipp>
#endif
