// SPDX-License-Identifier: BSL-1.0
// What a program in the compiled form calls of stagecut::compiled; it does not link without.
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>

#include <cstdio>

#ifndef STAGECUT_COMPILED
#error "not in the compiled form"
#endif

int main() {
  stagecut::check_schedule(stagecut::one_forward_one_backward(3, 6));
  std::puts("1f1b is a schedule");
}
