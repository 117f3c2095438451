// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by `bench/published/run --write`.

/// Published runs of a kind of model, in a precision, on a device: how many there are, to how many of them the constants of
/// the cost model are fitted, and how far their computed seconds are from the measured ones, in percent: in the median, and
/// at most.
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
    {"dense", "fp8", "gb200-186gb", 2, 2, 2.1, 2.6},
    {"dense", "fp8", "gb300-288gb", 1, 1, 1.3, 1.3},
    {"dense", "fp8", "h100-80gb", 9, 9, 2.8, 8.0},
    {"dense", "mxfp8", "gb200-186gb", 1, 1, 2.3, 2.3},
    {"dense", "mxfp8", "gb300-288gb", 1, 1, 2.1, 2.1},
    {"dense", "nvfp4", "gb200-186gb", 2, 2, 4.4, 8.5},
    {"dense", "nvfp4", "gb300-288gb", 1, 1, 0.4, 0.4},
    {"experts", "bf16", "b200-180gb", 2, 2, 1.2, 1.7},
    {"experts", "bf16", "gb200-186gb", 4, 1, 14.9, 26.0},
    {"experts", "bf16", "gb300-288gb", 5, 1, 1.4, 2.1},
    {"experts", "bf16", "h100-80gb", 13, 1, 6.4, 50.5},
    {"experts", "fp8", "h100-80gb", 1, 1, 8.6, 8.6},
    {"experts", "mxfp8", "b200-180gb", 5, 5, 2.9, 21.3},
    {"experts", "mxfp8", "b300-288gb", 6, 5, 3.9, 33.1},
    {"experts", "mxfp8", "gb200-186gb", 13, 4, 2.2, 9.3},
    {"experts", "mxfp8", "gb300-288gb", 14, 5, 3.4, 11.3},
    {"hybrid", "bf16", "gb200-186gb", 2, 0, 30.5, 45.8},
    {"hybrid", "fp8", "h100-80gb", 1, 1, 15.9, 15.9},
    {"hybrid", "mxfp8", "b200-180gb", 2, 2, 8.0, 11.2},
    {"hybrid", "mxfp8", "b300-288gb", 1, 1, 1.5, 1.5},
    {"hybrid", "mxfp8", "gb200-186gb", 7, 3, 5.7, 12.1},
    {"hybrid", "mxfp8", "gb300-288gb", 3, 1, 5.8, 6.6},
    {"hybrid", "nvfp4", "b200-180gb", 1, 1, 5.2, 5.2},
    {"hybrid", "nvfp4", "gb200-186gb", 3, 1, 10.6, 12.1},
    {"hybrid", "nvfp4", "gb300-288gb", 4, 1, 8.7, 10.8}};
