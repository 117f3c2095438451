// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/file.hpp>
#include <stagecut/io/frameworks/torch_schedule.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/io/tables/csv.hpp>
#include <stagecut/io/tables/pipedream.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <streambuf>
#include <string>

#include "../refusal.hpp"

namespace io = stagecut::io;

namespace {

std::string content(const std::string& file) {
  std::ifstream stream(STAGECUT_TEST_DATA "/io/seeds/" + file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A stream without an end, which knows how much was read of it.
class endless : public std::streambuf {
 public:
  std::size_t given = 0;

 protected:
  int_type underflow() override {
    given += sizeof part_;
    setg(part_, part_, part_ + sizeof part_);
    return traits_type::to_int_type(part_[0]);
  }

 private:
  char part_[1000] = {};
};

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::string profile_with(std::size_t depth) {
  return R"({"schema": "stagecut-profile-2", "layers": [{"forward": 1, "x": )" + nested(depth) + "}]}";
}

}  // namespace

TEST_CASE("every reader takes a text of the limit's size, and none that is larger") {
  const std::string limit = ", the most that is read unless --input-limit allows more, in C++ read_limits::bytes";
  const auto check = [&](const std::string& file, const auto& read) {
    const std::string text = content(file);
    REQUIRE(text.size() > 10);
    CHECK(refusal([&] { read(text, io::read_limits{.bytes = text.size()}); }) == "not refused");
    CHECK(refusal([&] { read(text, io::read_limits{.bytes = text.size() - 1}); }) ==
          "x: is larger than " + std::to_string(text.size() - 1) + " bytes" + limit);
    std::istringstream stream(text);
    CHECK(io::stream_text(stream, "x", {.bytes = text.size()}) == text);
    stream.clear();
    stream.seekg(0);
    CHECK(refusal([&] { (void)io::stream_text(stream, "x", {.bytes = text.size() - 1}); }).ends_with(limit));
    const std::string path = STAGECUT_TEST_DATA "/io/seeds/" + file;
    CHECK(io::file_text(path, {.bytes = text.size()}) == text);
    CHECK(refusal([&] { (void)io::file_text(path, {.bytes = 3}); }) ==
          path + ": is larger than 3 bytes" + limit);
  };
  using text_t = const std::string&;
  using limits_t = const io::read_limits&;
  check("csv/list.csv", [](text_t text, limits_t limits) { (void)io::parse_csv(text, "x", limits); });
  check("pipedream/graph.txt", [](text_t text, limits_t limits) { (void)io::parse_pipedream(text, "x", limits); });
  check("json_profile/full.json",
        [](text_t text, limits_t limits) { (void)io::parse_json_profile(text, "x", limits); });
  check("json_plan/full.json", [](text_t text, limits_t limits) { (void)io::parse_json_plan(text, "x", limits); });
  for (const char* const file : {"csv/list.csv", "pipedream/graph.txt", "json_profile/full.json"}) {
    check(file, [](text_t text, limits_t limits) { (void)io::parse_profile(text, "x", limits); });
    check(file, [](text_t text, limits_t limits) {
      std::istringstream stream(text);
      (void)io::read_profile(stream, "x", limits);
    });
  }
  check("json_plan/full.json", [](text_t text, limits_t limits) {
    std::istringstream stream(text);
    (void)io::read_plan(stream, "x", limits);
  });
  const std::string schedule = "0F0,0B0\n";
  CHECK(io::parse_torch_schedule(schedule, "x", io::torch_letters::current, {.bytes = 8}).ranks() == 1);
  CHECK(refusal([&] {
          (void)io::parse_torch_schedule(schedule, "x", io::torch_letters::current, {.bytes = 7});
        }).starts_with("x: is larger than 7 bytes"));
  const std::string path = STAGECUT_TEST_DATA "/io/seeds/csv/list.csv";
  CHECK(refusal([&] { (void)io::read_profile(path, {.bytes = 3}); }).starts_with(path + ": is larger than 3 bytes"));
  CHECK(refusal([&] { (void)io::read_plan(path, {.bytes = 3}); }).starts_with(path + ": is larger than 3 bytes"));
}

TEST_CASE("no more than the limit is read of a stream without an end") {
  endless source;
  std::istream stream(&source);
  CHECK(refusal([&] { (void)io::read_profile(stream, "x", {.bytes = 1000000}); }).starts_with("x: is larger than"));
  CHECK(source.given >= 1000000);
  CHECK(source.given < 1100000);
  // The size that is told is believed before anything is read.
  endless other;
  std::istream unread(&other);
  CHECK(refusal([&] { (void)io::stream_text(unread, "x", {.bytes = 10}, 11); }).starts_with("x: is larger"));
  CHECK(other.given == 0);
}

TEST_CASE("JSON is read up to the limit of depth, and what is not known up to half of it, and all of it is written") {
  const auto read = [](const std::string& text, std::size_t depth) {
    return refusal([&] { (void)io::parse_json_profile(text, "x", {.depth = depth}); });
  };
  CHECK(read(profile_with(31), 64) == "not refused");
  CHECK(read(profile_with(32), 64).starts_with("x#/layers/0: unknown fields are nested deeper than 32, the most"));
  CHECK(read(profile_with(62), 64).find("nested deeper than 64, the most that is read unless --input-depth") !=
        std::string::npos);
  CHECK(read(profile_with(99), 200) == "not refused");
  CHECK(read(profile_with(100), 200) != "not refused");
  CHECK(read(profile_with(1), 4) == "not refused");
  CHECK(read(profile_with(1), 3) != "not refused");
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  CHECK(read(profile_with(499), all) == "not refused");
  CHECK(read(profile_with(500), all).find("nested deeper than 500, ") != std::string::npos);
  CHECK(read(profile_with(100000), all).find("nested deeper than 1000, ") != std::string::npos);
  const auto deep = io::parse_json_profile(profile_with(499), "x", {.depth = 1000});
  CHECK(io::parse_json_profile(io::as_json(deep), "x", {.depth = 1000}) == deep);
}

TEST_CASE("the limits leave room for a million layers") {
  CHECK(io::read_limits().bytes >= 500 * std::size_t{1000000});
  CHECK(io::read_limits().depth == 64);
}
