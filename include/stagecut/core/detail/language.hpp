// SPDX-License-Identifier: BSL-1.0
#pragma once

// What a compiler says that cannot read the headers: each of them has this one, or one that has it, before anything of
// its own. Apple numbers its clang in its own way: 15 is clang 16.
#if __cplusplus < 202002L
#error "stagecut needs C++20: compile with -std=c++20, by g++ 12, clang 16 or newer"
#elif defined(__apple_build_version__)
#if __clang_major__ < 15
#error "stagecut needs g++ 12, clang 16 (Apple's 15) or newer: this clang is too old"
#endif
#elif defined(__clang__)
#if __clang_major__ < 16
#error "stagecut needs g++ 12, clang 16 or newer: this clang is too old"
#endif
#elif defined(__GNUC__) && __GNUC__ < 12
#error "stagecut needs g++ 12, clang 16 or newer: this g++ is too old"
#endif
