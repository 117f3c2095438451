// SPDX-License-Identifier: BSL-1.0
#include "search_bench.cpp"
