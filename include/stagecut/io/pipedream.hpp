// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
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

  /// Whether it matters to the time and the parameters of a stage.
  [[nodiscard]] bool costs() const noexcept { return layer.time() > 0 || layer.parameters > 0; }
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
  std::set<std::pair<std::size_t, std::size_t>> known;
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
    if (!known.emplace(from, to).second) {
      fail(invalid_input(lines.place(e.line),
                         joined("the edge from ", in_quotes(e.from), " to ", in_quotes(e.to), " stands twice")));
    }
    nodes[from].next.push_back(to);
    nodes[to].previous.push_back(from);
  }
  return nodes;
}

/// Refuses a graph at a node.
template <class... Why>
[[noreturn]] void not_a_chain(const line_reader& lines, const pipedream_node& at, const Why&... why) {
  fail(invalid_input(lines.place(at.line), joined("not a chain: ", why...)));
}

/// The nodes in an order in which each follows all that feed it: as early as it can be if it costs nothing, then as
/// they stand in the text.
inline std::vector<std::size_t> pipedream_order(const line_reader& lines, const std::vector<pipedream_node>& nodes) {
  std::set<std::pair<bool, std::size_t>> ready;
  std::vector<std::size_t> waits_for;
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    waits_for.push_back(nodes[v].previous.size());
    if (nodes[v].previous.empty()) ready.emplace(nodes[v].costs(), v);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t v = ready.extract(ready.begin()).value().second;
    order.push_back(v);
    for (const std::size_t to : nodes[v].next) {
      if (--waits_for[to] == 0) ready.emplace(nodes[to].costs(), to);
    }
  }
  if (order.size() == nodes.size()) return order;
  // Each node left over waits for another one: backwards along them, the first that is met again is on a cycle.
  const auto left = [&](std::size_t v) { return waits_for[v] != 0; };
  std::size_t at = 0;
  while (!left(at)) ++at;
  for (std::vector<bool> met(nodes.size()); !met[at];) {
    met[at] = true;
    at = *std::find_if(nodes[at].previous.begin(), nodes[at].previous.end(), left);
  }
  not_a_chain(lines, nodes[at], in_quotes(nodes[at].layer.name), " is on a cycle");
}

/// Refuses an order in which a node that costs something is not reached from the one before it that does.
inline void pipedream_check(const line_reader& lines, const std::vector<pipedream_node>& nodes,
                            const std::vector<std::size_t>& order) {
  std::vector<std::size_t> reached(nodes.size());  // how many of those that cost reach a node, up to the last of them
  std::size_t costly = 0;
  std::size_t before = 0;
  for (const std::size_t v : order) {
    for (const std::size_t u : nodes[v].previous) reached[v] = std::max(reached[v], reached[u]);
    if (!nodes[v].costs()) continue;
    if (reached[v] != costly) {
      not_a_chain(lines, nodes[v], "no path joins ", in_quotes(nodes[before].layer.name), " and ",
                  in_quotes(nodes[v].layer.name), ", which both take time or hold parameters");
    }
    reached[v] = ++costly;
    before = v;
  }
}

/// What crosses each position of the order: of every node up to there that feeds one behind it, the output.
inline std::vector<double> pipedream_crossing(const std::vector<pipedream_node>& nodes,
                                              const std::vector<std::size_t>& order) {
  std::vector<std::size_t> position(nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  std::vector<std::vector<std::size_t>> ends(nodes.size());  // whom each position consumes last
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    std::size_t last = position[v];
    for (const std::size_t to : nodes[v].next) last = std::max(last, position[to]);
    if (last != position[v]) ends[last].push_back(position[v]);
  }
  // The sum of what is alive, as a tree of sums: what comes and goes leaves no rounding error behind.
  const std::size_t leaves = std::bit_ceil(nodes.size());
  std::vector<double> sums(2 * leaves);
  const auto put = [&](std::size_t leaf, double bytes) {
    sums[leaf += leaves] = bytes;
    while ((leaf /= 2) != 0) sums[leaf] = sums[2 * leaf] + sums[2 * leaf + 1];
  };
  std::vector<double> crossing;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::size_t leaf : ends[i]) put(leaf, 0);
    if (!nodes[order[i]].next.empty()) put(i, nodes[order[i]].layer.output);
    crossing.push_back(sums[1]);
  }
  return crossing;
}

}  // namespace detail

/// Reads a profile from PipeDream's `graph.txt`, if its graph is a chain of what costs something.
///
/// A graph is a chain if its nodes that take time or hold parameters can follow each other in one order only: a path
/// leads from each to the next. Then each cut of that order is a cut of the graph, and every cut of the graph has the
/// times and parameters of one of them. Edges may skip nodes. Nodes that take no time and hold no parameters (`Size`,
/// `View`) may stand beside the path; they are put into the order as early as they can be, which touches nothing but
/// the bytes kept and crossing a cut.
///
/// @param text    the content: node lines `id -- description -- forward_compute_time=F, backward_compute_time=B,
///                activation_size=A, parameter_size=P`, and indented edge lines `id -- id`, in any order; times in
///                milliseconds, sizes in bytes, A a number or a list `[a; b]`, which is summed
/// @param source  what errors call the text
/// @return        all nodes as layers in that order, named by their ids; the kind is the description up to a
///                parenthesis. A is taken for the activations kept. The output of a layer is all that crosses a cut
///                behind it: the sum of A over the nodes up to it that feed one behind it. The last has its own A
/// @throws        invalid_input with `SOURCE:LINE`; for a graph that is not a chain, the node at which it is not
[[nodiscard]] inline profile parse_pipedream(std::string_view text, std::string_view source) {
  detail::line_reader lines(text, source);
  auto nodes = detail::pipedream_graph(lines);
  if (nodes.empty()) detail::fail(invalid_input(lines.source(), "names no layer"));
  const auto order = detail::pipedream_order(lines, nodes);
  detail::pipedream_check(lines, nodes, order);
  const auto crossing = detail::pipedream_crossing(nodes, order);
  profile result;
  for (std::size_t i = 0; i < order.size(); ++i) {
    detail::pipedream_node& node = nodes[order[i]];
    if (!is_finite(crossing[i])) {
      detail::fail(invalid_input(lines.place(node.line), "the sum of what crosses a cut behind it is out of range"));
    }
    if (i + 1 < order.size()) node.layer.output = crossing[i];
    result.layers.push_back(std::move(node.layer));
  }
  return result;
}

}  // namespace stagecut::inline v0::io
