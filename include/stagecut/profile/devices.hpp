// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/devices.py from examples/devices, whose files name the source of each figure.
#include <array>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/accelerator.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

/// Devices with data sheets, SXM modules or similar: NVIDIA A100 (2021), H100 (2023), H200 and B200 (2024), B300 (2025),
/// GB200 and GB300 NVL72 (2024, 2025), AMD Instinct MI300X (2023), MI325X (2024), MI355X (2025). The first is `device{}`.
// clang-format off
inline constexpr std::array devices{
    device{.name = "a100-80gb", .flops = 312e12, .gemm = 271e12, .flops_fp32 = 19.5e12, .bandwidth = 2.039e12,
           .memory = 80e9, .link = 300e9, .domain = 8, .network = 25e9, .sustained_bandwidth = 1.743e12,
           .sustained_link = 207e9, .exponentials = 2.436e12, .host_link = 31e9},
    device{.name = "a100-40gb", .flops = 312e12, .gemm = 271e12, .flops_fp32 = 19.5e12, .bandwidth = 1.555e12,
           .memory = 40e9, .link = 300e9, .domain = 8, .network = 25e9, .sustained_bandwidth = 1.329e12,
           .sustained_link = 207e9, .exponentials = 2.436e12, .host_link = 31e9},
    device{.name = "h100-80gb", .flops = 989.4e12, .gemm = 794.5e12, .gemm_fp8 = 1402.6e12, .flops_fp32 = 66.9e12,
           .bandwidth = 3.35e12, .memory = 80e9, .link = 450e9, .domain = 8, .network = 50e9, .power_limited = true,
           .flops_fp8 = 1978.9e12, .sustained = 700e12, .sustained_fp8 = 1750e12, .sustained_bandwidth = 0,
           .sustained_link = 324e9, .exponentials = 3.865e12, .dispatch_sms = 24, .host_link = 63e9},
    device{.name = "h200-141gb", .flops = 989.4e12, .gemm = 794.5e12, .gemm_fp8 = 1453.4e12, .flops_fp32 = 66.9e12,
           .bandwidth = 4.8e12, .memory = 141e9, .link = 450e9, .domain = 8, .network = 50e9, .power_limited = true,
           .flops_fp8 = 1978.9e12, .sustained = 700e12, .sustained_fp8 = 1750e12, .sustained_bandwidth = 0,
           .sustained_link = 324e9, .exponentials = 3.865e12, .dispatch_sms = 24, .host_link = 63e9},
    device{.name = "b200-180gb", .flops = 2250e12, .gemm = 1745e12, .gemm_fp8 = 3432.5e12, .flops_fp32 = 75e12,
           .bandwidth = 8e12, .memory = 180e9, .link = 900e9, .domain = 8, .network = 50e9, .power_limited = true,
           .flops_fp8 = 4500e12, .flops_fp4 = 9000e12, .sustained = 1575e12, .sustained_fp8 = 3120e12,
           .sustained_fp4 = 6250e12, .sustained_bandwidth = 0, .sustained_link = 0, .exponentials = 4.653e12,
           .sinks = 8.8, .dispatch_sms = 32, .host_link = 63e9},
    device{.name = "b300-288gb", .flops = 2250e12, .gemm = 1769e12, .gemm_fp8 = 3353.3e12, .flops_fp32 = 75e12,
           .bandwidth = 8e12, .memory = 288e9, .link = 900e9, .domain = 8, .network = 100e9, .power_limited = true,
           .flops_fp8 = 4500e12, .flops_fp4 = 13500e12, .sustained = 1870e12, .sustained_fp8 = 3700e12,
           .sustained_fp4 = 9200e12, .sustained_bandwidth = 0, .sustained_link = 0, .exponentials = 9.623e12,
           .sinks = 8.8, .dispatch_sms = 32, .host_link = 0},
    device{.name = "gb200-186gb", .flops = 2500e12, .gemm = 1822e12, .gemm_fp8 = 3615.6e12, .flops_fp32 = 80e12,
           .bandwidth = 8e12, .memory = 186e9, .link = 900e9, .domain = 72, .network = 50e9, .power_limited = true,
           .flops_fp8 = 5000e12, .flops_fp4 = 10000e12, .sustained = 1550e12, .sustained_fp8 = 3590e12,
           .sustained_fp4 = 8200e12, .sustained_bandwidth = 0, .sustained_link = 0, .exponentials = 4.943e12,
           .sinks = 8.8, .dispatch_sms = 32, .host_link = 225e9, .used = 64},
    device{.name = "gb300-288gb", .flops = 2500e12, .gemm = 0, .flops_fp32 = 80e12, .bandwidth = 8e12,
           .memory = 288e9, .link = 900e9, .domain = 72, .network = 100e9, .power_limited = true,
           .flops_fp8 = 5000e12, .flops_fp4 = 15000e12, .sustained = 2340e12, .sustained_fp8 = 4640e12,
           .sustained_fp4 = 11500e12, .sustained_bandwidth = 0, .sustained_link = 0, .exponentials = 10.024e12,
           .sinks = 8.8, .dispatch_sms = 32, .host_link = 225e9, .used = 64},
    device{.name = "mi300x-192gb", .flops = 1307.4e12, .gemm = 708e12, .gemm_fp8 = 1273e12, .flops_fp32 = 163.4e12,
           .bandwidth = 5.3e12, .memory = 192e9, .link = 448e9, .pair = 64e9, .domain = 8, .network = 50e9,
           .power_limited = true, .flops_fp8 = 2614.9e12, .sustained_bandwidth = 0, .sustained_link = 0,
           .exponentials = 0, .host_link = 63e9},
    device{.name = "mi325x-256gb", .flops = 1307.4e12, .gemm = 843e12, .gemm_fp8 = 1519e12, .flops_fp32 = 163.4e12,
           .bandwidth = 6e12, .memory = 256e9, .link = 448e9, .pair = 64e9, .domain = 8, .network = 50e9,
           .power_limited = true, .flops_fp8 = 2614.9e12, .sustained_bandwidth = 0, .sustained_link = 0,
           .exponentials = 0, .host_link = 63e9},
    device{.name = "mi355x-288gb", .flops = 2516.6e12, .gemm = 1565e12, .flops_fp32 = 157.3e12, .bandwidth = 8e12,
           .memory = 288e9, .link = 537.6e9, .pair = 76.8e9, .domain = 8, .network = 50e9, .power_limited = true,
           .flops_fp8 = 5033.2e12, .flops_fp4 = 10066.3e12, .sustained_bandwidth = 0, .sustained_link = 0,
           .exponentials = 0, .host_link = 63e9}};
// clang-format on

}  // namespace stagecut::inline STAGECUT_ABI::transformer
