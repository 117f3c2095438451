// SPDX-License-Identifier: BSL-1.0
#include "ranks/processes.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "ranks/threads.hpp"
#include "small_run.hpp"

namespace {

namespace fs = std::filesystem;

/// The program of a rank.
std::string program() { return STAGECUT_EXECUTOR; }

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> result;
  for (const auto& entry : fs::directory_iterator(folder)) result.insert(entry.path().filename());
  return result;
}

/// A folder for what is temporary, which has to be empty in the end, and no child may be left.
struct clean_ground {
  clean_ground() {
    std::string name = (fs::temp_directory_path() / "test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    here = name;
    if (const char* const old = std::getenv("TMPDIR")) before = old;
    ::setenv("TMPDIR", here.c_str(), 1);
  }
  ~clean_ground() {
    before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
    CHECK(fs::remove(here));  // only if it is empty
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
    CHECK(errno == ECHILD);
    CHECK(names_in("/dev/shm") == shared);
  }
  clean_ground(const clean_ground&) = delete;
  clean_ground& operator=(const clean_ground&) = delete;

  fs::path here{};
  std::string before{};
  std::set<std::string> shared = names_in("/dev/shm");
};

/// What a run with a fault says. Only where one hangs it takes the time limit, and not much more.
std::string fault(executor::run_setup setup, const std::string& kind, const std::string& at, double timeout) {
  const clean_ground ground;
  setup.timeout = timeout;
  setup.fault = {kind, at};
  const auto [said, seconds] =
      failure_of<executor::rank_failed>([&] { return executor::run_processes(setup, program()); });
  CHECK(seconds < (kind == "hang" ? 10 * timeout : timeout));
  return said;
}

}  // namespace

TEST_CASE("processes compute what threads compute, bit for bit") {
  struct row {
    const char* schedule;
    std::size_t ranks, microbatches;
  };
  for (const auto& [schedule, ranks, microbatches] :
       {row{"gpipe", 2, 3}, row{"1f1b", 4, 6}, row{"zb-h1", 3, 6}, row{"zbv", 2, 4}, row{"zbv", 4, 8}}) {
    CAPTURE(schedule);
    const auto setup = small_run(schedule, ranks, microbatches);
    const auto threads = executor::run_threads(setup);
    const clean_ground ground;
    const auto processes = executor::run_processes(setup, program());
    REQUIRE(processes.size() == ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      CHECK(processes[r].computed.layers == threads[r].computed.layers);
      CHECK(processes[r].computed.losses == threads[r].computed.losses);
      CHECK(processes[r].peak_bytes == threads[r].peak_bytes);
      REQUIRE(processes[r].iterations.size() == 2);
      CHECK(ops_of(processes[r].iterations[1]) == ops_of(threads[r].iterations[1]));
      for (const auto& op : processes[r].iterations[1].ops) CHECK(op.start <= op.end);
    }
    for (const auto& each : all_gradients(processes)) CHECK_FALSE(each.empty());
  }
}

TEST_CASE("a message is not there before the delay of its link is over") {
  auto setup = small_run("1f1b", 2, 3);
  setup.cuts.clear();
  setup.hold.assign(2 * setup.order.microbatches, {.forward = 1e-3, .backward = 2e-3});
  setup.delays = {5e-3};
  for (const auto& rank : executor::run_processes(setup, program())) {
    CHECK(rank.iterations.at(0).received.size() == 3);
    for (const auto& op : rank.iterations.at(0).received) CHECK(op.end - op.start >= 4.9e-3);
  }
}

TEST_CASE("who throws or is killed is named with its op, and all others end at once") {
  const auto setup = small_run("1f1b", 4, 6);
  for (const auto& [rank, at] : {std::pair{"0", "0F1"}, {"0", "0B0"}, {"1", "1B0"}, {"3", "3F2"}, {"3", "3B5"}}) {
    const std::string place = std::string("rank ") + rank + ", " + at;
    CHECK(fault(setup, "throw", at, 30) == place + ": a fault that was asked for");
    CHECK(fault(setup, "kill", at, 30) == place + ": killed by signal 9 (Killed)");
  }
  CHECK(fault(small_run("zbv", 2, 4), "kill", "3W0", 30) == "rank 0, 3W0: killed by signal 9 (Killed)");
}

TEST_CASE("who hangs is killed, and the message names its op and who has waited") {
  const std::string said = fault(small_run("1f1b", 4, 6), "hang", "1B0", 2);
  CHECK(said.rfind("rank 1, 1B0: goes on 2 s after rank ", 0) == 0);
  CHECK(said.find("nothing came from rank ") != std::string::npos);
}

TEST_CASE("another program may start all ranks, and tell each which it is") {
  auto setup = small_run("1f1b", 4, 6);
  const auto threads = all_gradients(executor::run_threads(setup));
  const std::string script = "for r in 0 1 2 3; do PMI_RANK=$r \"$0\" \"$@\" & done; wait";
  std::vector<std::vector<std::string>> launchers{{"sh", "-c", script}};
  if (const char* const mpirun = std::getenv("MPIRUN"); mpirun != nullptr && *mpirun != 0) {
    launchers.push_back({mpirun, "-n", "4"});
  }
  for (const auto& launcher : launchers) {
    CAPTURE(launcher[0]);
    setup.fault = {};
    CHECK(all_gradients(executor::run_processes(setup, program(), launcher)) == threads);
    setup.fault = {"throw", "1B0"};
    CHECK(failure_of<executor::rank_failed>([&] {
            return executor::run_processes(setup, program(), launcher);
          }).first == "rank 1, 1B0: a fault that was asked for");
  }
  CHECK_THROWS_AS(static_cast<void>(executor::launched_rank()), std::invalid_argument);
}

TEST_CASE("a setup that cannot be handed on leaves nothing") {
  const clean_ground ground;
  auto setup = small_run("1f1b", 2, 2);
  setup.order.orders[0].push_back({.kind = stagecut::op_kind::optimizer_step});
  CHECK_THROWS_AS(static_cast<void>(executor::run_processes(setup, program())), std::invalid_argument);
}

TEST_CASE("a program that is none of a rank's") {
  const clean_ground ground;
  const auto setup = small_run("gpipe", 1, 2);
  CHECK(failure_of<std::system_error>([&] { return executor::run_processes(setup, "/no/such/program"); }).first ==
        "cannot start /no/such/program: No such file or directory");
  CHECK(failure_of<executor::rank_failed>([&] { return executor::run_processes(setup, "false"); }).first ==
        "rank 0: ended with code 1");
  CHECK(failure_of<executor::rank_failed>([&] { return executor::run_processes(setup, "true"); }).first ==
        "rank 0: ended with code 0");
}

TEST_CASE("what a rank cannot read is its failure") {
  const executor::process_run here(small_run("gpipe", 2, 2));
  std::ofstream(here.path + "/setup.json") << "{";
  CHECK(executor::run_rank_process(here.path, 1) == 1);
  const auto [said, seconds] = failure_of<executor::rank_failed>([&] { return here.result(1, 1 << 8U); });
  CHECK(said.rfind("rank 1: [json.exception.parse_error", 0) == 0);
}
