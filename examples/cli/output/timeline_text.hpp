// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/pictures/axis_marks.hpp>
#include <stagecut/io/pictures/check_picture.hpp>
#include <stagecut/io/pictures/data_unit.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "output/screen.hpp"
#include "options/quantity.hpp"

// A simulated pipeline, one line per rank.

/// For each of `steps` equal parts of the makespan, the op to show: one of the kind that takes most of it; null if the
/// rank is idle for longer. Two ops that run together alternate.
inline std::vector<const stagecut::timed_op<double>*> fill_steps(const std::vector<stagecut::timed_op<double>>& ops,
                                                                 double makespan, std::size_t steps) {
  std::vector<const stagecut::timed_op<double>*> result(steps);
  std::size_t first = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const double begin = makespan * static_cast<double>(step) / static_cast<double>(steps);
    const double end = makespan * static_cast<double>(step + 1) / static_cast<double>(steps);
    while (first < ops.size() && ops[first].end <= begin) ++first;
    struct sum {
      double time = 0, longest = 0;
      const stagecut::timed_op<double>* op = nullptr;
    };
    std::array<sum, 12> kinds{};
    double reached = begin;
    double idle = end - begin;
    for (std::size_t i = first; i < ops.size() && ops[i].start < end; ++i) {
      const double time = std::min(ops[i].end, end) - std::max(ops[i].start, begin);
      if (time <= 0) continue;
      sum& of = kinds[static_cast<std::size_t>(ops[i].what.kind)];
      of.time += time;
      if (time > of.longest) of.longest = time, of.op = &ops[i];
      idle -= std::max(0.0, std::min(ops[i].end, end) - std::max(ops[i].start, reached));
      reached = std::max(reached, ops[i].end);
    }
    double most = 0;
    for (const sum& of : kinds) {
      const bool more = of.time > most || (of.time == most && step % 2 == 1);
      if (of.op != nullptr && of.time >= idle && more) most = of.time, result[step] = of.op;
    }
  }
  return result;
}

/// Draws the lines of one pipeline.
class timeline {
 public:
  timeline(const stagecut::io::pipeline_picture& picture, const screen& on)
      : picture_(picture), on_(on), chunks_(stagecut::chunks_of_stages(picture.order)) {
    const std::size_t ranks = picture.order.ranks();
    const std::size_t shown = std::min(ranks, most_lines);
    for (std::size_t i = 0; i < shown; ++i) lines_.push_back(shown > 1 ? i * (ranks - 1) / (shown - 1) : 0);
    label_ = std::to_string(ranks == 0 ? 0 : ranks - 1).size();
    const std::size_t around = std::string_view("rank  ").size() + label_ + std::string_view(" 100 %").size();
    steps_ = std::max<std::size_t>(on.width, 40) - around;
    labels_ = fits_labels();
  }

  [[nodiscard]] std::string text() const {
    const auto& run = picture_.run;
    const std::size_t ranks = picture_.order.ranks();
    std::string all = shown(stagecut::io::title_of(picture_), std::min<std::size_t>(60, on_.width - 1)) + '\n';
    all += fmt::format("{}: {:.1f} % idle\n", time(run.makespan),
                       100 * run.share(&stagecut::rank_use<double>::idle));
    all += axis();
    for (const std::size_t rank : lines_) {
      const double idle = run.makespan > 0 ? run.ranks[rank].idle / run.makespan : 0;
      all += fmt::format("rank {:>{}} {} {:>3.0f} %\n", rank, label_, row(rank), 100 * idle);
    }
    if (lines_.size() < ranks) all += fmt::format("{} of {} ranks left out\n", ranks - lines_.size(), ranks);
    return all + legend();
  }

 private:
  static constexpr std::size_t most_lines = 40;

  [[nodiscard]] std::string time(double value) const {
    return picture_.seconds ? seconds_text(value) : fmt::format("{:.4g}", value);
  }

  /// The digits of an op, with its letter if no colour shows its kind.
  [[nodiscard]] std::string label(const stagecut::op& each) const {
    if (!is_compute(each.kind)) return std::string(1, to_string(each.kind)[0]);
    const std::string digits = stagecut::io::microbatch_text(picture_.order, each);
    return on_.colour ? digits : to_string(each.kind) + digits;
  }

  /// Whether even the shortest pass is wide enough for its label.
  [[nodiscard]] bool fits_labels() const {
    for (const std::size_t rank : lines_) {
      for (const auto& op : picture_.run.ops[rank]) {
        const double steps = (op.end - op.start) / picture_.run.makespan * static_cast<double>(steps_);
        const double room = steps / (op.what.with_next ? 2 : 1);
        if (op.end > op.start && std::floor(room + 1e-9) < static_cast<double>(label(op.what).size())) return false;
      }
    }
    return true;
  }

