// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "ranks/rank.hpp"
#include "ranks/setup.hpp"
#include "ranks/threads.hpp"
#include "transports/sockets.hpp"
#include "work/clock.hpp"
#include "work/host_device.hpp"

namespace executor {

/// Values as they stand in memory: what reads them back is the same program.
template <class T>
[[nodiscard]] nlohmann::json as_bytes(const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* const first = reinterpret_cast<const std::uint8_t*>(values.data());
  return nlohmann::json::binary({first, first + values.size() * sizeof(T)});
}

/// Reads them back.
template <class T>
void read_bytes(const nlohmann::json& from, std::vector<T>& to) {
  const nlohmann::json::binary_t& bytes = from.get_binary();
  to.resize(bytes.size() / sizeof(T));
  if (!to.empty()) std::memcpy(to.data(), bytes.data(), to.size() * sizeof(T));
}

/// What a rank brings back, and between processes sends back.
/// @{
inline void to_json(nlohmann::json& to, const rank_result& of) {
  to = {{"iterations", nlohmann::json::array()}, {"layers", nlohmann::json::array()}};
  for (const rank_times& each : of.iterations) to["iterations"].push_back({as_bytes(each.ops), as_bytes(each.received)});
  for (const auto& each : of.computed.layers) to["layers"].push_back(as_bytes(each));
  to["losses"] = as_bytes(of.computed.losses);
  to["peak_bytes"] = of.peak_bytes;
}
inline void from_json(const nlohmann::json& from, rank_result& to) {
  for (const auto& each : from.at("iterations")) {
    read_bytes(each.at(0), to.iterations.emplace_back().ops);
    read_bytes(each.at(1), to.iterations.back().received);
  }
  for (const auto& each : from.at("layers")) read_bytes(each, to.computed.layers.emplace_back());
  read_bytes(from.at("losses"), to.computed.losses);
  from.at("peak_bytes").get_to(to.peak_bytes);
}
/// @}

/// What ranks share: a private folder, removed at the end. `setup.json` is for all; at `rank-R.at` a rank notes its op, and
/// in `rank-R.cbor` it leaves its result or failure.
struct run_directory {
  explicit run_directory(const run_setup& setup) {
    std::string name = (std::filesystem::temp_directory_path() / "executor-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
    path = name;
    std::ofstream(path / "setup.json") << nlohmann::json(setup);
  }
  run_directory(const run_directory&) = delete;
  run_directory& operator=(const run_directory&) = delete;
  ~run_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  std::filesystem::path path{};
};

/// Child processes: who leaves has killed and reaped them.
struct children {
  children() = default;
  children(const children&) = delete;
  children& operator=(const children&) = delete;
  ~children() {
    for (const pid_t each : running) {
      if (each != 0) ::kill(each, SIGKILL), ::waitpid(each, nullptr, 0);
    }
  }
  void start(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& each : words) arguments.push_back(const_cast<char*>(each.c_str()));
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int error = ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
    if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start " + words[0]);
    running.push_back(child);
  }

  std::vector<pid_t> running{};  ///< 0: has ended
};

/// What an ended process of a rank left.
/// @throws rank_failed with its failure, or with how it ended
[[nodiscard]] inline rank_result result_of(const std::filesystem::path& directory, std::size_t rank, int status) {
  std::string at;
  std::getline(std::ifstream(directory / fmt::format("rank-{}.at", rank)), at, '\0');
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    throw rank_failed(rank, at, fmt::format("killed by signal {} ({})", number, ::strsignal(number)), true);
  }
  std::ifstream file(directory / fmt::format("rank-{}.cbor", rank), std::ios::binary);
  const nlohmann::json said = nlohmann::json::from_cbor(file, true, false);
  if (!said.is_object()) throw rank_failed(rank, at, fmt::format("ended with code {}", WEXITSTATUS(status)), true);
  if (said.contains("failed")) throw rank_failed(said.at("failed").get<std::string>(), said.at("is_cause").get<bool>());
  return said.get<rank_result>();
}

/// Runs every rank in a process of its own, with sockets between them.
///
/// @param program  called as `PROGRAM rank --directory DIRECTORY --rank RANK`, it is to call `run_rank_process`
/// @return         what they bring back, rank by rank
/// @throws         rank_failed of the rank that failed first, once all have ended: the others notice. One that has not
///                 within the time limit hangs, is killed, and it is told which
[[nodiscard]] inline std::vector<rank_result> run_processes(const run_setup& setup, const std::string& program) {
  const run_directory here(setup);
  std::vector<rank_result> results(setup.order.ranks());
  children ranks;
  for (std::size_t r = 0; r < results.size(); ++r) {
    ranks.start({program, "rank", "--directory", here.path.string(), "--rank", std::to_string(r)});
  }
  std::optional<rank_failed> failure;
  bool hangs = false;
  double end = std::numeric_limits<double>::infinity();
  for (std::size_t left = results.size(); left != 0; std::this_thread::sleep_for(std::chrono::milliseconds(2))) {
    const bool over = steady_seconds() > end;
    for (std::size_t r = 0; r < results.size(); ++r) {
      pid_t& child = ranks.running[r];
      if (child == 0) continue;
      if (over) ::kill(child, SIGKILL);
      int status = 0;
      if (::waitpid(child, &status, WNOHANG) == 0) continue;
      child = 0;
      --left;
      try {
        results[r] = result_of(here.path, r, status);
      } catch (const rank_failed& error) {
        end = std::min(end, steady_seconds() + setup.timeout);
        if (over && !hangs && WIFSIGNALED(status)) {
          hangs = true;
          failure = rank_failed(fmt::format("{}, as it went on for {} s after: {}", error.what(), setup.timeout,
                                            failure->what()), true);
        } else if (!failure || (error.is_cause && !failure->is_cause)) {
          failure = error;
        }
      }
    }
  }
  if (failure) throw rank_failed(*failure);
  return results;
}

/// The process of a rank, started by `run_processes`: ends when its parent does.
/// @return  its exit code
[[nodiscard]] inline int run_rank_process(const std::filesystem::path& directory, std::size_t rank) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  run_setup setup;
  std::optional<socket_transport> links;  // lasts until all is told: the others know of it by its end
  nlohmann::json said;
  try {
    nlohmann::json::parse(std::ifstream(directory / "setup.json")).get_to(setup);
    const std::string note = directory / fmt::format("rank-{}.at", rank);
    std::ofstream(note) << std::string(64, '\0');
    using namespace boost::interprocess;
    const mapped_region at(file_mapping(note.c_str(), read_write), read_write);
    links.emplace(directory, rank, setup.order.ranks(), setup.message_floats(), setup.timeout, delay_of(setup));
    if (!setup.timed()) pin_thread(rank);  // not what reads
    host_device core;
    said = rank_runner(setup, rank, core, *links, *links, {static_cast<char*>(at.get_address()), at.get_size()}).run();
  } catch (const rank_failed& error) {
    said = {{"failed", error.what()}, {"is_cause", error.is_cause}};
  } catch (const std::exception& error) {
    said = {{"failed", rank_failed(rank, "", error.what(), true).what()}, {"is_cause", true}};
  }
  std::ofstream file(directory / fmt::format("rank-{}.cbor", rank), std::ios::binary);
  nlohmann::json::to_cbor(said, file);
  return file.flush() && !said.contains("failed") ? 0 : 1;
}

}  // namespace executor
