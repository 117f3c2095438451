// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/cost/forbidden_cuts.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL forbidden_cuts::forbidden_cuts(std::size_t items, const std::vector<std::size_t>& cuts)
    : items_(items), forbidden_(items / word_bits + 1), allowed_(items == 0 ? 0 : items - 1) {
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    if (cuts[i] == 0 || cuts[i] >= items) {
      detail::fail(argument_error("forbidden_cuts", detail::joined({"cuts[", i, "]"}), std::to_string(cuts[i]),
                                  detail::joined({"must be above 0 and below the number of items, ", items})));
    }
    if (!forbids(cuts[i])) --allowed_;
    forbidden_[cuts[i] / word_bits] |= std::uint64_t{1} << (cuts[i] % word_bits);
  }
}

STAGECUT_DECL bool forbidden_cuts::operator()(std::size_t, std::size_t first, std::size_t last) const {
  if (last > size()) refuse(last);
  return !forbids(first) && !forbids(last);
}

STAGECUT_DECL std::optional<reason> forbidden_cuts::obstacle(std::size_t items, std::size_t stages) const {
  if (items != size()) refuse(items);
  if (stages <= allowed_ + 1) return std::nullopt;
  return reason{reason::cause::constraint, stages - 1, allowed_,
                detail::joined({stages, " stages need ", stages - 1, stages == 2 ? " cut, and " : " cuts, and ",
                                allowed_, allowed_ == 1 ? " is allowed" : " are allowed"}),
                detail::joined({"ask for at most ", allowed_ + 1})};
}

STAGECUT_DECL void forbidden_cuts::refuse(std::size_t items) const {
  detail::fail(argument_error("forbidden_cuts", "items", std::to_string(size()),
                              detail::joined({"must be the number of layers of the chain, ", items})));
}

}  // namespace stagecut::inline STAGECUT_ABI
