// SPDX-License-Identifier: BSL-1.0
// The first for when <doctest/doctest.h> was precompiled without.
#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
