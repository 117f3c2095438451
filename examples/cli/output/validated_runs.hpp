// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by `bench/published/run --write`.

/// Published runs of a kind of model, in a precision, on a device: how many there are, to how many of them the constants of
/// the cost model are fitted, and how far predictions are from what was measured, tokens a second or seconds, in percent: in
/// the median, and at most.
struct validated_runs {
  const char* kind;  ///< dense, experts, or hybrid: with layers of Mamba
  const char* precision;
  const char* device;
  int runs, fitted;
  double median, worst;
};

inline constexpr validated_runs all_validated_runs[] = {
    {"dense", "bf16", "a100-80gb", 63, 63, 3.1, 9.9},
    {"dense", "bf16", "gb200-186gb", 9, 9, 2.5, 4.5},
    {"dense", "bf16", "h100-80gb", 13, 13, 4.6, 14.2},
    {"dense", "fp8", "b200-180gb", 1, 1, 1.6, 1.6},
    {"dense", "fp8", "gb200-186gb", 2, 2, 2.1, 2.5},
    {"dense", "fp8", "gb300-288gb", 1, 1, 1.3, 1.3},
    {"dense", "fp8", "h100-80gb", 9, 9, 2.8, 7.4},
    {"dense", "mxfp8", "gb200-186gb", 1, 1, 2.4, 2.4},
    {"dense", "mxfp8", "gb300-288gb", 1, 1, 2.1, 2.1},
    {"dense", "nvfp4", "gb200-186gb", 2, 2, 4.1, 7.8},
    {"dense", "nvfp4", "gb300-288gb", 1, 1, 0.4, 0.4},
    {"experts", "bf16", "b200-180gb", 2, 2, 1.2, 1.7},
    {"experts", "bf16", "gb200-186gb", 4, 1, 12.2, 26.0},
    {"experts", "bf16", "gb300-288gb", 5, 1, 1.4, 2.1},
    {"experts", "bf16", "h100-80gb", 13, 1, 6.0, 50.5},
    {"experts", "fp8", "h100-80gb", 1, 1, 8.0, 8.0},
    {"experts", "mxfp8", "b200-180gb", 5, 5, 2.8, 17.6},
    {"experts", "mxfp8", "b300-288gb", 6, 5, 4.0, 49.4},
    {"experts", "mxfp8", "gb200-186gb", 13, 4, 2.3, 8.5},
    {"experts", "mxfp8", "gb300-288gb", 14, 5, 3.5, 10.2},
    {"hybrid", "bf16", "gb200-186gb", 2, 0, 48.8, 84.5},
    {"hybrid", "fp8", "h100-80gb", 1, 1, 13.7, 13.7},
    {"hybrid", "mxfp8", "b200-180gb", 2, 2, 7.5, 10.1},
    {"hybrid", "mxfp8", "b300-288gb", 1, 1, 1.6, 1.6},
    {"hybrid", "mxfp8", "gb200-186gb", 7, 3, 6.0, 13.8},
    {"hybrid", "mxfp8", "gb300-288gb", 3, 1, 5.4, 6.2},
    {"hybrid", "nvfp4", "b200-180gb", 1, 1, 5.5, 5.5},
    {"hybrid", "nvfp4", "gb200-186gb", 3, 1, 11.9, 13.7},
    {"hybrid", "nvfp4", "gb300-288gb", 4, 1, 8.0, 9.8}};
