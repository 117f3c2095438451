// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/pictures/svg.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include <stagecut/core/view.hpp>
#include <stagecut/io/detail/svg_boxes.hpp>
#include <stagecut/io/detail/svg_legend.hpp>
#include <stagecut/io/detail/svg_memory.hpp>
#include <stagecut/io/detail/svg_text.hpp>
#include <stagecut/io/detail/svg_timeline.hpp>
#include <stagecut/io/pictures/axis_marks.hpp>
#include <stagecut/io/pictures/check_picture.hpp>
#include <stagecut/io/pictures/data_unit.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>
#include <stagecut/schedule/op.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// A page of pictures, stacked on one time scale.
class svg_page {
 public:
  explicit svg_page(view<const pipeline_picture> pictures) : pictures_(pictures) {
    double shortest = 0;
    for (const pipeline_picture& picture : pictures) {
      until_ = std::max(until_, picture.run.makespan);
      seconds_ = seconds_ && picture.seconds;
      for (const auto& rank : picture.run.ops) ops_ += rank.size();
      if (const double time = shortest_op(picture.run); shortest == 0 || time < shortest) shortest = time;
      double& most = most_memory_[picture.bytes];
      for (const auto& rank : picture.memory) most = std::max(most, rank.peak());
      for (std::size_t r = 0; r < picture.memory.size(); ++r) most = std::max(most, picture.limit_of(r).value_or(0));
    }
    if (until_ == 0) until_ = 1;
    if (shortest > 0) width_ = std::clamp(13 * until_ / shortest, least_width, most_width);
  }

  [[nodiscard]] std::string text() {
    std::string body;
    y_ = svg_legend(pictures_, place()).draw(body, left + width_ + right) + 14;
    for (const pipeline_picture& picture : pictures_) draw(body, picture);
    std::string all = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    const double width = left + width_ + right;
    add(all, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"", y_, "\" viewBox=\"0 0 ",
        width, " ", y_, "\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" fill=\"", ink, "\">\n<title>");
    for (std::size_t i = 0; i < pictures_.size(); ++i) add(all, i == 0 ? "" : "; ", xml_text(title_of(pictures_[i])));
    add(all, "</title>\n",
        "<defs><pattern id=\"blocked\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
        "<path fill=\"#dfe3e8\" d=\"M0 0h5v5h-5z\"/><path stroke=\"#848d97\" d=\"M-1 1l2-2M0 5l5-5M4 6l2-2\"/>"
        "</pattern></defs>\n<path fill=\"#fff\" d=\"M0 0h",
        width, "v", y_, "H0z\"/>\n", body, "</svg>\n");
    return all;
  }

 private:
  static constexpr double left = 64;
  static constexpr double right = 72;
  static constexpr double least_width = 900;
  static constexpr double most_width = 1720;

  /// The position of the time axis.
  [[nodiscard]] timeline_place place() const { return {left, width_, until_}; }

  void draw(std::string& to, const pipeline_picture& picture) {
    y_ += 26;
    heading(to, picture);
    const std::size_t ranks = picture.order.ranks();
    timeline_place at = place();
    const bool linked = timeline_drawing::shows_transfers(picture, at);
    at.top = y_;
    at.row = ranks <= 8 ? 26 : ranks <= 16 ? 22 : ranks <= 32 ? 16 : ranks <= 128 ? 9 : 5;
    at.gap = linked ? 12 : ranks <= 16 ? 4 : ranks <= 32 ? 2 : 1;
    const timeline_drawing drawing(picture, at);
    add(to, "<g>\n");
    drawing.tracks(to);
    marks(to, at, ranks);
    drawing.blocked(to);
    drawing.ops(to, ops_ < 20000);
    drawing.transfers(to);
    drawing.critical_path(to);
    names(to, picture, at);
    add(to, "</g>\n");
    y_ = at.bottom(ranks) + 30;
    const double most = most_memory_[picture.bytes];
    const memory_scale scale{most > 0 ? std::min(most * 1.08, std::numeric_limits<double>::max()) : 1, memory_unit(most, picture.bytes)};
    const memory_drawing memory(picture, scale, at);
    if (memory.height() == 0) return;
    memory.draw(to, y_);
    y_ += memory.height();
  }

