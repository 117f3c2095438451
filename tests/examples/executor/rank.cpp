// SPDX-License-Identifier: BSL-1.0
// The process of a rank: `executor_rank rank --directory DIRECTORY [--rank RANK]`.
#include <string>

#include "ranks/processes.hpp"

int main(int words, char** arguments) {
  return executor::run_rank_process(arguments[3], words == 6 ? std::stoul(arguments[5]) : executor::launched_rank());
}
