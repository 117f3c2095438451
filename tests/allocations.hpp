// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

/// How often operator new was called, in a program with allocations.cpp.
extern std::size_t allocations;

/// Bytes that it has given out and that were not given back.
extern std::size_t allocated_bytes;

/// The most that these were; to be set before what is measured.
extern std::size_t most_allocated_bytes;
