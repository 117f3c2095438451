// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include <stagecut/io/detail/svg_boxes.hpp>
#include <stagecut/io/detail/svg_text.hpp>
#include <stagecut/io/pictures/axis_marks.hpp>
#include <stagecut/io/pictures/data_unit.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>

// The memory of every rank: over time for few ranks, else its peaks.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Common to the plots of all pictures.
struct memory_scale {
  double most = 1;   // bytes at the upper end
  data_unit unit{};  // the displayed unit
};

/// Draws the memory of one pipeline below its timeline.
class memory_drawing {
 public:
  static constexpr std::size_t most_plots = 16;

  memory_drawing(const pipeline_picture& picture, const memory_scale& scale, const timeline_place& place)
      : picture_(picture), scale_(scale), place_(place) {
    const std::size_t ranks = picture.memory.size();
    if (ranks == 0 || ranks > most_plots) return;
    const std::size_t fit = std::max<std::size_t>(1, static_cast<std::size_t>((place.width + gap) / (150 + gap)));
    rows_ = (ranks + fit - 1) / fit;
    columns_ = (ranks + rows_ - 1) / rows_;
    plot_width_ = std::min(420.0, (place.width + gap) / static_cast<double>(columns_) - gap);
  }

  /// The total height.
  [[nodiscard]] double height() const {
    if (picture_.memory.empty()) return 0;
    return by_rank() ? heading + static_cast<double>(rows_) * (plot_height + below)
                     : bars_heading + bars_height + below;
  }

  void draw(std::string& to, double top) const {
    if (picture_.memory.empty()) return;
    add(to, "<text x=\"", place_.left, "\" y=\"", top + 11, "\" font-size=\"11\" fill=\"", faint_ink, "\">",
        by_rank() ? "memory over time" : "peak memory of every rank", "</text>\n");
    by_rank() ? plots(to, top + heading) : bars(to, top + bars_heading);
  }

 private:
  static constexpr double gap = 14;
  static constexpr double heading = 36;
  static constexpr double bars_heading = 20;
  static constexpr double plot_height = 72;
  static constexpr double bars_height = 110;
  static constexpr double below = 26;

  struct frame {
    double left, top, width, height;
    [[nodiscard]] double bottom() const { return top + height; }
  };

  [[nodiscard]] bool by_rank() const { return picture_.memory.size() <= most_plots; }
  [[nodiscard]] double y(const frame& at, double bytes) const {
    return at.bottom() - at.height * (bytes / scale_.most);
  }
  [[nodiscard]] double x(const frame& at, double time) const { return at.left + at.width * (time / place_.until); }

  void plots(std::string& to, double top) const {
    for (std::size_t r = 0; r < picture_.memory.size(); ++r) {
      const std::size_t column = r % columns_;
      const std::size_t row = r / columns_;
      const frame at{place_.left + static_cast<double>(column) * (plot_width_ + gap),
                     top + static_cast<double>(row) * (plot_height + below), plot_width_, plot_height};
      marks(to, at, 4, column == 0);
      plot(to, at, r);
      limit(to, at, picture_.limit_of(r), column + 1 == columns_ || r + 1 == picture_.memory.size());
    }
  }

  void plot(std::string& to, const frame& at, std::size_t rank) const {
    const rank_memory<double>& memory = picture_.memory[rank];
    const double base = y(at, memory.resident);
    const double end = x(at, picture_.run.makespan);
    area(to, at.left, base, end, at.bottom());
    std::string line;
    curve(line, at, memory);
    add(to, "<path fill=\"", activation_colour, "\" d=\"M", at.left, " ", base, line, "H", end, "V", base, "z\"/>\n");
    add(to, "<path fill=\"none\" stroke=\"", activation_ink, "\" d=\"M", at.left, " ", base, line, "H", end, "\"/>\n");
    const auto most = picture_.limit_of(rank);
    const bool over = most && memory.peak() > *most;
    add(to, "<text x=\"", at.left, "\" y=\"", at.top - 4, "\" font-size=\"10\"><tspan font-weight=\"bold\">rank ",
        std::to_string(rank), "</tspan> <tspan fill=\"", over ? limit_colour : faint_ink, "\">peak ",
        amount_text(memory.peak(), scale_.unit), over && plot_width_ > 250 ? ", above the limit" : "",
        "</tspan></text>\n");
  }

