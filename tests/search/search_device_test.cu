// SPDX-License-Identifier: BSL-1.0
// The tests of searches, compiled for a device: the same candidates there as on the host, and the same answers to the bit.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "best_test.cpp"
#include "evaluators_test.cpp"

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int status = context.run();
  if (status != 0 || has_device()) return status;
  std::printf("skipped: no device\n");
  return 77;
}
