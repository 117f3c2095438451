// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, and whatever family it is read as, it is an architecture that `check` accepts, with finite
// counts, that is read back equal from what is written; or `invalid_input` with a place.
#include <stagecut/io/json/hugging_face_config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/io/json/transformer_config.hpp>
#include <stagecut/profile/parameters.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// As it says, more often than as one of each kind of rules.
constexpr const char* families[] = {"",
                                    "",
                                    "",
                                    "",
                                    "",
                                    "llama",
                                    "plain",
                                    "qwen2_moe",
                                    "",
                                    "gemma3",
                                    "llama4",
                                    "deepseek_v3",
                                    "nemotron_h",
                                    "kimi_linear",
                                    "deepseek_v4",
                                    "jamba",
                                    "qwen3_5",
                                    "nemotron-nas"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const char* const family = families[size % (sizeof families / sizeof *families)];
  stagecut::io::transformer_config made;
  try {
    made.architecture = stagecut::io::read_hugging_face_config(text, "fuzz", family, {.depth = 1 + size % 200});
  } catch (const stagecut::invalid_input& error) {
    if (!error.place().starts_with("fuzz")) std::abort();
    return 0;
  }
  stagecut::transformer::check(made.architecture, made.training);
  const auto counted = stagecut::transformer::count_parameters(made.architecture);
  for (const double x : {counted.total, counted.active, counted.further, counted.vision}) {
    if (!stagecut::is_finite(x) || stagecut::is_negative(x)) std::abort();
  }
  if (counted.active > counted.total) std::abort();
  if (stagecut::io::read_transformer_config(stagecut::io::as_json(made), "back") != made) std::abort();
  return 0;
}