  /// `|` at round times, followed by the time.
  [[nodiscard]] std::string axis() const {
    const double makespan = picture_.run.makespan;
    const auto unit = stagecut::io::time_unit(makespan, picture_.seconds);
    const stagecut::io::axis_marks marks(makespan / unit.size, std::max<std::size_t>(2, steps_ / 12));
    std::string line;
    for (std::size_t i = 0; i < marks.size() && makespan > 0; ++i) {
      const double at = marks.at(i) * unit.size / makespan * static_cast<double>(steps_);
      const std::string mark = fmt::format("|{}{}{}", marks.text(i), *unit.name == 0 ? "" : " ", unit.name);
      const auto step = static_cast<std::size_t>(at + 1e-6);
      if (step < glyphs(line) + (i == 0 ? 0 : 1) || step + glyphs(mark) > steps_) continue;
      line += std::string(step - glyphs(line), ' ') + mark;
    }
    return std::string(6 + label_, ' ') + line + std::string(steps_ - glyphs(line), ' ') + "  idle\n";
  }

  [[nodiscard]] std::string row(std::size_t rank) const {
    auto ops = picture_.run.ops[rank];
    if (!picture_.run.updates.empty()) {
      const auto& updates = picture_.run.updates[rank];
      ops.insert(ops.end(), updates.begin(), updates.end());
      std::stable_sort(ops.begin(), ops.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
    }
    const auto filled = fill_steps(ops, picture_.run.makespan, steps_);
    std::string text;
    std::string style;
    const auto dress = [&](const std::string& next) {
      if (on_.colour && next != style) text += next.empty() ? "\x1b[0m" : next;
      style = next;
    };
    for (std::size_t step = 0; step < steps_;) {
      std::size_t next = step + 1;
      while (next < steps_ && filled[next] == filled[step]) ++next;
      dress(filled[step] == nullptr ? "" : colour(filled[step]->what));
      text += cells(filled[step], next - step);
      step = next;
    }
    dress("");
    return text;
  }

  [[nodiscard]] std::string cells(const stagecut::timed_op<double>* of, std::size_t count) const {
    if (of == nullptr) return std::string(count, on_.colour ? ' ' : '.');
    const std::string name = label(of->what);
    if (!labels_ || name.size() > count) return std::string(count, to_string(of->what.kind)[0]);
    return name + std::string(count - name.size(), on_.colour ? ' ' : '-');
  }

  /// Black on the colour of its kind, lighter on every other stage of a rank.
  [[nodiscard]] std::string colour(const stagecut::op& each) const {
    using stagecut::op_kind;
    const bool light = each.kind != op_kind::optimizer_step && chunks_[each.stage] % 2 == 1;
    const int of = each.kind == op_kind::forward           ? (light ? 153 : 75)
                   : each.kind == op_kind::backward        ? (light ? 223 : 215)
                   : each.kind == op_kind::backward_input  ? (light ? 152 : 73)
                   : each.kind == op_kind::backward_weight ? (light ? 157 : 77)
                   : each.kind == op_kind::optimizer_step  ? 175
                                                           : 140;
    return fmt::format("\x1b[38;5;16;48;5;{}m", of);
  }

  /// The meaning of the letters or colours in use, in as many lines as needed.
  [[nodiscard]] std::string legend() const {
    std::array<const stagecut::op*, 12> seen{};
    for (const auto* const all : {&picture_.run.ops, &picture_.run.updates}) {
      for (const auto& rank : *all) {
        for (const auto& op : rank) {
          const stagecut::op*& known = seen[static_cast<std::size_t>(op.what.kind)];
          if (known == nullptr) known = &op.what;
        }
      }
    }
    std::string all;
    std::size_t used = 0;
    for (const stagecut::op* const op : seen) {
      if (op == nullptr) continue;
      const char letter = to_string(op->kind)[0];
      const std::string name = stagecut::io::kind_name(op->kind);
      const std::size_t size = 2 + name.size() + (used == 0 ? 0 : 2);
      const bool wrap = used + size > on_.width;
      all += wrap ? "\n" : used == 0 ? "" : "  ";
      used = wrap ? 2 + name.size() : used + size;
      all += on_.colour ? fmt::format("{}{}\x1b[0m {}", colour(*op), letter, name) : fmt::format("{} {}", letter, name);
    }
    return all + '\n';
  }

  const stagecut::io::pipeline_picture& picture_;
  screen on_;
  std::vector<std::size_t> chunks_;
  std::vector<std::size_t> lines_{};  // the ranks to show
  std::size_t label_ = 1;
  std::size_t steps_ = 1;
  bool labels_ = false;
};

/// A simulated pipeline: one line per rank, no wider than the screen, of at least 40 characters. A character is a time
/// slot, and shows the pass that takes most of it; F, B, I and W, with their microbatches if there is space. If there
/// are very many ranks, shows some.
inline std::string timeline_text(const stagecut::io::pipeline_picture& picture, const screen& on) {
  stagecut::io::check_picture("timeline_text", picture);
  return timeline(picture, on).text();
}
