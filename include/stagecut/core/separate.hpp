// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/detail/language.hpp>

// The searches and readers that take long to compile, and are no templates, can be compiled once for a program: define
// STAGECUT_SEPARATE for all its files, and in one of them STAGECUT_IMPLEMENTATION before it includes stagecut. Unless
// that is defined, every file that calls them has them, inline.
#if defined(STAGECUT_SEPARATE)
#define STAGECUT_INLINE
#else
#define STAGECUT_INLINE inline
#endif
#if !defined(STAGECUT_SEPARATE) || defined(STAGECUT_IMPLEMENTATION)
#define STAGECUT_BODIES 1
#else
#define STAGECUT_BODIES 0
#endif
