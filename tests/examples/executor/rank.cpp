// SPDX-License-Identifier: BSL-1.0
// The process of a rank: `executor_rank rank --directory DIRECTORY --rank RANK`.
#include <string>

#include "ranks/processes.hpp"

int main(int, char** arguments) { return executor::run_rank_process(arguments[3], std::stoul(arguments[5])); }
