// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/pictures/graph_svg.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/io/detail/graph_plan.hpp>
#include <stagecut/io/detail/layered_layout.hpp>
#include <stagecut/io/detail/svg_text.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/pictures/data_unit.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/layer_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The graph of a plan's layers.
[[nodiscard]] inline stagecut::layer_graph graph_of_layers(const plan& made) {
  stagecut::layer_graph graph(made.profile.layers.size());
  for (const auto& [from, to] : all_edges(made.profile)) graph.join(from, to);
  return graph;
}

/// A picture of a graph.
class graph_drawing {
 public:
  explicit graph_drawing(const plan& made)
      : made_(made), stage_of_(stage_of_layers(made)), graph_(graph_of_layers(made)), layout_(graph_) {
    const double most = 1600;
    step_ = std::clamp(most / layout_.width(), 5.0, 150.0);
    row_ = std::clamp(12000 / static_cast<double>(layout_.height()), 9.0, 46.0);
    box_ = step_ - std::min(14.0, step_ / 4);
    high_ = row_ - std::min(20.0, row_ / 2);
    width_ = std::max(420.0, 2 * margin + layout_.width() * step_);
  }

  [[nodiscard]] std::string text() const {
    std::string body;
    const double top = legend(body) + 16;
    std::string inner;  // edges within a stage
    std::string outer;  // edges between stages
    for (const auto& [from, to] : all_edges(made_.profile)) {
      edge(stage_of_[from] == stage_of_[to] ? inner : outer, from, to, top);
    }
    add(body, "<g fill=\"none\"><path stroke=\"#c8ced5\" d=\"", inner, "\"/>\n<path stroke=\"#57606a\" d=\"", outer,
        "\"/></g>\n<g font-size=\"10\" text-anchor=\"middle\">\n");
    for (std::size_t v = 0; v < graph_.size(); ++v) box(body, v, top);
    const double height = top + static_cast<double>(layout_.height()) * row_ + margin;
    std::string all = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    add(all, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width_, "\" height=\"", height, "\" viewBox=\"0 0 ",
        width_, " ", height, "\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" fill=\"", ink,
        "\">\n<title>", heading(), "</title>\n<path fill=\"#fff\" d=\"M0 0h", width_, "v", height, "H0z\"/>\n", body,
        "</g>\n</svg>");
    return all;
  }

 private:
  static constexpr double margin = 16;

  [[nodiscard]] std::string heading() const {
    const std::string name = made_.profile.name.empty() ? "" : joined({xml_text(made_.profile.name), ": "});
    return joined({name, graph_.size(), " layers on ", made_.stages.size(), " stages"});
  }

  [[nodiscard]] data_unit unit(double longest) const { return time_unit(longest, !made_.profile.weights_only); }

  /// Draws the heading and the legend of colours, and returns their height in pixels.
  double legend(std::string& to) const {
    add(to, "<text x=\"", margin, "\" y=\"24\" font-size=\"14\">", shortened(heading(), 14, width_ - 2 * margin),
        "</text>\n<g font-size=\"11\">\n");
    std::vector<std::size_t> layers(made_.stages.size());
    for (const std::size_t s : stage_of_) ++layers[s];
    double longest = 0;
    for (const planned_stage& stage : made_.stages) longest = std::max(longest, stage.forward + stage.backward);
    double x = margin;
    double y = 38;
    for (std::size_t s = 0; s < layers.size(); ++s) {
      const planned_stage& each = made_.stages[s];
      const std::string text =
          joined({"stage ", s, each.on_cpu ? " on a CPU" : "", ": ", layers[s],
                  layers[s] == 1 ? " layer, " : " layers, ", amount_text(each.forward + each.backward, unit(longest))});
      const double size = 19 + text_width(text, 11) + 16;
      if (x > margin && x + size > width_ - margin) x = margin, y += 18;
      add(to, "<path fill=\"", stage_colour(s), "\" d=\"M", x, " ", y, "h14v10h-14z\"/><text x=\"", x + 19, "\" y=\"",
          y + 9, "\">", text, "</text>\n");
      x += size;
    }
    add(to, "</g>\n");
    return y + 10;
  }

  [[nodiscard]] double left(std::size_t v) const { return margin + layout_.x(v) * step_ + (step_ - box_) / 2; }
  [[nodiscard]] double over(std::size_t v, double top) const {
    return top + static_cast<double>(layout_.row(v)) * row_;
  }

  void edge(std::string& to, std::size_t a, std::size_t b, double top) const {
    const double from_x = left(a) + box_ / 2;
    const double from_y = over(a, top) + high_;
    const double to_x = left(b) + box_ / 2;
    const double to_y = over(b, top);
    const double bend = (to_y - from_y) / 2;
    add(to, "M", from_x, " ", from_y, "C", from_x, " ", from_y + bend, " ", to_x, " ", to_y - bend, " ", to_x, " ",
        to_y);
  }

  void box(std::string& to, std::size_t v, double top) const {
    const layer& each = made_.profile.layers[v];
    const std::string name = each.name.empty() ? joined({"layer ", v}) : each.name;
    const double x = left(v);
    const double y = over(v, top);
    add(to, "<rect x=\"", x, "\" y=\"", y, "\" width=\"", box_, "\" height=\"", high_, "\" rx=\"2\" fill=\"",
        stage_colour(stage_of_[v]), "\"><title>", xml_text(name), ", stage ", std::to_string(stage_of_[v]), ": ",
        amount_text(each.time(), unit(each.time())), "</title></rect>");
    if (box_ >= 40 && high_ >= 14) {
      add(to, "<text x=\"", x + box_ / 2, "\" y=\"", y + high_ / 2 + 3.5, "\">",
          xml_text(shortened(visible(name), 10, box_ - 6)), "</text>");
    }
    add(to, "\n");
  }

  const plan& made_;
  std::vector<std::size_t> stage_of_;
  stagecut::layer_graph graph_;
  layered_layout layout_;
  double step_ = 0;
  double row_ = 0;
  double box_ = 0;
  double high_ = 0;
  double width_ = 0;
};

}  // namespace detail

STAGECUT_DECL std::string as_graph_svg(const plan& made) {
  detail::check_graph_plan("as_graph_svg", made);
  return detail::graph_drawing(made).text();
}

}  // namespace stagecut::inline STAGECUT_ABI::io
