// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "output/screen.hpp"

/// Lines of cells, the columns aligned: one column left, the others right.
class table {
 public:
  explicit table(std::size_t left) : left_(left) {}
  void add(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }
  /// The cells, line by line, the header first.
  [[nodiscard]] const std::vector<std::vector<std::string>>& lines() const { return lines_; }

  [[nodiscard]] std::size_t width() const {
    std::size_t sum = 0;
    for (const std::size_t each : widths()) sum += each + 2;
    return sum;
  }

  /// The lines, each followed by `behind(line)`.
  template <class Behind>
  [[nodiscard]] std::string text(const Behind& behind) const {
    const auto width = widths();
    return block(width, 0, width.size(), behind);
  }

  /// The lines, at most `most` wide if possible: columns that do not fit form blocks below, which begin with the first
  /// column. `behind(line)` follows those of the last block, and does not count as width.
  template <class Behind>
  [[nodiscard]] std::string within(std::size_t most, const Behind& behind) const {
    const auto width = widths();
    std::string all;
    for (std::size_t begin = std::min<std::size_t>(1, width.size()); begin < width.size();) {
      std::size_t sum = width[0], end = begin;
      do {
        for (sum += 2 + width[end++]; end < width.size() && lines_[0][end].empty(); ++end) sum += 2 + width[end];
      } while (end < width.size() && sum + 2 + with_marks(width, end) <= most);
      all += end < width.size() ? block(width, begin, end, [](std::size_t) { return std::string(); })
                                : block(width, begin, end, behind);
      begin = end;
    }
    return all;
  }

 private:
  /// The width of a column and of the following ones without a header: they belong to it.
  [[nodiscard]] std::size_t with_marks(const std::vector<std::size_t>& width, std::size_t column) const {
    std::size_t sum = width[column];
    for (++column; column < width.size() && lines_[0][column].empty(); ++column) sum += 2 + width[column];
    return sum;
  }

  /// The first column and those from `begin` to before `end`.
  template <class Behind>
  [[nodiscard]] std::string block(const std::vector<std::size_t>& width, std::size_t begin, std::size_t end,
                                  const Behind& behind) const {
    std::string all;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      std::string one;
      for (std::size_t column = 0; column < end; column = column == 0 ? std::max<std::size_t>(begin, 1) : column + 1) {
        const std::string& cell = lines_[line][column];
        const std::string blank(width[column] - glyphs(cell), ' ');
        one += (column == 0 ? "" : "  ") + (column == left_ ? cell + blank : blank + cell);
      }
      one += behind(line);
      all += one.substr(0, one.find_last_not_of(' ') + 1) + '\n';
    }
    return all;
  }

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
