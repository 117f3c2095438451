// SPDX-License-Identifier: BSL-1.0
// `executor_mpi MPIEXEC`: ranks that MPI starts compute what threads compute, and a failure names rank and op.
#include "ranks/mpi.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "small_run.hpp"

int main(int words, char** arguments) {
  if (words > 2) return executor::run_mpi_rank(arguments[3]);
  auto setup = small_run("1f1b", 4, 6);
  const std::vector<std::string> launcher{arguments[1], "-n", "4"};
  const bool equal =
      all_gradients(executor::run_mpi(setup, arguments[0], launcher)) == all_gradients(executor::run_threads(setup));
  setup.fault = {"throw", "1B0"};
  const std::string said =
      failure_of<executor::rank_failed>([&] { return executor::run_mpi(setup, arguments[0], launcher); }).first;
  std::printf("%s; %s\n", equal ? "equal" : "not equal", said.c_str());
  return equal && said == "rank 1, 1B0: a fault that was asked for" ? 0 : 1;
}