  /// A step at every change; of those within half a pixel, the highest.
  void curve(std::string& to, const frame& at, const rank_memory<double>& memory) const {
    for (std::size_t i = 0; i < memory.curve.size();) {
      const double first = x(at, memory.curve[i].time);
      double most = memory.curve[i].activations;
      std::size_t next = i + 1;
      for (; next < memory.curve.size() && x(at, memory.curve[next].time) < first + 0.5; ++next) {
        most = std::max(most, memory.curve[next].activations);
      }
      // The last value continues if nothing changes for longer.
      const double last = memory.curve[next - 1].activations;
      add(to, "H", first, "V", y(at, memory.resident + most));
      if (last != most)
        add(to, "H", std::min(first + 0.5, x(at, picture_.run.makespan)), "V", y(at, memory.resident + last));
      i = next;
    }
  }

  void bars(std::string& to, double top) const {
    const frame at{place_.left, top, place_.width, bars_height};
    marks(to, at, 4, true);
    const auto ranks = static_cast<double>(picture_.memory.size());
    const double pitch = place_.width / ranks;
    std::string resident;
    std::string activations;
    std::string labels;
    const auto every = static_cast<std::size_t>(std::ceil(28 / pitch));
    for (std::size_t r = 0; r < picture_.memory.size(); ++r) {
      const double first = place_.left + pitch * (static_cast<double>(r) + 0.1);
      const double last = first + pitch * 0.8;
      const double base = y(at, picture_.memory[r].resident);
      add(resident, "M", first, " ", at.bottom(), "V", base, "H", last, "V", at.bottom(), "z");
      add(activations, "M", first, " ", base, "V", y(at, picture_.memory[r].peak()), "H", last, "V", base, "z");
      if (r % every == 0) {
        add(labels, "<text x=\"", (first + last) / 2, "\" y=\"", at.bottom() + 13, "\">", std::to_string(r),
            "</text>\n");
      }
    }
    add(to, "<path fill=\"", resident_colour, "\" d=\"", resident, "\"/>\n<path fill=\"", activation_colour, "\" d=\"",
        activations, "\"/>\n<g font-size=\"10\" text-anchor=\"middle\" fill=\"", faint_ink, "\">\n", labels, "</g>\n");
    if (picture_.memory_limits.empty()) limit(to, at, picture_.memory_limit, true);
    for (std::size_t r = 0; r < picture_.memory_limits.size(); ++r) {
      limit(to, {place_.left + pitch * static_cast<double>(r), top, pitch, bars_height}, picture_.limit_of(r), false);
    }
  }

  static void area(std::string& to, double left, double top, double right, double bottom) {
    add(to, "<path fill=\"", resident_colour, "\" d=\"M", left, " ", bottom, "V", top, "H", right, "V", bottom,
        "z\"/>\n");
  }

  /// Lines at round amounts, with labels at the left.
  void marks(std::string& to, const frame& at, std::size_t most, bool labels) const {
    const axis_marks axis(scale_.most / scale_.unit.size, most);
    for (std::size_t i = 0; i < axis.size(); ++i) {
      const double height = y(at, axis.at(i) * scale_.unit.size);
      add(to, "<path stroke=\"", i == 0 ? "#8c959f" : "#d8dee4", "\" stroke-width=\"0.8\" d=\"M", at.left, " ", height,
          "h", at.width, "\"/>\n");
      if (!labels) continue;
      add(to, "<text x=\"", at.left - 5, "\" y=\"", height + 3.5, "\" font-size=\"10\" text-anchor=\"end\" fill=\"",
          faint_ink, "\">", axis.text(i), i == 0 || *scale_.unit.name == '\0' ? "" : " ",
          i == 0 ? "" : scale_.unit.name, "</text>\n");
    }
  }

  void limit(std::string& to, const frame& at, std::optional<double> bytes, bool label) const {
    if (!bytes) return;
    const double height = y(at, *bytes);
    add(to, "<path stroke=\"", limit_colour, "\" stroke-dasharray=\"5 3\" d=\"M", at.left, " ", height, "h", at.width,
        "\"/>\n");
    if (!label) return;
    add(to, "<text x=\"", at.left + at.width + 5, "\" y=\"", height + 3.5, "\" font-size=\"10\" fill=\"", limit_colour,
        "\">", amount_text(*bytes, scale_.unit), "</text>\n");
  }

  const pipeline_picture& picture_;
  memory_scale scale_;
  timeline_place place_;
  std::size_t rows_ = 1;
  std::size_t columns_ = 1;
  double plot_width_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
