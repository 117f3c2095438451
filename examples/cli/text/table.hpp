// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "text/screen.hpp"

/// Lines of cells, the columns aligned: one of them left, the others right.
class table {
 public:
  explicit table(std::size_t left) : left_(left) {}
  void add(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }
  /// The cells, line by line, the head first.
  [[nodiscard]] const std::vector<std::vector<std::string>>& lines() const { return lines_; }

  [[nodiscard]] std::size_t width() const {
    std::size_t sum = 0;
    for (const std::size_t each : widths()) sum += each + 2;
    return sum;
  }

  /// The lines, each followed by what `behind(line)` says.
  template <class Behind>
  [[nodiscard]] std::string text(const Behind& behind) const {
    const auto width = widths();
    std::string all;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      std::string one;
      for (std::size_t column = 0; column < width.size(); ++column) {
        const std::string& cell = lines_[line][column];
        const std::string blank(width[column] - glyphs(cell), ' ');
        one += (column == 0 ? "" : "  ") + (column == left_ ? cell + blank : blank + cell);
      }
      one += behind(line);
      all += one.substr(0, one.find_last_not_of(' ') + 1) + '\n';
    }
    return all;
  }

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const {
    std::vector<std::size_t> result(lines_.empty() ? 0 : lines_[0].size());
    for (const auto& line : lines_) {
      for (std::size_t column = 0; column < result.size(); ++column) {
        result[column] = std::max(result[column], glyphs(line[column]));
      }
    }
    return result;
  }

  std::size_t left_;
  std::vector<std::vector<std::string>> lines_;
};
