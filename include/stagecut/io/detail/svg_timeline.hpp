// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/io/detail/svg_boxes.hpp>
#include <stagecut/io/detail/svg_text.hpp>
#include <stagecut/io/pictures/data_unit.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>
#include <stagecut/schedule/op.hpp>

// The rows of a timeline: what every rank does when.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Draws the rows of one pipeline. Each function appends to a text.
class timeline_drawing {
 public:
  timeline_drawing(const pipeline_picture& picture, const timeline_place& place)
      : picture_(picture),
        place_(place),
        chunks_(chunks_of_stages(picture.order)),
        most_chunks_(most_chunks(picture.order)),
        crowded_(is_crowded(picture.run, place)) {}

  /// The makespan of every rank, as if it were idle.
  void tracks(std::string& to) const {
    add(to, "<path fill=\"", idle_colour, "\" d=\"");
    for (std::size_t r = 0; r < picture_.order.ranks(); ++r) rectangle(to, row_box(r, 0, picture_.run.makespan));
    add(to, "\"/>\n");
  }

  /// Transfers that block their ranks.
  void blocked(std::string& to) const {
    if (!picture_.run.blocks()) return;
    add(to, "<path fill=\"url(#blocked)\" d=\"");
    for_each_transfer([&](const timed_op<double>& sent, std::size_t from, std::size_t target) {
      for (const std::size_t rank : {from, target}) rectangle(to, row_box(rank, sent.start, sent.end));
    });
    add(to, "\"/>\n");
  }

  /// The ranks' computation, one colour after the other; with tooltips if `tooltips`.
  void ops(std::string& to, bool tooltips) const {
    tooltips = tooltips && !crowded_;
    std::vector<std::string> colours(12 * most_chunks_);
    std::string labels;
    for (std::size_t r = 0; r < picture_.order.ranks(); ++r) {
      const auto boxes =
          crowded_ ? crowded_boxes(picture_.run, place_, chunks_, r) : op_boxes(picture_.run, place_, chunks_, r);
      for (const op_box& box : boxes) {
        std::string& of = colours[static_cast<std::size_t>(box.kind) * most_chunks_ + box.chunk];
        if (tooltips) {
          with_tooltip(of, box);
        } else {
          rectangle(of, box);
        }
        if (box.whole != nullptr) label(labels, box);
      }
    }
    for (std::size_t i = 0; i < colours.size(); ++i) {
      if (colours[i].empty()) continue;
      const auto kind = static_cast<op_kind>(i / most_chunks_);
      const std::string colour = op_colour(kind, i % most_chunks_, most_chunks_);
      if (tooltips) {
        add(to, "<g fill=\"", colour, "\" stroke=\"#fff\" stroke-width=\"0.6\">\n", colours[i], "</g>\n");
      } else {
        add(to, "<path fill=\"", colour, "\" d=\"", colours[i], "\"/>\n");
      }
    }
    if (labels.empty()) return;
    add(to, "<g fill=\"", ink, "\" font-size=\"", label_font, "\" text-anchor=\"middle\" pointer-events=\"none\">\n",
        labels, "</g>\n");
  }

  /// Whether messages are distinguishable.
  [[nodiscard]] static bool shows_transfers(const pipeline_picture& picture, const timeline_place& place) {
    if (picture.run.blocks()) return false;
    std::size_t most = 0;
    for (const auto& rank : picture.run.transfers) most = std::max(most, rank.size());
    return most > 0 && picture.order.ranks() <= 32 && static_cast<double>(most) * 14 <= place.width;
  }

  /// Messages, from the row of the sender to the receiver's row.
  void transfers(std::string& to) const {
    if (!shows_transfers(picture_, place_)) return;
    add(to, "<path fill=\"none\" stroke=\"", faint_ink, "\" stroke-width=\"0.9\" d=\"");
    std::string arrivals;
    for_each_transfer([&](const timed_op<double>& sent, std::size_t from, std::size_t target) {
      const bool down = from < target;
      const double arrival = place_.y(target) + (down ? 0 : place_.row);
      add(to, "M", place_.x(sent.start), " ", place_.y(from) + (down ? place_.row : 0), "L", place_.x(sent.end), " ",
          arrival);
      add(arrivals, "M", place_.x(sent.end), " ", arrival, down ? "l-2-3.5h4z" : "l-2 3.5h4z");
    });
    add(to, "\"/>\n<path fill=\"", faint_ink, "\" d=\"", arrivals, "\"/>\n");
  }

  /// The ops and messages that determine the makespan, as a line below their boxes.
  void critical_path(std::string& to) const {
    const auto& path = picture_.run.critical_path;
    if (path.empty()) return;
    add(to, "<path fill=\"none\" stroke=\"", critical_colour, "\" stroke-width=\"", place_.row < 12 ? 1.0 : 1.6,
        "\" stroke-linejoin=\"round\" d=\"");
    bool begun = false;
    for (const timed_op<double>& op : path) {
      if (is_transfer(op.what.kind)) continue;
      const double y = place_.y(picture_.order.rank_of[op.what.stage]) + place_.row - 1;
      add(to, begun ? "L" : "M", place_.x(op.start), " ", y, "H", place_.x(op.end));
      begun = true;
    }
    add(to, "\"/>\n");
  }

 private:
  static constexpr double label_font = 9.5;

  [[nodiscard]] op_box row_box(std::size_t rank, double start, double end) const {
    return {place_.x(start), place_.x(end), place_.y(rank), place_.y(rank) + place_.row};
  }

  static void rectangle(std::string& to, const op_box& box) {
    add(to, "M", box.first, " ", box.top, "H", box.last, "V", box.bottom, "H", box.first, "z");
  }

  void with_tooltip(std::string& to, const op_box& box) const {
    const auto& [what, start, end] = *box.whole;
    const data_unit unit = time_unit(picture_.run.makespan, picture_.seconds);
    add(to, "<rect x=\"", box.first, "\" y=\"", box.top, "\" width=\"", box.last - box.first, "\" height=\"",
        box.bottom - box.top, "\"><title>", kind_name(what.kind));
    if (is_compute(what.kind)) add(to, " ", microbatch_text(picture_.order, what));
    if (what.kind != op_kind::optimizer_step) add(to, ", stage ", std::to_string(what.stage));
    add(to, ": ", figure(start / unit.size), " to ", amount_text(end, unit), "</title></rect>\n");
  }

  void label(std::string& to, const op_box& box) const {
    if (box.bottom - box.top < label_font) return;
    const std::string text = is_compute(box.kind)                  ? microbatch_text(picture_.order, box.whole->what)
                             : box.kind == op_kind::optimizer_step ? "step"
                                                                   : "reduce";
    if (text_width(text, label_font) > box.last - box.first) return;
    add(to, "<text x=\"", (box.first + box.last) / 2, "\" y=\"", (box.top + box.bottom) / 2 + 0.36 * label_font, "\">",
        text, "</text>\n");
  }

  template <class Each>
  void for_each_transfer(Each each) const {
    for (std::size_t r = 0; r < picture_.run.transfers.size(); ++r) {
      for (const timed_op<double>& sent : picture_.run.transfers[r]) {
        if (sent.end > sent.start) each(sent, r, receiver(picture_.order, sent.what));
      }
    }
  }

  const pipeline_picture& picture_;
  timeline_place place_;
  std::vector<std::size_t> chunks_;
  std::size_t most_chunks_;
  bool crowded_;
};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
