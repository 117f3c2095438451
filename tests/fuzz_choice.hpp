// SPDX-License-Identifier: BSL-1.0
// Several fuzzers in one program, which share what takes long to compile: `PROGRAM NAME_fuzz FLAG...` runs one of `FUZZERS`, if the
// environment variable STAGECUT_FUZZ_SECONDS is set for as long as it says.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using fuzzer = int (*)(const std::uint8_t*, std::size_t);
fuzzer chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  static std::vector<char*> kept;
  static std::string seconds = "-max_total_time=";
  constexpr struct {
    std::string_view name;
    fuzzer run;
  } fuzzers[] = {FUZZERS};
  const std::string_view name = *count > 1 ? (*words)[1] : "";
  for (const auto& each : fuzzers) {
    if (each.name == name) chosen = each.run;
  }
  if (chosen == nullptr) {
    for (const auto& each : fuzzers) std::printf("%s\n", each.name.data());
    std::exit(2);
  }
  kept.assign(*words, *words + *count);
  kept.erase(kept.begin() + 1);
  if (const char* const asked = std::getenv("STAGECUT_FUZZ_SECONDS")) {
    seconds += asked;
    kept.push_back(seconds.data());  // the last one counts
  }
  *words = kept.data();
  *count = static_cast<int>(kept.size());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { return chosen(data, size); }