  void heading(std::string& to, const pipeline_picture& picture) {
    const auto& run = picture.run;
    const auto& order = picture.order;
    add(to, "<text x=\"", left, "\" y=\"", y_, "\" font-size=\"16\" font-weight=\"bold\">",
        xml_text(shortened(title_of(picture), 16, width_)), "</text>\n");
    y_ += 18;
    add(to, "<text x=\"", left, "\" y=\"", y_, "\" font-size=\"12\" fill=\"", faint_ink,
        "\"><tspan font-weight=\"bold\" fill=\"", ink, "\">makespan ",
        amount_text(run.makespan, time_unit(run.makespan, picture.seconds)), ", ",
        percent_text(run.share(&rank_use<double>::idle)), " idle</tspan>");
    if (run.blocks()) add(to, ", ", percent_text(run.share(&rank_use<double>::blocked)), " blocked");
    const auto count = [&](std::size_t n, std::string_view what) {
      add(to, " \u00B7 ", std::to_string(n), " ", what, n == 1 ? "" : what == "microbatch" ? "es" : "s");
    };
    count(order.ranks(), "rank");
    count(order.stages(), "stage");
    count(order.microbatches, "microbatch");
    if (order.slices > 1) add(to, " of ", std::to_string(order.slices), " slices");
    add(to, "</text>\n");
    y_ += 12;
  }

  /// Vertical lines at round times through the rows, with labels below.
  void marks(std::string& to, const timeline_place& at, std::size_t ranks) const {
    const data_unit unit = time_unit(until_, seconds_);
    const axis_marks axis(until_ / unit.size, 12);
    const double bottom = at.bottom(ranks);
    std::string lines;
    std::string labels;
    for (std::size_t i = 0; i < axis.size(); ++i) {
      const double x = at.x(axis.at(i) * unit.size);
      add(lines, "M", x, " ", at.top - 3, "V", bottom + 4);
      add(labels, "<text x=\"", x, "\" y=\"", bottom + 16, "\">", axis.text(i), "</text>\n");
    }
    add(to, "<path stroke=\"#c8ced5\" stroke-width=\"0.7\" d=\"", lines,
        "\"/>\n<g font-size=\"10\" text-anchor=\"middle\" fill=\"", faint_ink, "\">\n", labels);
    if (*unit.name != '\0')
      add(to, "<text x=\"", left + width_ + 24, "\" y=\"", bottom + 16, "\">", unit.name, "</text>\n");
    add(to, "</g>\n");
  }

  /// The ranks at the left, their idle shares at the right; only some of them if rows are low.
  void names(std::string& to, const pipeline_picture& picture, const timeline_place& at) const {
    const std::size_t every = at.row + at.gap >= 11 ? 1 : at.row >= 9 ? 2 : 4;
    const double all = picture.run.makespan;
    std::string shares;
    add(to, "<g font-size=\"", at.row < 12 ? 9.0 : 11.0, "\" text-anchor=\"end\">\n");
    for (std::size_t r = 0; r < picture.order.ranks(); r += every) {
      const double y = at.y(r) + at.row / 2 + (at.row < 12 ? 3.2 : 4);
      add(to, "<text x=\"", left - 8, "\" y=\"", y, "\">rank ", std::to_string(r), "</text>\n");
      add(shares, "<text x=\"", left + width_ + 50, "\" y=\"", y, "\">",
          percent_text(all > 0 ? picture.run.ranks[r].idle / all : 0), "</text>\n");
    }
    add(to, "<g fill=\"", faint_ink, "\">\n<text x=\"", left + width_ + 50, "\" y=\"", at.top - 6, "\">idle</text>\n",
        shares, "</g>\n</g>\n");
  }

  view<const pipeline_picture> pictures_;
  double until_ = 0;
  double width_ = least_width;
  double y_ = 0;
  std::array<double, 2> most_memory_{};  // in activations, in bytes
  std::size_t ops_ = 0;
  bool seconds_ = true;
};

}  // namespace detail

STAGECUT_DECL std::string as_svg(view<const pipeline_picture> pictures) {
  for (const pipeline_picture& picture : pictures) check_picture("as_svg", picture);
  return detail::svg_page(pictures).text();
}

}  // namespace stagecut::inline STAGECUT_ABI::io
