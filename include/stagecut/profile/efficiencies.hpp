// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>

// The constants of the cost model of transformers: all of them, in one place.
namespace stagecut::inline STAGECUT_ABI::transformer {

/// The share of a device's figures that training reaches, and what its software costs. They hold for all models; the
/// devices have their own figures. Most are fitted to the published training runs in docs/benchmarks.md;
/// `fit_efficiencies` fits any of them to your own measurements.
struct efficiencies {
  double gemm = 0.87;             ///< of the sustained matrix product, for products inside a model
  double power = 0.86;            ///< what a power limit leaves of the best product, where no sustained one is known
  double network = 0.92;          ///< of the bandwidth of network cards, between domains
  double link = 0.92;             ///< of the bandwidth of links within a domain
  double memory = 0.60;           ///< of the memory's bandwidth
  double attention = 0.77;        ///< of the bound of FlashAttention's core, forward: products and exponentials
  double backward = 0.71;         ///< of `attention`, in the backward pass
  double hidden = 0.16;           ///< share of a hidden message that slows the work it overlaps
  double tail = 4.5e-6;           ///< seconds at the end of every kernel
  double mxfp8 = 0.944;           ///< rate of products with a scale per block of 32, relative to one scale per tensor
  double expert_tokens = 1.25;    ///< tokens per expert at which grouped products run at half rate, by FLOP per byte
  double expert_bytes = 1.85;     ///< bytes that expert layers move besides products, relative to the least count
  double dispatch_rate = 39e9;    ///< bytes/s that one multiprocessor moves in dispatch and combine kernels
  double dispatch_hidden = 0.38;  ///< as `hidden`, of hidden messages of experts
  double launch = 27e-6;          ///< seconds of the host per kernel that is launched one by one
  double loop = 0.78;             ///< of `launch`, per kernel that a loop over experts launches
  double sync = 0.9e-3;           ///< seconds of waiting for the host in the forward pass of a layer with experts

  double near_latency = 10e-6;   ///< seconds of latency of a message within a domain
  double far_latency = 25e-6;    ///< the same, between domains
  double near_dispatch = 12e-6;  ///< as `near_latency`, of tokens to or from experts
  double far_dispatch = 30e-6;   ///< as `far_latency`, of tokens to or from experts

  /// Equal in every part.
  friend bool operator==(const efficiencies&, const efficiencies&) = default;
};

/// The names of the constants, in files and on the command line.
inline constexpr named<double efficiencies::*> efficiency_names[] = {
    {"gemm", &efficiencies::gemm},
    {"power", &efficiencies::power},
    {"network", &efficiencies::network},
    {"link", &efficiencies::link},
    {"memory", &efficiencies::memory},
    {"attention", &efficiencies::attention},
    {"backward", &efficiencies::backward},
    {"hidden", &efficiencies::hidden},
    {"tail", &efficiencies::tail},
    {"mxfp8", &efficiencies::mxfp8},
    {"expert_tokens", &efficiencies::expert_tokens},
    {"expert_bytes", &efficiencies::expert_bytes},
    {"dispatch_rate", &efficiencies::dispatch_rate},
    {"dispatch_hidden", &efficiencies::dispatch_hidden},
    {"launch", &efficiencies::launch},
    {"loop", &efficiencies::loop},
    {"sync", &efficiencies::sync},
    {"near_latency", &efficiencies::near_latency},
    {"far_latency", &efficiencies::far_latency},
    {"near_dispatch", &efficiencies::near_dispatch},
    {"far_dispatch", &efficiencies::far_dispatch}};

/// The constants of inference, whose kernels differ: bytes are read at a higher rate, and nothing waits for the host.
inline constexpr efficiencies serving_efficiencies{
    .gemm = 0.86, .power = 0.86, .network = 0.69, .link = 0.69, .memory = 0.85, .hidden = 0.1, .tail = 3e-6};

/// Rejects constants that are out of range: shares of 0 or below, or above 2, since a device's best figure may be too
/// low; negative times; ratios that are not above 0.
/// @throws stagecut::invalid_input at `efficiency.FIELD`
STAGECUT_DECL void check(const efficiencies& reached);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/efficiencies.ipp>
#endif
