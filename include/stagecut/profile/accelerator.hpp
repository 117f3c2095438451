// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>

#include <cstddef>
#include <string_view>

// Devices and their interconnects.
namespace stagecut::inline STAGECUT_ABI::transformer {

/// A device and its interconnects. Rates in FLOP/s and bytes per second. The defaults are an A100's: for another device set
/// all figures, those that are unknown to 0, where their lines say what is taken instead.
struct device {
  std::string_view name = "a100-80gb";  ///< on the command line
  double flops = 312e12;                ///< dense 16-bit matrix products, peak of the data sheet
  double gemm = 271e12;                 ///< the highest measured rate of such products; 0: `sustained`
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
  double sustained_fp8 = 0;  ///< the same with 8 bits, from `gemm_fp8`
  double sustained_fp4 = 0;  ///< the same with 4 bits, from `gemm_fp4`
  /// What kernels keep of `bandwidth` in long training; 0: `efficiencies::memory` of it.
  double sustained_bandwidth = 1.743e12;
  double sustained_link = 207e9;   ///< of `link`, in long training; 0: `efficiencies::link` of it
  double exponentials = 2.436e12;  ///< exponentials per second; 0: attention is limited by its products alone
  double sinks = 1;                ///< time of the attention core with sinks, relative to the one without
  double dispatch_sms = 0;         ///< multiprocessors that dispatch and combine run on; 0: as many as their links need
  double host_link = 31e9;         ///< one way, to the host's memory; 0: activations cannot be offloaded
  std::size_t used = 0;            ///< devices of its domain that jobs use, 64 of 72; 0: all

  /// Equal in every part.
  friend bool operator==(const device&, const device&) = default;
};

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
