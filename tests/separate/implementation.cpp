// SPDX-License-Identifier: BSL-1.0
// The one file of a program that is compiled with STAGECUT_SEPARATE which has the bodies.
#define STAGECUT_IMPLEMENTATION
#include <stagecut/io/read_profile.hpp>
#include <stagecut/stagecut.hpp>
