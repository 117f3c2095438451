// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/pictures/sweep_scatter.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/detail/svg_text.hpp>
#include <stagecut/io/pictures/axis_marks.hpp>
#include <stagecut/io/pictures/data_unit.hpp>
#include <stagecut/plan/sweep_row.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// Draws the rows of a sweep as points.
class scatter_page {
 public:
  scatter_page(view<const sweep_row> rows, const scatter_options& options) : rows_(rows), options_(options) {
    double time = 0;
    double memory = options.memory_limit.value_or(0);
    for (const sweep_row& row : rows) {
      if (!row.has_plan()) continue;
      time = std::max(time, row.per_microbatch);
      memory = std::max(memory, row.memory);
      seen_[static_cast<std::size_t>(row.schedule)] = true;
    }
    time_ = {time > 0 ? time * margin : 1, time_unit(time, options.seconds)};
    memory_ = {memory > 0 ? memory * margin : 1, memory_unit(memory, true)};
  }

  [[nodiscard]] std::string text() const {
    std::string body;
    const double below = legend(body);
    add(body, "<g transform=\"translate(0 ", below, ")\">\n");
    axes(body);
    limit(body);
    front(body);
    points(body);
    add(body, "</g>\n");
    const double all_width = left + width + right;
    const double all_height = below + top + height + bottom;
    std::string all = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    add(all, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", all_width, "\" height=\"", all_height,
        "\" viewBox=\"0 0 ", all_width, " ", all_height,
        "\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" fill=\"", ink, "\">\n<title>",
        xml_text(options_.title), "</title>\n<path fill=\"#fff\" d=\"M0 0h", all_width, "v", all_height, "H0z\"/>\n",
        body, "</svg>\n");
    return all;
  }

 private:
  static constexpr double left = 72;
  static constexpr double right = 32;
  static constexpr double top = 14;
  static constexpr double bottom = 52;
  static constexpr double width = 800;
  static constexpr double height = 480;
  static constexpr double margin = 1.05;  // of the axes beyond the last point
  static constexpr double font = 12;

  struct axis {
    double until = 1;
    data_unit unit{};
  };

  [[nodiscard]] static double x(double memory, const axis& of) { return left + width * (memory / of.until); }
  [[nodiscard]] static double y(double time, const axis& of) { return top + height * (1 - time / of.until); }
  [[nodiscard]] double x(const sweep_row& row) const { return x(row.memory, memory_); }
  [[nodiscard]] double y(const sweep_row& row) const { return y(row.per_microbatch, time_); }

  /// The colour of each schedule, by its row in `schedules`.
  [[nodiscard]] static std::string_view colour(schedule_kind kind) {
    constexpr std::array<std::string_view, 16> colours = {
        "#4477aa", "#88aadd", "#d1495b", "#ee8866", "#777777", "#228833", "#aaaa00", "#66ccee",
        "#0a7a8c", "#aa3377", "#e0a100", "#5e3c99", "#996633", "#44bb99", "#bbcc33", "#222255"};
    static_assert(colours.size() == sizeof(schedules) / sizeof(schedules[0]));
    return colours[static_cast<std::size_t>(kind)];
  }

