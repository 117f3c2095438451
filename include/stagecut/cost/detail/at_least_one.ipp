// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/cost/at_least_one.hpp>

#include <cstddef>
#include <optional>
#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL bool at_least_one::operator()(std::size_t, std::size_t first, std::size_t last) const {
  if (last > size()) refuse(last);
  return before_[first] < before_[last];
}

STAGECUT_DECL bool at_least_one::hopeless(std::size_t, std::size_t first, std::size_t last) const {
  if (last > size()) refuse(last);
  return before_[first] == before_.back();
}

STAGECUT_DECL std::optional<reason> at_least_one::obstacle(std::size_t items, std::size_t stages) const {
  if (items != size()) refuse(items);
  const std::size_t all = before_.back();
  if (stages <= all) return std::nullopt;
  return reason{
      reason::cause::constraint, stages, all,
      detail::joined({stages, stages == 1 ? " stage needs " : " stages need ", stages, stages == 1 ? " item" : " items",
                      " of the kind, and there ", all == 1 ? "is " : "are ", all}),
      all == 0 ? "" : detail::joined({"ask for at most ", all})};
}

STAGECUT_DECL void at_least_one::refuse(std::size_t items) const {
  detail::fail(argument_error("at_least_one", "items", std::to_string(size()),
                              detail::joined({"must be the number of layers of the chain, ", items})));
}

}  // namespace stagecut::inline STAGECUT_ABI
