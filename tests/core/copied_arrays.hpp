// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/view.hpp>

#include <memory>
#include <vector>

/// A memory for what is placed: copies of all arrays, which live as long as it does. An array that was not copied dies with
/// its owner, and a sanitizer tells.
class copied_arrays {
 public:
  template <class T>
  [[nodiscard]] stagecut::view<const T> operator()(stagecut::view<const T> array) {
    const auto copy = std::make_shared<const std::vector<T>>(array.begin(), array.end());
    copies_.push_back(copy);
    return *copy;
  }

  /// How many arrays were copied.
  [[nodiscard]] std::size_t size() const { return copies_.size(); }

 private:
  std::vector<std::shared_ptr<const void>> copies_{};
};
