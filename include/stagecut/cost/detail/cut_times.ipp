// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/cost/cut_times.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/parts/check_links.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL cut_times::cut_times(std::vector<double> bytes, std::vector<link_speed> links)
    : bytes_(std::move(bytes)), links_(std::move(links)) {
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (is_finite(bytes_[i]) && !is_negative(bytes_[i])) continue;
    detail::fail(invalid_input(detail::joined({"bytes[", i, "]"}), "must be finite and not negative"));
  }
  detail::check_links("cut_times", "links", links_);
  double most = 0;
  for (const double each : bytes_) most = std::max(most, each);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (is_finite(links_[i](most))) continue;
    detail::fail(argument_error("cut_times", detail::joined({"links[", i, "].bandwidth"}),
                                std::to_string(links_[i].bandwidth), "must carry every message in a finite time"));
  }
}

STAGECUT_DECL double cut_times::operator()(std::size_t boundary, std::size_t cut) const {
  if (cut == 0 || cut == size()) return 0;
  if (links_.size() != 1 && boundary >= links_.size()) refuse(boundary + 2);
  return time(boundary, cut);
}

STAGECUT_DECL double cut_times::received(std::size_t stage, std::size_t first) const {
  if (links_.size() != 1 && stage > links_.size()) refuse(stage + 1);
  return stage == 0 || first == 0 || first == size() ? 0 : time(stage - 1, first);
}

STAGECUT_DECL double cut_times::sent(std::size_t stage, std::size_t last) const {
  if (links_.size() != 1 && stage > links_.size()) refuse(stage + 1);
  return last == 0 || last == size() || (links_.size() != 1 && stage == links_.size()) ? 0 : time(stage, last);
}

STAGECUT_DECL double cut_times::time(std::size_t boundary, std::size_t cut) const {
  return detail::as_computed(links_[links_.size() == 1 ? 0 : boundary](bytes_[cut - 1]));
}

STAGECUT_DECL void cut_times::refuse(std::size_t stages) const {
  detail::fail(
      argument_error("cut_times", "links.size()", std::to_string(links_.size()),
                     detail::joined({"must be 1, or the number of boundaries between at least ", stages, " stages"})));
}

}  // namespace stagecut::inline STAGECUT_ABI
