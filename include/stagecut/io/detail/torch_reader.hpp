// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <charconv>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/csv_fields.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/frameworks/torch_letters.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Reads PyTorch's schedules line by line.
class torch_reader {
 public:
  torch_reader(std::string_view text, std::string_view source, torch_letters letters)
      : lines_(text, source), letters_(letters) {
    for (const char c : text) most_ += c == ',' || c == ';' || c == '\n' ? 1U : 0U;
  }

  schedule read() {
    std::vector<std::string> fields;
    while (lines_.next()) {
      result_.orders.emplace_back();
      begun_.clear();
      cells_.emplace_back();
      if (lines_.number() != result_.ranks()) refuse(result_.ranks(), "is blank, and each line has the ops of a rank");
      csv_fields(lines_.line(), ',', lines_.place(), fields);
      for (cell_ = 1; cell_ <= fields.size(); ++cell_) {
        text_ = trimmed(fields[cell_ - 1]);
        if (!text_.empty()) read_cell();
      }
      if (result_.orders.back().empty()) refuse(lines_.number(), "names no op: a rank without a stage");
    }
    if (result_.orders.empty()) fail(invalid_input(lines_.place(1), "has no op: each line holds the ops of a rank"));
    check();
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(std::size_t line, std::string_view problem) const {
    fail(invalid_input(lines_.place(line), problem));
  }
  [[noreturn]] void refuse_cell(std::string_view problem) const {
    refuse(lines_.number(), joined({"cell ", cell_, ": ", in_quotes(text_), " ", problem}));
  }

  /// A number below the possible number of ops in the text: a schedule with a larger one would be incomplete.
  [[nodiscard]] std::size_t number(std::string_view digits) const {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc() && value < most_) return value;
    refuse_cell(joined({"names number ", digits.substr(0, 20), ", for which the text is too short"}));
  }

  /// One action, as `3F12` or `3UNSHARD`.
  [[nodiscard]] op action(std::string_view text) {
    constexpr std::string_view digits = "0123456789";
    const std::size_t word = text.find_first_not_of(digits);
    const std::size_t last = word == text.npos ? word : text.find_first_of(digits, word);
    const std::string_view microbatch = last == text.npos ? std::string_view() : text.substr(last);
    op result;
    if (word == 0 || word == text.npos || microbatch.find_first_not_of(digits) != text.npos) {
      refuse_cell("is no action: write a stage, a kind and a microbatch, as in 2F0");
    }
    std::string_view name = text.substr(word, last == text.npos ? last : last - word);
    waits_ = name.starts_with("WAIT_");
    if (waits_) name.remove_prefix(5);
    const bool known = torch_kind(name, letters_, result.kind);
    if (waits_ && (!known || !has_wait(result.kind))) refuse_cell(joined({"waits for ", in_quotes(name), no_wait}));
    if (!known) {
      if (name == "BW") refuse_cell(joined({"has the kind BW: ", old_letters}));
      if (name == "I") refuse_cell("has the kind I, which is none of the old letters");
      refuse_cell(joined({"has the kind ", in_quotes(name), ", which is none of PyTorch's"}));
    }
    const bool named = has_microbatch(result.kind);
    if (named == microbatch.empty()) refuse_cell(named ? "names no microbatch" : "names more than a stage");
    result.stage = number(text.substr(0, word));
    if (named) result.microbatch = number(microbatch);
    return result;
  }

  /// An action, or two that overlap: `(0F7;7B3)OVERLAP_F_B`.
  void read_cell() {
    if (text_[0] != '(') {
      const op each = action(text_);
      return waits_ ? wait(each) : add(each);
    }
    constexpr std::string_view problem = "is no overlap of F and B, as (2F1;3B0)OVERLAP_F_B";
    const std::size_t middle = text_.find(';');
    const std::size_t end = text_.find(')');
    if (end == text_.npos || middle > end || text_.substr(end + 1) != "OVERLAP_F_B") refuse_cell(problem);
    op forward = action(trimmed(text_.substr(1, middle - 1)));
    const op backward = action(trimmed(text_.substr(middle + 1, end - middle - 1)));
    if (forward.kind != op_kind::forward || backward.kind != op_kind::backward) refuse_cell(problem);
    forward.with_next = true;
    add(forward);
    add(backward);
  }

  /// Whether an action only starts something that a later one waits for.
  [[nodiscard]] static bool has_wait(op_kind kind) noexcept {
    return is_send(kind) || kind == op_kind::reduce_gradient;
  }

  /// Removes a wait for something that its rank started before.
  void wait(const op& of) {
    if (begun_.erase(std::tuple(of.kind, of.stage, of.microbatch)) != 0) return;
    refuse_cell(joined({"waits for no ", to_string(of), " before it"}));
  }

  void add(const op& each) {
    if (has_wait(each.kind)) begun_.insert(std::tuple(each.kind, each.stage, each.microbatch));
    const std::size_t rank = result_.ranks() - 1;
    std::vector<std::size_t>& rank_of = result_.rank_of;
    if (each.stage >= rank_of.size()) rank_of.resize(each.stage + 1, nowhere);
    if (rank_of[each.stage] == nowhere) rank_of[each.stage] = rank;
    if (rank_of[each.stage] != rank) {
      refuse_cell(joined({"is of a stage that line ", rank_of[each.stage] + 1, " has"}));
    }
    if (result_.microbatches <= each.microbatch) result_.microbatches = each.microbatch + 1;
    split_ = split_ || each.kind == op_kind::backward_input;
    if (each.kind == op_kind::backward_weight && weight_.second == 0) weight_ = {lines_.number(), cell_};
    result_.orders.back().push_back(each);
    cells_.back().push_back(cell_);
  }

  /// Rejects errors that only all lines together show.
  void check() const {
    if (weight_.second != 0 && !split_) {
      refuse(weight_.first, joined({"cell ", weight_.second, ": is a W, and no cell is ",
                                    letters_ == torch_letters::old ? "a B" : joined({"an I: ", old_letters})}));
    }
    for (std::size_t s = 0; s < result_.stages(); ++s) {
      if (result_.rank_of[s] != nowhere) continue;
      fail(invalid_input(lines_.source(), joined({"has no stage ", s, ", and has stage ", result_.stages() - 1})));
    }
    const auto fault = stagecut::detail::find_fault(result_);
    if (fault.problem.empty()) return;
    if (fault.rank == fault.none) fail(invalid_input(lines_.source(), fault.problem));
    if (fault.op == fault.none) refuse(fault.rank + 1, fault.problem);
    refuse(fault.rank + 1, joined({"cell ", cells_[fault.rank][fault.op], ": ",
                                   in_quotes(to_string(result_.orders[fault.rank][fault.op])), " ", fault.problem}));
  }

  static constexpr std::string_view no_wait = ", and PyTorch waits for SEND_F, SEND_B and REDUCE_GRAD";
  static constexpr std::size_t nowhere = ~std::size_t{0};

  line_reader lines_;
  torch_letters letters_;
  std::size_t most_ = 1;  // upper bound on the ops in the text
  std::size_t cell_ = 0;
  std::string_view text_;                         // of the cell
  bool waits_ = false;                            // the last action is a wait
  std::set<std::tuple<op_kind, std::size_t, std::size_t>> begun_;  // by the rank, and not waited for
  bool split_ = false;                            // there is an I
  std::pair<std::size_t, std::size_t> weight_{};  // line and cell of the first W
  std::vector<std::vector<std::size_t>> cells_;   // of every op
  schedule result_;
};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
