// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Suggests a known word for an unknown one.

/// The number of insertions, deletions, substitutions and swaps of neighbours that turn one word into another; no
/// letter is edited twice. O(|a| |b|).
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = a[i - 1] == b[j - 1] ? 0 : 1;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

/// A word in lower case.
inline std::string in_small_letters(std::string_view word) {
  std::string result(word);
  for (char& each : result) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  return result;
}

/// The known word nearest to the given one, ignoring case, or the first one that begins with it; empty if none is near:
/// more than one letter in three would have to change.
inline std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 64;  // no known word is longer
  const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
  const std::size_t letters = word.size() - dashes;
  if (letters < 2 || letters > longest) return "";
  const std::string small = in_small_letters(word);
  std::string result;
  std::size_t least = 2 * std::max<std::size_t>(1, letters / 3) + 2;
  for (const std::string& each : known) {
    const std::string other = in_small_letters(each);
    std::size_t distance = 2 * edit_distance(small, other) + (each == word ? 0 : small == other ? 1 : 0);
    if (letters >= 3 && other.starts_with(small))
      distance = std::min<std::size_t>(distance, 3);  // between one and two edits
    if (distance < least) least = distance, result = each;
  }
  return result;
}

/// `: did you mean --devices?`; empty if no known word is near.
inline std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  return near.empty() ? near : ": did you mean " + near + "?";
}
