// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is dry runs whose ranks hold as many layers as are run in some way, or `invalid_input` with a
// place.
#include <stagecut/io/frameworks/sapp_init.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [&](std::string_view text, std::string_view source) {
    const stagecut::io::sapp_init_options options{.ends_of_last_run = size % 3 == 0, .lenient = size % 2 == 0};
    const auto made = stagecut::io::read_sapp_init(text, source, options, limits_for(text));
    require(made.ranks > 1 && made.layers > 0 && made.dry_runs.peaks.size() >= 2);
    require(!made.dry_runs.choices.empty() && made.dry_runs.choices[0] == "none");
    for (const auto& peak : made.dry_runs.peaks) {
      require(peak.rank < made.ranks && peak.kept.size() == made.dry_runs.choices.size());
      require(stagecut::is_finite(peak.bytes) && !stagecut::is_negative(peak.bytes));
      double kept = 0;
      for (const double count : peak.kept) {
        require(!stagecut::is_negative(count));
        kept += count;
      }
      require(kept == static_cast<double>(peak.layers * (made.ranks - peak.rank)));
    }
    if (made.times) require(stagecut::is_finite(made.times->body) && !stagecut::is_negative(made.times->body));
    if (made.traces) require(made.traces->microbatches > 0);
  });
}
