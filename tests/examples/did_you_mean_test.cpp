// SPDX-License-Identifier: BSL-1.0
#include "options/did_you_mean.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace {

/// All words that one step makes of another, of the letters a to c.
std::vector<std::string> one_step_from(const std::string& word) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i <= word.size(); ++i) {
    for (const char letter : {'a', 'b', 'c'}) {
      result.push_back(word.substr(0, i) + letter + word.substr(i));
      if (i < word.size()) result.push_back(word.substr(0, i) + letter + word.substr(i + 1));
    }
    if (i < word.size()) result.push_back(word.substr(0, i) + word.substr(i + 1));
    if (i + 1 < word.size()) result.push_back(word.substr(0, i) + word[i + 1] + word[i] + word.substr(i + 2));
  }
  return result;
}

}  // namespace

TEST_CASE("an edit is a letter more, less or another one, or two neighbours that change places") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("devices", "devices") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("device", "devices") == 1);
  CHECK(edit_distance("devcies", "devices") == 1);
  CHECK(edit_distance("megtron", "megatron") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("ca", "abc") == 3);  // no letter is edited twice
}

TEST_CASE("short words one step apart have distance 1, those of two steps at most 3") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::string word;
    for (std::size_t size = random() % 6; word.size() < size;) word += static_cast<char>('a' + random() % 3);
    for (const std::string& near : one_step_from(word)) {
      CAPTURE(word);
      CAPTURE(near);
      CHECK(edit_distance(word, near) == (word == near ? 0 : 1));
      CHECK(edit_distance(near, word) == edit_distance(word, near));
    }
    const auto steps = one_step_from(word);
    const auto further = one_step_from(steps[random() % steps.size()]);
    CHECK(edit_distance(word, further[random() % further.size()]) <=
          3);  // 3 where a letter comes between two that change places
  }
}

TEST_CASE("the nearest word is told, and none where none is near") {
  const std::vector<std::string> known = {"--devices", "--device-speeds", "--memory", "--memory-buffer", "1f1b",
                                          "zb-h1"};
  CHECK(nearest_word("--device", known) == "--devices");
  CHECK(nearest_word("--device-sp", known) == "--device-speeds");
  CHECK(nearest_word("--mem", known) == "--memory");
  CHECK(nearest_word("1f1", known) == "1f1b");
  CHECK(nearest_word("zbh1", known) == "zb-h1");
  CHECK(nearest_word("--colour", known).empty());
  CHECK(nearest_word("@", known).empty());
  CHECK(nearest_word("--", known).empty());
  CHECK(nearest_word(std::string(100, 'x'), known).empty());
  CHECK(nearest_word("--device", {}).empty());
  CHECK(nearest_word("llama-2-7", {"llama-2-70b", "llama-2-7b"}) == "llama-2-7b");
  CHECK(did_you_mean("--device", known) == ": did you mean --devices?");
  CHECK(did_you_mean("fastest", known).empty());
}

TEST_CASE("large letters are no other letters") {
  const std::vector<std::string> known = {"a100-80gb", "h100-80gb", "B200"};
  CHECK(nearest_word("H100", known) == "h100-80gb");
  CHECK(nearest_word("A100-80GB", known) == "a100-80gb");
  CHECK(nearest_word("b200", known) == "B200");
}
