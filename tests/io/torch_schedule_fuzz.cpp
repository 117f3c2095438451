// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is read as a schedule of PyTorch's, which is sound and is read back as it is written, or it
// is refused with a place.
#include <stagecut/io/frameworks/torch_schedule.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/lower_transfers.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz.hpp"

namespace io = stagecut::io;

/// Ends the program unless a schedule is sound and either can be written, and is read back, or runs into a deadlock.
inline void require_schedule(const stagecut::schedule& all) {
  stagecut::check_schedule(all);
  for (const io::torch_format format : {io::torch_format::compute_only, io::torch_format::compute_comms}) {
    std::string text;
    try {
      text = io::as_torch_schedule(all, format, io::torch_backward::as_given);
      (void)io::as_torch_schedule(all, format);
    } catch (const stagecut::invalid_input& error) {
      require(std::string_view(error.what()).starts_with("schedule: deadlock: "));
      continue;
    }
    const stagecut::schedule again = io::parse_torch_schedule(text, "again");
    require(io::as_torch_schedule(again, format, io::torch_backward::as_given) == text);
    if (format != io::torch_format::compute_comms) continue;
    const std::string bare = io::as_torch_schedule(all, format, io::torch_backward::as_given, io::torch_version::v2_9);
    require(io::parse_torch_schedule(bare, "bare") == stagecut::lower_transfers(all));
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz(data, size, [](std::string_view text, std::string_view source) {
    require_schedule(io::parse_torch_schedule(text, source, io::torch_letters::current, limits_for(text)));
  });
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    require_schedule(io::parse_torch_schedule(text, source, io::torch_letters::old, limits_for(text)));
  });
}
