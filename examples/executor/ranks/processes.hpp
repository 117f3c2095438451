// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "ranks/threads.hpp"
#include "output/stop_signals.hpp"
#include "transports/sockets.hpp"

namespace stagecut {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(op, kind, stage, microbatch, slice, with_next, peer)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(timed_op<double>, what, start, end)
}  // namespace stagecut

namespace executor {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(rank_times, ops, received)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(gradients, losses, layers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(rank_result, iterations, computed, peak_bytes)

/// The processes of a run and their private shared folder; both are gone when it ends, in any way.
///
/// `setup.json` contains the setup; in `rank-R.at` rank R notes its op, in `rank-R.cbor` it leaves its result or
/// failure.
struct process_run {
  explicit process_run(const run_setup& setup) {
    const std::string text = nlohmann::json(setup).dump();
    path = (std::filesystem::temp_directory_path() / "executor-XXXXXX").string();
    if (path.size() > 80) throw std::runtime_error(path + " is too long for sockets: set TMPDIR");
    if (::mkdtemp(path.data()) == nullptr) throw std::system_error(errno, std::generic_category(), path);
    std::ofstream(path + "/setup.json") << text;
  }
  ~process_run() {
    for (const pid_t process : running) {
      if (process != 0) ::kill(process, SIGKILL), ::waitpid(process, nullptr, 0);
    }
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  void start(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    running.push_back(0);
    pid_t child = 0;
    const int error = ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
    if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start " + words[0]);
    running.back() = child;
  }
  /// The failure of a rank at its last noted op.
  [[nodiscard]] rank_failed failed(std::size_t rank, const std::string& why) const {
    std::string at;
    std::getline(std::ifstream(fmt::format("{}/rank-{}.at", path, rank)), at, '\0');
    return {rank, at, why, true};
  }
  /// The result of a rank that ended with this status. @throws rank_failed
  [[nodiscard]] rank_result result(std::size_t rank, int status) const {
    const int code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    if (WIFSIGNALED(status)) throw failed(rank, fmt::format("killed by signal {} ({})", code, ::strsignal(code)));
    std::ifstream file(fmt::format("{}/rank-{}.cbor", path, rank), std::ios::binary);
    const nlohmann::json said = nlohmann::json::from_cbor(file, true, false);
    if (!said.is_object()) throw failed(rank, fmt::format("ended with code {}", code));
    if (said.contains("failed")) throw rank_failed(said["failed"].get<std::string>(), said["is_cause"].get<bool>());
    return said.get<rank_result>();
  }

  std::string path{};
  std::vector<pid_t> running{};  ///< 0: ended
};

/// Runs every rank in its own process, with sockets between them.
///
/// @param program   called as `PROGRAM rank --directory DIRECTORY --rank RANK`; must call `run_rank_process`
/// @param launcher  starts all of them instead: `mpirun -n 4`; the program then has no `--rank`, but `launched_rank`
/// @throws          rank_failed of the rank that failed first, once all have ended; a rank that runs longer than the
///                  time limit after that counts as hanging: the remaining ones are killed. std::runtime_error once
///                  `stop_signals` has noted a signal
[[nodiscard]] inline std::vector<rank_result> run_processes(const run_setup& setup, const std::string& program,
                                                            std::vector<std::string> launcher = {}) {
  process_run all(setup);
  std::vector<rank_result> results(setup.order.ranks());
  const std::size_t together = launcher.empty() ? 1 : results.size();
  launcher.insert(launcher.end(), {program, "rank", "--directory", all.path});
  if (together == 1) launcher.insert(launcher.end(), {"--rank", ""});
  for (std::size_t r = 0; r < results.size(); r += together) {
    if (together == 1) launcher.back() = std::to_string(r);
    all.start(launcher);
  }
  std::optional<rank_failed> failure;
  double end = std::numeric_limits<double>::infinity();
  for (std::size_t left = all.running.size(); left != 0 && steady_seconds() < end;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (stop_signals::asked()) throw std::runtime_error("stopped by a signal");
    for (std::size_t c = 0; c < all.running.size(); ++c) {
      int status = 0;
      if (all.running[c] == 0 || ::waitpid(all.running[c], &status, WNOHANG) == 0) continue;
      all.running[c] = 0;
      --left;
      for (std::size_t r = c * together; r < (c + 1) * together; ++r) {
        try {
          results[r] = all.result(r, status);
        } catch (const rank_failed& error) {
          end = std::min(end, steady_seconds() + setup.timeout);
          if (!failure || (error.is_cause && !failure->is_cause)) failure = error;
        }
      }
    }
  }
  for (std::size_t c = 0; c < all.running.size(); ++c) {
    if (all.running[c] != 0) throw all.failed(c, fmt::format("goes on {} s after {}", setup.timeout, failure->what()));
  }
  if (failure) throw rank_failed(*failure);
  return results;
}

/// The rank of a process, as set by Open MPI, MPICH and Slurm.
[[nodiscard]] inline std::size_t launched_rank() {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* const rank = std::getenv(name)) return std::stoul(rank);
  }
  throw std::invalid_argument("which rank this is, nobody says");
}

/// The process of a rank, which ends with its parent. @return its exit code
[[nodiscard]] inline int run_rank_process(const std::string& directory, std::size_t rank) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  run_setup setup;
  std::optional<socket_transport> links;  // destroyed last: the cause is written before the others notice
  nlohmann::json said;
  try {
    using namespace boost::interprocess;
    nlohmann::json::parse(std::ifstream(directory + "/setup.json")).get_to(setup);
    if (rank >= setup.order.ranks()) throw std::invalid_argument("is more than there are");
    const std::string note = fmt::format("{}/rank-{}.at", directory, rank);
    std::ofstream(note) << std::string(64, '\0');
    const mapped_region at(file_mapping(note.c_str(), read_write), read_write);
    links.emplace(directory, rank, setup.order.ranks(), setup.message_floats(), setup.timeout, delay_of(setup));
    if (!setup.timed()) pin_thread(rank);  // but not the reader threads
    const auto core = make_host_device(setup.timed());
    said = rank_runner(setup, rank, *core, *links, *links, static_cast<char*>(at.get_address())).run();
  } catch (const rank_failed& error) {
    said = {{"failed", error.what()}, {"is_cause", error.is_cause}};
  } catch (const std::exception& error) {
    said = {{"failed", rank_failed(rank, "", error.what(), true).what()}, {"is_cause", true}};
  }
  std::ofstream file(fmt::format("{}/rank-{}.cbor", directory, rank), std::ios::binary);
  nlohmann::json::to_cbor(said, file);
  return file.flush() && !said.contains("failed") ? 0 : 1;
}

}  // namespace executor
