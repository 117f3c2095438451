// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by `bench/published/run --write`.

/// Published runs of a kind of model, in a precision, on a device: how many there are, and how far their computed seconds
/// are from the measured ones, in percent: in the median, and at most.
struct validated_runs {
  const char* kind;  ///< dense, experts, or hybrid: with layers of Mamba
  const char* precision;
  const char* device;
  int runs;
  double median, worst;
};

inline constexpr validated_runs all_validated_runs[] = {
    {"dense", "bf16", "a100-80gb", 63, 3.0, 10.0},
    {"dense", "bf16", "gb200-186gb", 9, 4.4, 6.8},
    {"dense", "bf16", "h100-80gb", 13, 4.6, 14.1},
    {"dense", "fp8", "b200-180gb", 1, 1.9, 1.9},
    {"dense", "fp8", "gb200-186gb", 2, 0.5, 0.7},
    {"dense", "fp8", "gb300-288gb", 1, 0.7, 0.7},
    {"dense", "fp8", "h100-80gb", 9, 1.6, 9.4},
    {"dense", "mxfp8", "gb200-186gb", 1, 4.2, 4.2},
    {"dense", "mxfp8", "gb300-288gb", 1, 0.0, 0.0},
    {"dense", "nvfp4", "gb200-186gb", 2, 5.1, 9.5},
    {"dense", "nvfp4", "gb300-288gb", 1, 1.7, 1.7},
    {"experts", "bf16", "b200-180gb", 2, 1.0, 1.5},
    {"experts", "bf16", "gb200-186gb", 4, 12.9, 24.3},
    {"experts", "bf16", "gb300-288gb", 5, 0.7, 1.4},
    {"experts", "bf16", "h100-80gb", 13, 4.7, 51.6},
    {"experts", "fp8", "h100-80gb", 1, 8.1, 8.1},
    {"experts", "mxfp8", "b200-180gb", 5, 2.9, 21.3},
    {"experts", "mxfp8", "b300-288gb", 6, 4.4, 33.1},
    {"experts", "mxfp8", "gb200-186gb", 13, 3.9, 10.8},
    {"experts", "mxfp8", "gb300-288gb", 14, 3.5, 10.4},
    {"hybrid", "bf16", "gb200-186gb", 2, 30.0, 47.3},
    {"hybrid", "fp8", "h100-80gb", 1, 14.1, 14.1},
    {"hybrid", "mxfp8", "b200-180gb", 2, 6.0, 6.1},
    {"hybrid", "mxfp8", "b300-288gb", 1, 2.9, 2.9},
    {"hybrid", "mxfp8", "gb200-186gb", 7, 7.8, 15.0},
    {"hybrid", "mxfp8", "gb300-288gb", 3, 3.4, 4.2},
    {"hybrid", "nvfp4", "b200-180gb", 1, 7.4, 7.4},
    {"hybrid", "nvfp4", "gb200-186gb", 3, 13.4, 14.8},
    {"hybrid", "nvfp4", "gb300-288gb", 4, 5.2, 7.3}};
