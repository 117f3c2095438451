// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/column_names.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace io = stagecut::io::detail;

namespace {

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  for (std::string word = io::take_word(name); !word.empty(); word = io::take_word(name)) words.push_back(word);
  return words;
}

using words_t = std::vector<std::string>;

}  // namespace

TEST_CASE("names fall into words, however they are written") {
  for (const char* const name :
       {"forward_time_ms", "Forward Time (ms)", "forward-time[MS]", "forwardTimeMs", " forward  time/ms "}) {
    CHECK(words_of(name) == words_t{"forward", "time", "ms"});
  }
  CHECK(words_of("#params") == words_t{"#", "params"});
  CHECK(words_of("Param #") == words_t{"param", "#"});
  CHECK(words_of("param#2") == words_t{"param", "#", "2"});
  CHECK(words_of("actMiB") == words_t{"act", "mib"});
  CHECK(words_of("fwd_\xC2\xB5s") == words_t{"fwd", "us"});
  CHECK(words_of("fwd [\xCE\xBCs]") == words_t{"fwd", "us"});
  CHECK(words_of("gr\xC3\xB6\xC3\x9F"
                 "e") == words_t{"gr\xC3\xB6\xC3\x9F"
                                 "e"});
  for (const char* const name : {"act_kB", "act(kB)", "actKB", "act kb"}) CHECK(words_of(name) == words_t{"act", "kb"});
  CHECK(words_of("mB") == words_t{"mb"});
  CHECK(words_of("fwd\xC2\xA0(ms)\xC2\xA0") == words_t{"fwd", "ms"});
  CHECK(words_of("actB") == words_t{"act", "b"});
  CHECK(words_of("fwd %") == words_t{"fwd", "%"});
  CHECK(words_of("$fwd+bwd") == words_t{"$", "fwd", "+", "bwd"});
  CHECK(words_of("").empty());
  CHECK(words_of(" -_").empty());
}

TEST_CASE("units turn numbers into seconds, bytes and counts") {
  CHECK((*io::find_unit("ms"))(3) == 3e-3);
  CHECK((*io::find_unit("usec"))(0.7) == 0.7 / 1e6);
  CHECK((*io::find_unit("nanoseconds"))(5) == 5e-9);
  CHECK((*io::find_unit("s"))(5) == 5);
  CHECK((*io::find_unit("kb"))(2) == 2000);
  CHECK((*io::find_unit("mib"))(2) == 2097152);
  CHECK((*io::find_unit("gigabytes"))(2) == 2e9);
  CHECK((*io::find_unit("tib"))(1) == 1099511627776);
  CHECK((*io::find_unit("m"))(3) == 3e6);
  CHECK(io::find_unit("MS") == nullptr);
  CHECK(io::find_unit("min") == nullptr);
  CHECK(io::part_of("fwd") == io::part_forward);
  CHECK(io::part_of("fw") == io::part_other);
}

TEST_CASE("no word stands twice, and none is a unit as well") {
  for (const io::column_unit& unit : io::column_units) {
    CHECK(io::find_unit(unit.word) == &unit);
    CHECK(io::part_of(unit.word) == io::part_other);
  }
}
