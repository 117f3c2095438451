// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <mpi.h>

#include "ranks/processes.hpp"

namespace executor {

/// As `run_processes`, with the processes started by MPI on this machine; messages go over sockets all the same.
/// @param launcher  `mpirun -n 4`, for as many ranks as the schedule has; the program is to call `run_mpi_rank`
[[nodiscard]] inline std::vector<rank_result> run_mpi(const run_setup& setup, const std::string& program,
                                                      std::vector<std::string> launcher) {
  process_run all(setup);
  launcher.insert(launcher.end(), {program, "rank", "--directory", all.path});
  all.start(launcher);
  int status = 0;
  ::waitpid(all.running[0], &status, 0);
  all.running[0] = 0;
  std::vector<rank_result> results(setup.order.ranks());
  std::optional<rank_failed> failure;
  for (std::size_t r = 0; r < results.size(); ++r) {
    try {
      results[r] = all.result(r, status);
    } catch (const rank_failed& error) {
      if (!failure || (error.is_cause && !failure->is_cause)) failure = error;
    }
  }
  if (failure) throw rank_failed(*failure);
  return results;
}

/// The process of the rank that MPI says. @return its exit code; MPI ends the others where it is not 0
[[nodiscard]] inline int run_mpi_rank(const std::string& directory) {
  int rank = 0;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int code = run_rank_process(directory, static_cast<std::size_t>(rank));
  if (code == 0) MPI_Finalize();
  return code;
}

}  // namespace executor
