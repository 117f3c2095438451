// SPDX-License-Identifier: BSL-1.0
#include "output/output_file.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

/// A folder for a test, removed after it.
struct folder {
  folder() {
    std::string name = (fs::temp_directory_path() / "stagecut-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~folder() { fs::remove_all(path); }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;

  [[nodiscard]] std::string operator/(std::string_view name) const { return (path / name).string(); }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(path), fs::directory_iterator());
  }

  fs::path path{};
};

void fill(const std::string& name, std::string_view text) { std::ofstream(name, std::ios::binary) << text; }

std::string text_of(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const std::string& name, std::string_view text) {
  output_file file(name);
  file.write(text);
  file.commit();
}

mode_t mode_of(const std::string& name) {
  struct stat there {};
  REQUIRE(::stat(name.c_str(), &there) == 0);
  return there.st_mode & 07777U;
}

/// What a function says when it throws.
template <class Error, class Function>
std::string said(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

/// How a child ends that does this.
template <class Function>
int end_of_child(const Function& function) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    function();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

}  // namespace

TEST_CASE("a file is written as a whole, in parts") {
  const folder here;
  const std::string name = here / "plan.json";
  {
    output_file file(name);
    file.write("one ");
    file.write(std::string(100000, 'x'));
    CHECK_FALSE(fs::exists(name));
    CHECK(here.files() == 1);  // including the temporary file next to its place
    file.write(" two");
    file.commit();
  }
  CHECK(text_of(name) == "one " + std::string(100000, 'x') + " two");
  CHECK(here.files() == 1);
}

TEST_CASE("what is not finished leaves the old file as it was, and nothing beside it") {
  const folder here;
  const std::string name = here / "plan.json";
  fill(name, "old");
  {
    output_file file(name);
    file.write(std::string(100000, 'x'));
    CHECK(text_of(name) == "old");
  }
  CHECK(text_of(name) == "old");
  CHECK(here.files() == 1);
  put(name, "new");
  CHECK(text_of(name) == "new");
  CHECK(here.files() == 1);
}

TEST_CASE("a file that grows too large is an error, and the old one stays") {
  const folder here;
  const std::string name = here / "plan.json";
  fill(name, "old");
  const int status = end_of_child([&] {
    const rlimit least{4096, 4096};
    if (::setrlimit(RLIMIT_FSIZE, &least) != 0) ::_exit(1);
    const std::string what = said<std::system_error>([&] { put(name, std::string(100000, 'x')); });
    ::_exit(what.find("plan.json: could not be written: File too large") != std::string::npos ? 7 : 2);
  });
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 7));
  CHECK(text_of(name) == "old");
  CHECK(here.files() == 1);
}

TEST_CASE("permissions are kept, and those of a new file are what the mask leaves") {
  const folder here;
  const std::string name = here / "plan.json";
  const mode_t before = ::umask(027);
  put(name, "1");
  CHECK(mode_of(name) == 0640);
  for (const mode_t mode : {0600U, 0666U, 0755U}) {
    REQUIRE(::chmod(name.c_str(), mode) == 0);
    put(name, "2");
    CHECK(mode_of(name) == mode);
  }
  ::umask(before);
}

TEST_CASE("links stay, and what they lead to is replaced") {
  const folder here;
  fs::create_directory(here.path / "deep");
  fill(here / "deep/plan.json", "old");
  fs::create_symlink("deep/plan.json", here / "link");
  fs::create_symlink("link", here / "second");
  put(here / "second", "new");
  CHECK(text_of(here / "deep/plan.json") == "new");
  CHECK(fs::is_symlink(here / "second"));
  CHECK(fs::is_symlink(here / "link"));
  CHECK(here.files() == 3);

  fs::create_symlink("deep/other.json", here / "nothing");
  put(here / "nothing", "made");
  CHECK(fs::is_symlink(here / "nothing"));
  CHECK(text_of(here / "deep/other.json") == "made");

  fs::create_symlink("round", here / "round");
  CHECK(said<std::system_error>([&] { put(here / "round", ""); }).find("round: could not be written: Too many") !=
        std::string::npos);
}

