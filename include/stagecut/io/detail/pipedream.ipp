// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/tables/pipedream.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// `12.5`, or `[1.0; 2.0]`, which is summed.
inline double pipedream_amount(std::string_view text, std::string_view field, const std::string& place) {
  text = trimmed(text);
  if (!text.starts_with('[')) return amount(text, field, place);
  if (!text.ends_with(']')) fail(invalid_input(place, joined({field, ": the bracket is not closed"})));
  text = text.substr(1, text.size() - 2);
  double sum = 0;
  for (bool more = true; more;) {
    const std::size_t end = text.find(';');
    sum += amount(text.substr(0, end), field, place);
    more = end != std::string_view::npos;
    if (more) text.remove_prefix(end + 1);
  }
  if (!is_finite(sum)) fail(invalid_input(place, joined({field, ": the sum is out of range"})));
  return sum;
}

/// The value of `field=` in a list `a=1, b=[2; 3], c=4`.
inline double pipedream_field(std::string_view list, std::string_view field, const std::string& place) {
  for (;;) {
    const std::size_t end = list.find(',');
    const std::string_view entry = trimmed(list.substr(0, end));
    if (entry.starts_with(field) && entry.substr(field.size()).starts_with('=')) {
      return pipedream_amount(entry.substr(field.size() + 1), field, place);
    }
    if (end == std::string_view::npos) break;
    list.remove_prefix(end + 1);
  }
  fail(invalid_input(place, joined({"field ", in_quotes(field), " is missing"})));
}

/// `id -- description -- forward_compute_time=…, …[ -- stage_id=…]`; the description is arbitrary.
inline layer pipedream_node(const line_reader& lines) {
  const std::string place = lines.place();
  const std::string_view line = lines.line();
  const std::size_t id_end = line.find(pipedream_separator);
  const std::size_t fields = line.rfind(" -- forward_compute_time=");
  if (id_end == std::string_view::npos || fields == std::string_view::npos) {
    fail(invalid_input(place,
                       "not a node, \"id -- description -- forward_compute_time=...\", and not indented as an edge"));
  }
  const std::size_t description = std::min(id_end + pipedream_separator.size(), fields);
  std::string_view list = line.substr(fields + pipedream_separator.size());
  list = list.substr(0, list.find(pipedream_separator));
  layer node;
  node.name = trimmed(line.substr(0, id_end));
  node.kind = trimmed(line.substr(description, fields - description));
  node.kind = node.kind.substr(0, node.kind.find('('));
  node.forward = pipedream_field(list, "forward_compute_time", place) / 1000;
  node.backward = pipedream_field(list, "backward_compute_time", place) / 1000;
  node.output = node.activations = pipedream_field(list, "activation_size", place);
  node.parameters = pipedream_field(list, "parameter_size", place);
  check_time(node, place);
  return node;
}

/// An edge by the names of its ends.
struct pipedream_edge {
  std::string_view from;
  std::string_view to;
  std::size_t line = 0;
};

/// `id -- id`.
inline pipedream_edge pipedream_edge_line(const line_reader& lines) {
  const std::string_view line = lines.line();
  const std::size_t middle = line.find(pipedream_separator);
  if (middle == std::string_view::npos) fail(invalid_input(lines.place(), "not an edge, \"id -- id\""));
  return {trimmed(line.substr(0, middle)), trimmed(line.substr(middle + pipedream_separator.size())), lines.number()};
}

/// A graph in the order of the text.
struct pipedream_graph {
  std::vector<layer> nodes;
  std::vector<std::size_t> lines;  ///< line of each of them
  std::vector<pipedream_edge> edges;
};

inline pipedream_graph read_pipedream(line_reader& lines) {
  pipedream_graph graph;
  while (lines.next()) {
    if (lines.line().front() == ' ' || lines.line().front() == '\t') {
      graph.edges.push_back(pipedream_edge_line(lines));
    } else {
      graph.nodes.push_back(pipedream_node(lines));
      graph.lines.push_back(lines.number());
    }
  }
  if (graph.nodes.empty()) fail(invalid_input(lines.source(), "names no layer"));
  return graph;
}

/// The edges by the numbers of the nodes.
inline stagecut::layer_graph pipedream_edges(const line_reader& lines, const pipedream_graph& graph) {
  std::map<std::string_view, std::size_t> numbers;
  for (std::size_t v = 0; v < graph.nodes.size(); ++v) {
    if (numbers.emplace(graph.nodes[v].name, v).second) continue;
    fail(invalid_input(lines.place(graph.lines[v]),
                       joined({"node ", in_quotes(graph.nodes[v].name), " was defined before"})));
  }
  stagecut::layer_graph result(graph.nodes.size());
  std::set<std::pair<std::size_t, std::size_t>> known;
  for (const pipedream_edge& edge : graph.edges) {
    const std::string place = lines.place(edge.line);
    const auto number = [&](std::string_view name) {
      const auto found = numbers.find(name);
      if (found == numbers.end()) fail(invalid_input(place, joined({"node ", in_quotes(name), " is not defined"})));
      return found->second;
    };
    const std::size_t from = number(edge.from);
    const std::size_t to = number(edge.to);
    if (!known.emplace(from, to).second) {
      fail(invalid_input(
          place, joined({"the edge from ", in_quotes(edge.from), " to ", in_quotes(edge.to), " stands twice"})));
    }
    result.join(from, to);
  }
  if (graph.edges.empty() && graph.nodes.size() > 1) {
    fail(invalid_input(lines.source(), joined({"names ", graph.nodes.size(), " nodes, and no edge"})));
  }
  return result;
}

}  // namespace detail

STAGECUT_DECL profile parse_pipedream(std::string_view text, std::string_view source, const read_limits& limits) {
  detail::check_size(text, source, limits);
  detail::line_reader lines(text, source);
  detail::pipedream_graph graph = detail::read_pipedream(lines);
  const auto edges = detail::pipedream_edges(lines, graph);
  const std::vector<std::size_t> order = edges.order();
  if (order.size() != edges.size()) {
    const auto cycle = edges.cycle();
    detail::fail(invalid_input(lines.place(graph.lines[cycle[0]]),
                               detail::joined({stagecut::detail::cycle_text(graph.nodes, cycle), " is a cycle"})));
  }
  profile result;
  std::vector<std::size_t> position(order.size());
  bool path = graph.edges.size() + 1 == order.size();
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::size_t to : edges.next(order[i])) {
      path = path && position[to] == i + 1;
      result.edges.push_back({i, position[to]});
    }
  }
  if (path) result.edges.clear();
  result.layers.reserve(order.size());
  for (const std::size_t v : order) result.layers.push_back(std::move(graph.nodes[v]));
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
