// SPDX-License-Identifier: BSL-1.0
// A reference to a function object that is gone before it is called.
#include <stagecut/core/function_ref.hpp>

int main() {
  const stagecut::function_ref<int()> function = [] { return 0; };
  return function();
}
