// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/stage_links.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// Checks a picture part by part.
class picture_check {
 public:
  picture_check(std::string_view function, const pipeline_picture& picture);

 private:
  void require(bool holds, std::string_view argument, std::size_t value, std::string_view problem) const;

  void check_size(std::string_view argument, std::size_t size, bool may_be_empty) const;

  [[nodiscard]] static bool is_update(op_kind kind) { return !is_compute(kind) && !is_transfer(kind); }
  [[nodiscard]] static bool is_amount(double value);

  void check(const timed_op<double>& each) const;

  void check(const rank_memory<double>& rank) const;

  std::string_view function_;
  const pipeline_picture& picture_;
  std::optional<stagecut::detail::stage_links> links_{};  // once the edges are known to name stages
};

}  // namespace detail

/// Rejects a picture whose parts contradict each other, or whose figures are invalid times and amounts, so that drawing
/// need not check again.
/// @param function  the caller that draws it, for the error
/// @throws          argument_error naming the part
inline void check_picture(std::string_view function, const pipeline_picture& picture) {
  static_cast<void>(detail::picture_check(function, picture));
}

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/check_picture.ipp>
#endif
