// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "output/stop_signals.hpp"
#include "options/quantity.hpp"

/// The target of an output name, after symbolic links.
struct output_target {
  std::string path;                  ///< of the file after all links
  std::optional<struct stat> there;  ///< the existing file; unset: none
  std::optional<int> descriptor;     ///< already open in this program: /dev/stdout, /proc/self/fd/7

  /// Whether a new file replaces it; anything else is written in place.
  [[nodiscard]] bool replaced() const { return !descriptor && (!there || S_ISREG(there->st_mode)); }

  /// Its folder.
  [[nodiscard]] std::string folder() const {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    return parent.empty() ? "." : parent;
  }
};

namespace detail {

/// The descriptor of this program that a name under /proc or /dev/fd denotes.
inline std::optional<int> own_descriptor(const std::filesystem::path& name) {
  std::error_code none;
  const std::string folder = std::filesystem::canonical(name.parent_path(), none).string();
  if (none || folder != "/proc/" + std::to_string(::getpid()) + "/fd") return std::nullopt;
  const auto number = parse_count(name.filename().string());
  return number && *number < (1U << 30U) ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

}  // namespace detail

/// Follows the links of an output's name, also a dangling one.
/// @throws std::system_error if that fails
inline output_target find_target(const std::string& name) {
  const auto refuse = [&](int why) {
    throw std::system_error(why, std::generic_category(), name + ": could not be written");
  };
  output_target result;
  struct stat there {};
  std::filesystem::path path = name;
  std::error_code error;
  for (int links = 0; std::filesystem::is_symlink(std::filesystem::symlink_status(path, error)); ++links) {
    if (links == 40) refuse(ELOOP);
    result.descriptor = detail::own_descriptor(path);
    if (result.descriptor) break;
    const std::filesystem::path next = std::filesystem::read_symlink(path, error);
    if (error) refuse(error.value());
    path = path.parent_path() / next;  // `next` alone if it is absolute
  }
  result.path = path.string();
  if (::stat(name.c_str(), &there) == 0) {
    result.there = there;
    return result;
  }
  const int why = errno;
  if (why != ENOENT) refuse(why);
  if (::stat(result.folder().c_str(), &there) != 0) refuse(errno);
  return result;
}

/// Rejects, before any work, an output that cannot be written, or that is one of the inputs: `-` is standard input, an
/// empty name is none.
/// @param option  that names it
/// @throws std::system_error; std::invalid_argument for an input
inline void check_output(const std::string& name, const std::vector<std::string>& inputs,
                         const std::string& option = "--output") {
  if (name.empty()) return;
  const auto require = [&](int status, const std::string& what) {
    if (status == 0) return;
    const int why = errno;
    throw std::system_error(why, std::generic_category(), what + ": could not be written");
  };
  const output_target target = find_target(name);
  if (target.there && S_ISDIR(target.there->st_mode)) {
    throw std::system_error(EISDIR, std::generic_category(), name + ": could not be written");
  }
  for (const std::string& input : inputs) {
    struct stat there {};
    if (input.empty() || !target.there || !S_ISREG(target.there->st_mode)) continue;
    const int failed = input == "-" ? ::fstat(STDIN_FILENO, &there) : ::stat(input.c_str(), &there);
    if (failed != 0) continue;  // reading reports it
    if (there.st_dev == target.there->st_dev && there.st_ino == target.there->st_ino) {
      throw std::invalid_argument(option + ": " + name + " is an input" + (input == name ? "" : ", " + input));
    }
  }
  if (target.there && !target.descriptor) require(::access(target.path.c_str(), W_OK), name);
  if (target.replaced()) require(::access(target.folder().c_str(), W_OK | X_OK), name + ": its folder");
}

/// Writes a file completely or not at all: to a temporary file next to the target, which `commit` moves into place. An
/// output that is not a file, such as a pipe, is written in place, and so is standard output.
class output_file {
 public:
  /// @param name  of a file, whose links are followed and whose permissions are kept; empty: standard output
  /// @throws      std::system_error if it cannot be opened
  explicit output_file(std::string name) : name_(std::move(name)) {
    if (name_.empty()) {
      file_ = stdout;
      return;
    }
    const output_target target = find_target(name_);
    target_ = target.path;
    int opened = -1;
    if (target.replaced()) {
      opened = create(target);
    } else {
      opened = target.descriptor ? ::dup(*target.descriptor) : ::open(name_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    }
    if (opened < 0) refuse();
    file_ = ::fdopen(opened, "wb");
    if (file_ == nullptr) refuse();
  }
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  /// Removes what was not committed.
  ~output_file() {
    if (file_ != nullptr && file_ != stdout) (void)std::fclose(file_);
    drop();
  }

  /// Writes a part.
  /// @throws std::system_error if the disk is full
  void write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) refuse();
  }

  /// Moves the file into place; no writes may follow.
  /// @throws std::system_error if that fails; an existing file is then unchanged
  void commit() {
    if (std::fflush(file_) != 0) refuse();
    if (file_ == stdout) return;
    // A full disk may only be noticed here. Targets that cannot be synchronized are not disks.
    if (!beside_.empty() && ::fsync(::fileno(file_)) != 0 && errno != EINVAL && errno != ENOTSUP) refuse();
    std::FILE* const file = std::exchange(file_, nullptr);
    if (std::fclose(file) != 0) refuse();
    if (beside_.empty()) return;
    if (std::rename(beside_.c_str(), target_.c_str()) != 0) refuse();
    stop_signals::keep_at_end();
    beside_.clear();
  }

 private:
  [[noreturn]] void refuse() {
    const int why = errno;
    drop();
    throw std::system_error(why, std::generic_category(),
                            name_.empty() ? "the output could not be written" : name_ + ": could not be written");
  }

  /// Removes the temporary file.
  void drop() {
    if (beside_.empty()) return;
    ::unlink(beside_.c_str());
    stop_signals::keep_at_end();
    beside_.clear();
  }

  /// Creates a temporary file next to the target, with its permissions.
  int create(const output_target& target) {
    const stop_signals::held_back until_known;
    std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit is an ordinary error
    const mode_t mode = target.there ? 0600 : 0666;
    int opened = -1;
    for (int i = 0; i < 1000 && opened < 0; ++i) {
      const std::string name =
          (std::filesystem::path(target.folder()) / fmt::format(".stagecut-{}-{}", ::getpid(), i)).string();
      opened = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      if (opened >= 0) beside_ = name;
      if (opened < 0 && errno != EEXIST) return opened;
    }
    if (opened < 0) return opened;
    stop_signals::remove_at_end(beside_);
    if (!target.there) return opened;
    struct stat made {};
    const bool other =
        ::fstat(opened, &made) == 0 && (made.st_uid != target.there->st_uid || made.st_gid != target.there->st_gid);
    // Only some users may give files away: otherwise the writer owns it.
    if (other && ::fchown(opened, target.there->st_uid, target.there->st_gid) != 0) errno = 0;
    if (::fchmod(opened, target.there->st_mode & 07777U) == 0) return opened;
    const int why = errno;
    ::close(opened);
    errno = why;
    return -1;
  }

  std::string name_;
  std::string target_;
  std::string beside_;  // the temporary file; empty: none
  std::FILE* file_ = nullptr;
};
