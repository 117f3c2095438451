// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/io/detail/column_meaning.hpp>
#include <stagecut/io/detail/column_names.hpp>
#include <stagecut/io/detail/csv_columns.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/table_options.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

// Notes on a table of layers.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Whether a table has only columns that `as_csv` writes: these are in seconds and bytes.
[[nodiscard]] inline bool is_own(const csv_header& header) {
  if (header.others != 0 || header.columns.size() != csv_columns.size()) return false;
  for (const csv_column& column : header.columns) {
    if (column.name != column_name(column.what)) return false;
  }
  return true;
}

/// Detects whether the numbers of a column without a unit are counts of parameters instead of bytes.
class count_watch {
 public:
  explicit count_watch(const csv_header& header) {
    const csv_column* const found = header.find(column::parameters);
    if (found == nullptr || found->meaning.says_unit || found->meaning.counts || is_own(header)) return;
    watched_ = true;
    for (const csv_column& each : header.columns) units_ = units_ || !each.meaning.unit.word.empty();
  }

  /// Records the parameters of a layer and their field.
  void operator()(double bytes, std::string_view field) {
    if (!watched_ || bytes == 0) return;
    field = trimmed(field);
    const bool letter = field.back() > '9';
    if (letter || std::trunc(bytes) != bytes) {
      watched_ = false;  // a unit, or a fraction: not a count
      return;
    }
    any_ = true;
    odd_ = odd_ || std::fmod(bytes, 2) != 0;
  }

  [[nodiscard]] bool looks_like_counts() const noexcept { return watched_ && any_ && (odd_ || units_); }

 private:
  bool watched_ = false;
  bool units_ = false;  // whether other columns name theirs
  bool any_ = false;
  bool odd_ = false;
};

/// Whether a name denotes a line of sums.
[[nodiscard]] inline bool names_total(std::string_view name) {
  const std::string word = take_word(name);
  return name.empty() && (word == "total" || word == "totals" || word == "sum" || word == "all" || word == "overall");
}

/// Whether the last layer has the sums of the others, at least two with times or bytes; its name permits rounded sums.
[[nodiscard]] inline bool ends_with_total(const profile& model) {
  double time = 0;
  double bytes = 0;
  std::size_t others = 0;
  for (const layer& each : model.layers) {
    time += each.time(), bytes += each.parameters;
    others += each.time() > 0 || each.parameters > 0 ? 1 : 0;
  }
  if (others < 3) return false;
  const layer& last = model.layers.back();
  const double rounding = names_total(last.name) ? 0.02 : 1e-6;
  const auto is_sum = [&](double value, double all) { return std::abs(2 * value - all) <= rounding * all; };
  return (last.time() > 0 || last.parameters > 0) && is_sum(last.time(), time) && is_sum(last.parameters, bytes);
}

/// Notes assumptions and omissions.
inline void note_table(const csv_header& header, const count_watch& watch, const profile& model,
                       const std::string& place, const table_options& options) {
  if (options.notes == nullptr) return;
  const auto note = [&](std::string_view text) { options.notes->push_back(visible(joined({place, ": ", text}))); };
  if (ends_with_total(model)) {
    note(joined({"layer ", in_quotes(model.layers.back().name),
                 " has the sums of all others: if it is no layer, leave it out"}));
  }
  if (header.others != 0) {
    note(joined({unread_text(header), header.others == 1 ? " is not read" : " are not read"}));
  }
  const csv_column* const forward = header.find(column::forward);
  const csv_column* const backward = header.find(column::backward);
  const bool split = header.find(column::backward_input) != nullptr;
  if (forward != nullptr && forward->meaning.what == column::time) {
    note(joined({"column ", in_quotes(forward->name), " is taken as the time of the forward pass"}));
  }
  if (forward != nullptr && backward == nullptr && !split) note("there is no column backward: it is taken as 0");
  if (forward == nullptr && (backward != nullptr || split)) note("there is no column forward: it is taken as 0");
  const csv_column* const parameters = header.find(column::parameters);
  if (parameters != nullptr && parameters->meaning.counts) {
    char digits[32];
    const auto written = std::to_chars(digits, digits + sizeof digits, options.bytes_per_parameter);
    note(joined({"column ", in_quotes(parameters->name), " counts parameters, which are taken as ",
                 std::string_view(digits, static_cast<std::size_t>(written.ptr - digits)),
                 " bytes each: --parameter-bytes sets another size, in C++ table_options::bytes_per_parameter"}));
  } else if (watch.looks_like_counts()) {
    note(joined({"column ", in_quotes(parameters->name),
                 " is read as bytes: are these counts? Then name it parameter_count, else parameters_bytes"}));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