TEST_CASE("what is no file is written to as it is") {
  const folder here;
  put("/dev/null", "gone");
  CHECK(said<std::system_error>([] { put("/dev/full", "x"); }) ==
        "/dev/full: could not be written: No space left on device");
  fs::create_symlink("/dev/full", here / "full");
  CHECK(said<std::system_error>([&] { put(here / "full", "x"); }).ends_with("No space left on device"));
  CHECK(fs::is_symlink(here / "full"));

  REQUIRE(::mkfifo((here / "pipe").c_str(), 0600) == 0);
  const int reader = ::open((here / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  put(here / "pipe", "through");
  char read[16] = {};
  CHECK(::read(reader, read, sizeof(read)) == 7);
  CHECK(std::string_view(read) == "through");
  ::close(reader);
  CHECK(fs::is_fifo(here / "pipe"));

  // A file that is open already goes on where it is, as with the shell's `>> file`.
  fill(here / "log", "before ");
  const int open = ::open((here / "log").c_str(), O_WRONLY | O_APPEND);
  REQUIRE(open >= 0);
  for (const char* const of : {"/proc/self/fd/", "/dev/fd/"}) put(of + std::to_string(open), "more ");
  ::close(open);
  CHECK(text_of(here / "log") == "before more more ");
}

TEST_CASE("an output that cannot be is refused before the work") {
  const folder here;
  const auto refusal = [&](const std::string& name) {
    return said<std::system_error>([&] { check_output(name, {}); });
  };
  CHECK(refusal(here.path.string()) == here.path.string() + ": could not be written: Is a directory");
  CHECK(refusal(here / "no/such").ends_with("no/such: could not be written: No such file or directory"));
  fill(here / "file", "");
  CHECK(refusal(here / "file/plan").ends_with("could not be written: Not a directory"));
  CHECK(refusal(here / "file") == "nothing");
  CHECK(refusal(here / "new") == "nothing");
  CHECK(refusal("/dev/full") == "nothing");
  CHECK(refusal("") == "nothing");
  CHECK_FALSE(fs::exists(here / "new"));
  if (::geteuid() == 0) return;  // may write everywhere
  fs::permissions(here / "file", fs::perms::owner_read);
  CHECK(refusal(here / "file").ends_with("file: could not be written: Permission denied"));
  fs::permissions(here.path, fs::perms::owner_read | fs::perms::owner_exec);
  CHECK(refusal(here / "new").ends_with("its folder: could not be written: Permission denied"));
  fs::permissions(here.path, fs::perms::owner_all);
}

TEST_CASE("an input is no output, by whatever name") {
  const folder here;
  const auto refusal = [&](const std::string& name, const std::string& input) {
    return said<std::invalid_argument>([&] { check_output(name, {"", "-", "no/such", input}); });
  };
  const std::string input = here / "in";
  fill(input, "profile");
  fill(here / "other", "profile");
  fs::create_symlink("in", here / "soft");
  fs::create_hard_link(input, here / "hard");
  CHECK(refusal(input, input) == "--output: " + input + " is an input");
  for (const char* const name : {"soft", "hard"}) {
    CHECK(refusal(here / name, input) == "--output: " + (here / name) + " is an input, " + input);
    CHECK(refusal(input, here / name) == "--output: " + input + " is an input, " + (here / name));
  }
  CHECK(refusal(here / "other", input) == "nothing");
  CHECK(refusal(here / "new", input) == "nothing");
  CHECK(refusal("/dev/null", "/dev/null") == "nothing");
}

TEST_CASE("a signal that ends the program removes what is unfinished") {
  const folder here;
  const std::string name = here / "plan.json";
  fill(name, "old");
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = end_of_child([&] {
      output_file file(name);
      file.write(std::string(100000, 'x'));
      if (here.files() != 2) ::_exit(1);
      ::raise(number);
    });
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == number));
    CHECK(text_of(name) == "old");
    CHECK(here.files() == 1);
  }
}

TEST_CASE("in a search the first signal asks, and the second ends the program") {
  const folder here;
  const std::string name = here / "plan.json";
  for (const int first : {SIGINT, SIGTERM}) {
    for (const int second : {SIGINT, SIGTERM}) {
      const int status = end_of_child([&] {
        stop_signals::begin_search(false);
        if (stop_signals::asked()) ::_exit(1);
        ::raise(first);
        if (!stop_signals::asked()) ::_exit(2);
        output_file file(name);
        file.write("x");
        ::raise(second);
      });
      CHECK((WIFSIGNALED(status) && WTERMSIG(status) == second));
      CHECK(here.files() == 0);
    }
  }
  const int ignored = end_of_child([&] {
    std::signal(SIGINT, SIG_IGN);  // as a shell does for what runs in the background
    stop_signals::begin_search(false);
    ::raise(SIGINT);
    ::raise(SIGINT);
    ::_exit(stop_signals::asked() ? 1 : 7);
  });
  CHECK((WIFEXITED(ignored) && WEXITSTATUS(ignored) == 7));
}
