// SPDX-License-Identifier: BSL-1.0
#pragma once

// The one switch of the library: header-only unless `STAGECUT_COMPILED` is defined, which the CMake target
// `stagecut::compiled` does for all who link to it. Every header includes this one, or one that does, before anything else.

// The message for a compiler that cannot read the headers. Apple numbers its clang in its own way: 15 is clang 16.
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

// `STAGECUT_DECL` stands before every definition in a file of bodies (`.ipp`). A header includes its bodies at its end if
// the library is header-only; else `stagecut/source/ROOM.hpp` includes them, in one file of the program or in the library.
//
// `STAGECUT_ABI` is the inline namespace of everything in `stagecut`: one for each form, and for each version that changes
// binaries. So files of different forms or versions do not link where they exchange a type of stagecut. The tag puts the
// name into the symbols of functions that only return such a type as well.
#if defined(STAGECUT_COMPILED)
#define STAGECUT_DECL
#define STAGECUT_ABI v0_1_compiled
#define STAGECUT_ABI_TAG "v0_1_compiled"
#else
#define STAGECUT_DECL inline
#define STAGECUT_ABI v0_1
#define STAGECUT_ABI_TAG "v0_1"
#endif
namespace stagecut {
inline namespace [[gnu::abi_tag(STAGECUT_ABI_TAG)]] STAGECUT_ABI {}
}  // namespace stagecut
#undef STAGECUT_ABI_TAG
