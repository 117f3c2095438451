// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

/// How often operator new was called, in a program with allocations.cpp.
extern std::size_t allocations;
