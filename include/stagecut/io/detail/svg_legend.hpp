// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/detail/svg_boxes.hpp>
#include <stagecut/io/detail/svg_text.hpp>
#include <stagecut/io/detail/svg_timeline.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>
#include <stagecut/schedule/op.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The legend of the colours and lines that occur in the pictures.
class svg_legend {
 public:
  svg_legend(view<const pipeline_picture> pictures, const timeline_place& place) : pictures_(pictures), place_(place) {}

  /// Draws it above `place`, in lines that end before `right`, and returns its height in pixels.
  double draw(std::string& to, double right) const {
    double x = place_.left;
    double y = 12;
    add(to, "<g font-size=\"11\">\n");
    for (const entry& each : entries()) {
      const double mark = each.mark.empty() ? 0 : 19;
      const double size = mark + text_width(each.text, 11) + 16;
      if (x > place_.left && x + size > right) x = place_.left, y += 18;
      if (mark > 0) add(to, "<g transform=\"translate(", x, " ", y, ")\">", each.mark, "</g>");
      add(to, "<text x=\"", x + mark, "\" y=\"", y + 9, "\">", each.text, "</text>\n");
      x += size;
    }
    add(to, "</g>\n");
    return y;
  }

 private:
  struct entry {
    std::string mark;  // of 14 by 10 pixels
    std::string text;
  };

  [[nodiscard]] static std::string swatch(std::string_view fill) {
    return joined({"<path fill=\"", fill, "\" d=\"M0 0h14v10h-14z\"/>"});
  }
  [[nodiscard]] static std::string line(std::string_view colour, std::string_view more) {
    return joined({"<path stroke=\"", colour, "\" ", more, " d=\"M0 5h14\"/>"});
  }

  template <class Holds>
  [[nodiscard]] bool any(Holds holds) const {
    return std::any_of(pictures_.begin(), pictures_.end(), holds);
  }

  void add_ops(std::vector<entry>& to) const {
    std::array<bool, 12> seen{};
    std::size_t chunks = 1;
    for (const pipeline_picture& picture : pictures_) {
      chunks = std::max(chunks, most_chunks(picture.order));
      for (const auto* const all : {&picture.run.ops, &picture.run.updates}) {
        for (const auto& rank : *all) {
          for (const auto& op : rank) seen[static_cast<std::size_t>(op.what.kind)] = true;
        }
      }
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const auto kind = static_cast<op_kind>(i);
      if (!seen[i]) continue;
      if (chunks == 1 || !is_compute(kind)) {
        to.push_back({swatch(op_colour(kind, 0, 1)), kind_name(kind)});
        continue;
      }
      to.push_back({joined({"<path fill=\"", op_colour(kind, 0, chunks), "\" d=\"M0 0h7v10h-7z\"/><path fill=\"",
                            op_colour(kind, chunks - 1, chunks), "\" d=\"M7 0h7v10h-7z\"/>"}),
                    kind_name(kind)});
    }
    if (chunks > 1) to.push_back({"", joined({"(the first of a rank's ", chunks, " stages darkest)"})});
  }

  [[nodiscard]] std::vector<entry> entries() const {
    std::vector<entry> result;
    add_ops(result);
    result.push_back({swatch(idle_colour), "idle"});
    if (any([&](const auto& picture) { return is_crowded(picture.run, place_); })) {
      result.push_back({"", "(ops too narrow to be seen: several in one, stacked by their share of the time)"});
    }
    const auto held = [](const pipeline_picture& picture) { return picture.run.blocks(); };
    const auto shown = [&](const pipeline_picture& picture) {
      return timeline_drawing::shows_transfers(picture, place_);
    };
    const auto sends = [](const pipeline_picture& picture) {
      return std::any_of(picture.run.transfers.begin(), picture.run.transfers.end(),
                         [](const auto& all) { return !all.empty(); });
    };
    if (any(held)) result.push_back({swatch("url(#blocked)"), "blocked by a transfer"});
    if (any(shown)) result.push_back({line(faint_ink, ""), "transfer"});
    if (any([&](const auto& picture) { return sends(picture) && !shown(picture) && !held(picture); })) {
      result.push_back({"", any(shown) ? "(where there are too many, left out)" : "(transfers: too many to be drawn)"});
    }
    if (any([](const auto& picture) { return !picture.run.critical_path.empty(); })) {
      result.push_back({line(critical_colour, "stroke-width=\"1.6\""), "critical path"});
    }
    if (any([](const auto& picture) { return !picture.memory.empty(); })) {
      result.push_back({swatch(resident_colour), "resident memory"});
      result.push_back({swatch(activation_colour), "activations"});
      if (any([](const auto& picture) { return picture.limit_of(0).has_value(); })) {
        result.push_back({line(limit_colour, "stroke-dasharray=\"5 3\""), "memory limit"});
      }
    }
    return result;
  }

  view<const pipeline_picture> pictures_;
  timeline_place place_;
};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