  /// The title and the legend of colours; returns their height in pixels.
  double legend(std::string& to) const {
    add(to, "<text x=\"", left, "\" y=\"24\" font-size=\"16\" font-weight=\"bold\">",
        xml_text(shortened(options_.title, 16, width)), "</text>\n<g font-size=\"", font, "\">\n");
    double at = left;
    double line = 40;
    const auto entry = [&](std::string_view mark, std::string_view text) {
      const double size = 16 + text_width(text, font) + 18;
      if (at > left && at + size > left + width) at = left, line += 18;
      add(to, "<g transform=\"translate(", at, " ", line, ")\">", mark, "<text x=\"16\" y=\"9\">", text,
          "</text></g>\n");
      at += size;
    };
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (!seen_[i]) continue;
      const auto kind = static_cast<schedule_kind>(i);
      entry(joined({"<path fill=\"", colour(kind), "\" d=\"M1 0h10v10h-10z\"/>"}), to_string(kind));
    }
    entry(joined({"<path stroke=\"", ink, "\" d=\"M-1 5h14\"/>"}), "Pareto front");
    if (options_.memory_limit) {
      entry(joined({"<path stroke=\"", limit_colour, "\" stroke-dasharray=\"5 3\" d=\"M-1 5h14\"/>"}), "memory limit");
    }
    add(to, "</g>\n");
    return line + 10;
  }

  /// The two axes with their marks, grid lines, and units.
  void axes(std::string& to) const {
    const axis_marks across(memory_.until / memory_.unit.size, 10);
    const axis_marks up(time_.until / time_.unit.size, 8);
    std::string lines;
    std::string labels;
    for (std::size_t i = 0; i < across.size(); ++i) {
      const double at = x(across.at(i) * memory_.unit.size, memory_);
      add(lines, "M", at, " ", top, "v", height);
      add(labels, "<text x=\"", at, "\" y=\"", top + height + 16, "\" text-anchor=\"middle\">", across.text(i),
          "</text>\n");
    }
    for (std::size_t i = 0; i < up.size(); ++i) {
      const double at = y(up.at(i) * time_.unit.size, time_);
      add(lines, "M", left, " ", at, "h", width);
      add(labels, "<text x=\"", left - 8, "\" y=\"", at + 4, "\" text-anchor=\"end\">", up.text(i), "</text>\n");
    }
    const auto unit = [](const data_unit& of) {
      return *of.name == '\0' ? std::string() : joined({" (", of.name, ")"});
    };
    const double middle = top + height / 2;
    add(to, "<path fill=\"none\" stroke=\"#e2e6ea\" d=\"", lines, "\"/>\n<path fill=\"none\" stroke=\"", faint_ink,
        "\" d=\"M", left, " ", top, "v", height, "h", width, "\"/>\n<g font-size=\"11\" fill=\"", faint_ink, "\">\n",
        labels, "</g>\n<g font-size=\"", font, "\" text-anchor=\"middle\">\n<text x=\"", left + width / 2, "\" y=\"",
        top + height + 40, "\">memory of the fullest device", unit(memory_.unit),
        "</text>\n<text transform=\"translate(20 ", middle, ") rotate(-90)\">time of a microbatch", unit(time_.unit),
        "</text>\n</g>\n");
  }

  void limit(std::string& to) const {
    if (!options_.memory_limit) return;
    add(to, "<path stroke=\"", limit_colour, "\" stroke-dasharray=\"5 3\" d=\"M", x(*options_.memory_limit, memory_),
        " ", top, "v", height, "\"/>\n");
  }

  /// A step line: points above and to the right of it are no better than a row of the front.
  void front(std::string& to) const {
    std::vector<sweep_row> rows;
    for (const sweep_row& row : rows_) {
      if (row.on_front) rows.push_back(row);
    }
    const std::vector<std::size_t> order = mark_pareto_front(rows);
    if (order.empty()) return;
    add(to, "<path fill=\"none\" stroke=\"", ink, "\" d=\"M", left + width, " ", y(rows[order[0]]));
    for (const std::size_t i : order) add(to, "V", y(rows[i]), "H", x(rows[i]));
    add(to, "V", top, "\"/>\n");
  }

  /// A circle for each row with a plan, those of the front last.
  void points(std::string& to) const {
    add(to, "<g stroke=\"#fff\" stroke-width=\"0.7\">\n");
    for (const bool front : {false, true}) {
      for (const sweep_row& row : rows_) {
        if (!row.has_plan() || row.on_front != front) continue;
        add(to, "<circle cx=\"", x(row), "\" cy=\"", y(row), "\" r=\"", front ? 5.5 : 3.5, "\" fill=\"",
            colour(row.schedule), front ? "\" stroke=\"" : "", front ? ink : "", "\"><title>", tooltip(row),
            "</title></circle>\n");
      }
    }
    add(to, "</g>\n");
  }

  [[nodiscard]] std::string tooltip(const sweep_row& row) const {
    return joined({to_string(row.schedule), ", ", row.devices, row.devices == 1 ? " device, " : " devices, ",
                   row.stages_per_rank, row.stages_per_rank == 1 ? " stage per rank, " : " stages per rank, ", row.microbatches,
                   row.microbatches == 1 ? " microbatch" : " microbatches",
                   row.checkpoint == checkpointing::never ? "" : ", recomputed ",
                   row.checkpoint == checkpointing::never ? "" : to_string(row.checkpoint), ": ",
                   amount_text(row.per_microbatch, time_.unit), " a microbatch, ",
                   amount_text(row.memory, memory_.unit)});
  }

  view<const sweep_row> rows_;
  const scatter_options& options_;
  axis time_{};
  axis memory_{};
  std::array<bool, sizeof(schedules) / sizeof(schedules[0])> seen_{};
};

}  // namespace detail

STAGECUT_DECL std::string sweep_scatter(view<const sweep_row> rows, const scatter_options& options) {
  const auto check = [](std::string_view argument, double value) {
    if (is_finite(value) && !is_negative(value)) return;
    detail::fail(
        argument_error("io::sweep_scatter", argument, std::to_string(value), "must be finite and not negative"));
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    check(detail::joined({"rows[", i, "].per_microbatch"}), rows[i].per_microbatch);
    check(detail::joined({"rows[", i, "].memory"}), rows[i].memory);
    static_cast<void>(entry_of(rows[i].schedule));
  }
  check("options.memory_limit", options.memory_limit.value_or(0));
  return detail::scatter_page(rows, options).text();
}

}  // namespace stagecut::inline STAGECUT_ABI::io
