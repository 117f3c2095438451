// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A way to run all behind a point: what of it the stages before see, and its first stage.
struct replica_label {
  std::uint32_t load = 0;      // replicas, or stages, behind the point: by them memory is counted
  std::uint32_t devices = 0;   // behind the point
  std::uint32_t stages = 0;    // behind the point
  std::uint32_t last = 0;      // where its first stage ends
  std::uint32_t from = 0;      // the label there
  std::uint32_t replicas = 0;  // of its first stage
  std::uint32_t ways = 0;      // likewise
};

/// Which labels may be compared: those behind which the same is possible.
struct label_rule {
  std::uint32_t period = 1;    // of the positions of devices
  bool all_devices = false;    // whether all have to be taken
  bool counts_stages = false;  // whether there has to be a number of them

  [[nodiscard]] std::uint32_t position(const replica_label& each) const noexcept { return each.devices % period; }
};

/// The labels of a point of which none has less load and fewer devices than another: by position, devices where all have to
/// be taken, stages where they count, then with rising load and falling devices. Of equal ones the first that was put in.
class replica_labels {
 public:
  /// Puts one in.
  void add(const replica_label& each, const label_rule& rule);

  /// Leaves only those that no other one beats.
  void settle(const label_rule& rule);

  void clear() noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return labels_.size(); }
  [[nodiscard]] const replica_label& operator[](std::size_t i) const noexcept { return labels_[i]; }

 private:
  [[nodiscard]] static bool alike(const replica_label& a, const replica_label& b, const label_rule& rule) noexcept;
  [[nodiscard]] static bool before(const replica_label& a, const replica_label& b, const label_rule& rule) noexcept;

  std::vector<replica_label> labels_{};
  std::size_t settled_ = 0;  // the first so many are in order, and none beats another
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/replica_labels.ipp>
#endif
