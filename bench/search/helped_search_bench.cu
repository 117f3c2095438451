// SPDX-License-Identifier: BSL-1.0
#include "helped_search_bench.cpp"
