// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/profile.hpp>
#include <stagecut/io/text.hpp>

namespace stagecut::inline v0::io {

namespace detail {

/// A node of a PipeDream graph, and where its neighbours were named.
struct pipedream_node {
  stagecut::layer layer;
  std::size_t line = 0;
  std::vector<std::size_t> next;
  std::vector<std::size_t> previous;
};

/// `12.5`, or `[1.0; 2.0]`, which is summed.
inline double pipedream_amount(std::string_view text, std::string_view field, const std::string& place) {
  text = trimmed(text);
  if (!text.starts_with('[')) return amount(text, field, place);
  if (!text.ends_with(']')) fail(invalid_input(place, joined(field, ": the bracket is not closed")));
  text = text.substr(1, text.size() - 2);
  double sum = 0;
  for (bool more = true; more;) {
    const std::size_t end = text.find(';');
    sum += amount(text.substr(0, end), field, place);
    more = end != std::string_view::npos;
    if (more) text.remove_prefix(end + 1);
  }
  if (!is_finite(sum)) fail(invalid_input(place, joined(field, ": the sum is out of range")));
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
  fail(invalid_input(place, joined("field ", in_quotes(field), " is missing")));
}

inline constexpr std::string_view pipedream_separator = " -- ";

/// `id -- description -- forward_compute_time=…, …[ -- stage_id=…]`; the description may hold anything.
inline pipedream_node pipedream_node_line(const line_reader& lines) {
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
  pipedream_node node;
  node.line = lines.number();
  node.layer.name = trimmed(line.substr(0, id_end));
  node.layer.kind = trimmed(line.substr(description, fields - description));
  node.layer.kind = node.layer.kind.substr(0, node.layer.kind.find('('));
  node.layer.forward = pipedream_field(list, "forward_compute_time", place) / 1000;
  node.layer.backward = pipedream_field(list, "backward_compute_time", place) / 1000;
  node.layer.output = node.layer.activations = pipedream_field(list, "activation_size", place);
  node.layer.parameters = pipedream_field(list, "parameter_size", place);
  check_time(node.layer, place);
  return node;
}

/// The nodes with their edges.
inline std::vector<pipedream_node> pipedream_graph(line_reader& lines) {
  std::vector<pipedream_node> nodes;
  std::map<std::string, std::size_t, std::less<>> index;
  struct edge {
    std::string_view from;
    std::string_view to;
    std::size_t line;
  };
  std::vector<edge> edges;
  while (lines.next()) {
    const std::string_view line = lines.line();
    if (line.front() != ' ' && line.front() != '\t') {
      nodes.push_back(pipedream_node_line(lines));
      if (!index.emplace(nodes.back().layer.name, nodes.size() - 1).second) {
        fail(invalid_input(lines.place(), joined("node ", in_quotes(nodes.back().layer.name), " was defined before")));
      }
      continue;
    }
    const std::size_t middle = line.find(pipedream_separator);
    if (middle == std::string_view::npos) fail(invalid_input(lines.place(), "not an edge, \"id -- id\""));
    edges.push_back(
        {trimmed(line.substr(0, middle)), trimmed(line.substr(middle + pipedream_separator.size())), lines.number()});
  }
  for (const edge& e : edges) {
    const auto at = [&](std::string_view name) {
      const auto found = index.find(name);
      if (found == index.end())
        fail(invalid_input(lines.place(e.line), joined("node ", in_quotes(name), " is not defined")));
      return found->second;
    };
    const std::size_t from = at(e.from);
    const std::size_t to = at(e.to);
    if (std::find(nodes[from].next.begin(), nodes[from].next.end(), to) != nodes[from].next.end()) {
      fail(invalid_input(lines.place(e.line),
                         joined("the edge from ", in_quotes(e.from), " to ", in_quotes(e.to), " stands twice")));
    }
    nodes[from].next.push_back(to);
    nodes[to].previous.push_back(from);
  }
  return nodes;
}

}  // namespace detail

/// Reads a profile from PipeDream's `graph.txt`, if its graph is a chain.
///
/// @param text    the content: node lines `id -- description -- forward_compute_time=F, backward_compute_time=B,
///                activation_size=A, parameter_size=P`, and indented edge lines `id -- id`, in any order; times in
///                milliseconds, sizes in bytes, A a number or a list `[a; b]`, which is summed
/// @param source  what errors call the text
/// @return        the layers along the chain, named by their ids; the kind is the description up to a parenthesis. A is
///                taken for the activations kept and for the output
/// @throws        invalid_input with `SOURCE:LINE`; for a graph that is not a chain, the node at which it is not
[[nodiscard]] inline profile parse_pipedream(std::string_view text, std::string_view source) {
  detail::line_reader lines(text, source);
  auto nodes = detail::pipedream_graph(lines);
  if (nodes.empty()) detail::fail(invalid_input(lines.source(), "names no layer"));
  const auto not_a_chain = [&](const detail::pipedream_node& node, const auto&... why) {
    detail::fail(invalid_input(lines.place(node.line), detail::joined("not a chain: ", why...)));
  };
  const auto name = [&](std::size_t node) { return detail::in_quotes(nodes[node].layer.name); };
  std::size_t head = nodes.size();
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    const auto& [layer, line, next, previous] = nodes[v];
    if (next.size() > 1) not_a_chain(nodes[v], name(v), " feeds ", name(next[0]), " and ", name(next[1]));
    if (previous.size() > 1) {
      not_a_chain(nodes[v], name(v), " is fed by ", name(previous[0]), " and ", name(previous[1]));
    }
    if (previous.empty()) {
      if (head != nodes.size()) not_a_chain(nodes[v], "nothing feeds ", name(head), ", and nothing feeds ", name(v));
      head = v;
    }
  }
  profile result;
  std::vector<bool> passed(nodes.size());
  for (std::size_t v = head; v != nodes.size(); v = nodes[v].next.empty() ? nodes.size() : nodes[v].next[0]) {
    passed[v] = true;
    result.layers.push_back(std::move(nodes[v].layer));
  }
  const auto cyclic = static_cast<std::size_t>(std::find(passed.begin(), passed.end(), false) - passed.begin());
  if (cyclic != nodes.size()) not_a_chain(nodes[cyclic], name(cyclic), " is on a cycle");
  return result;
}

}  // namespace stagecut::inline v0::io
