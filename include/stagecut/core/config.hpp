// SPDX-License-Identifier: BSL-1.0
#pragma once

// The only switch of the library: header-only unless `STAGECUT_COMPILED` is defined, as the CMake target
// `stagecut::compiled` does for everything that links to it. Every header first includes this one, or one that does.

// Error for compilers that cannot read the headers. Apple's clang has its own version numbers: 15 is clang 16.
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

// `STAGECUT_DECL` precedes every definition in a file of bodies (`.ipp`). A header includes its bodies at its end if the
// library is header-only, `STAGECUT_HEADER_ONLY`; else `stagecut/source/MODULE.hpp` includes them, in one file of the
// program or in the library. The mode that the first header of a file finds applies to the whole file.
//
// `STAGECUT_INSTANCE_DECL` in a header and `STAGECUT_INSTANCE` in its bodies name an instance of a class template that
// the library has: callers of the compiled form instantiate none of its functions. Header-only both are nothing.
//
// `STAGECUT_ABI` is the inline namespace of everything in `stagecut`: one for each form, for containers of libstdc++'s
// debug mode, and for each version that changes the ABI. Files that differ in these do not link if they exchange a type
// of stagecut. The tag also adds the name to symbols of functions that only return such a type.
#if defined(STAGECUT_COMPILED)
#if 1 - STAGECUT_COMPILED - 1 == 0  // so it is for 0, and not for what is empty
#error "STAGECUT_COMPILED is 0 or a word: define it as 1, or empty, for the compiled form; leave it undefined for the header-only one"
#endif
#define STAGECUT_DECL
#define STAGECUT_INSTANCE_DECL(...) extern template class __VA_ARGS__
#define STAGECUT_INSTANCE(...) template class __VA_ARGS__
#if defined(_GLIBCXX_DEBUG)
#define STAGECUT_ABI v0_2_compiled_debug
#define STAGECUT_ABI_TAG "v0_2_compiled_debug"
#else
#define STAGECUT_ABI v0_2_compiled
#define STAGECUT_ABI_TAG "v0_2_compiled"
#endif
#else
#define STAGECUT_HEADER_ONLY
#define STAGECUT_DECL inline
#define STAGECUT_INSTANCE_DECL(...) static_assert(true)
#define STAGECUT_INSTANCE(...) static_assert(true)
#if defined(_GLIBCXX_DEBUG)
#define STAGECUT_ABI v0_2_debug
#define STAGECUT_ABI_TAG "v0_2_debug"
#else
#define STAGECUT_ABI v0_2
#define STAGECUT_ABI_TAG "v0_2"
#endif
#endif
namespace stagecut {
inline namespace [[gnu::abi_tag(STAGECUT_ABI_TAG)]] STAGECUT_ABI {}
}  // namespace stagecut
#undef STAGECUT_ABI_TAG
