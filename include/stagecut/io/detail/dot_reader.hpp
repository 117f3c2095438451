// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/dot_graph.hpp>
#include <stagecut/io/detail/dot_lexer.hpp>
#include <stagecut/io/detail/dot_names.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/profile/profile.hpp>

// Reads a text in DOT as a profile.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Reads a text in DOT, statement by statement.
class dot_reader {
 public:
  dot_reader(std::string_view text, std::string_view source) : lexer_(text, source), graph_(source) { advance(); }

  /// The graph of the text.
  [[nodiscard]] profile read() {
    const bool strict = take_keyword("strict");
    if (now_.is_keyword("graph")) refuse("\"graph\" begins one without directions, and a digraph is wanted");
    if (!take_keyword("digraph")) unexpected();
    if (now_.is_id()) graph_.name(take().text);
    if (!now_.is("{")) unexpected();
    do statement();
    while (open_ > 0);
    if (now_.what != dot_token::kind::end) refuse("something stands behind the graph");
    return graph_.take(strict);
  }

 private:
  dot_token take() {
    dot_token token = std::move(now_);
    advance();
    return token;
  }
  void advance() { now_ = lexer_.next(); }

  bool take_keyword(std::string_view small) {
    if (!now_.is_keyword(small)) return false;
    advance();
    return true;
  }
  bool take_sign(std::string_view sign) {
    if (!now_.is(sign)) return false;
    advance();
    return true;
  }

  [[noreturn]] void refuse(std::string_view problem) const { fail(invalid_input(lexer_.place(now_.line), problem)); }
  [[noreturn]] void unexpected() const {
    if (now_.what == dot_token::kind::end) refuse("the text ends too early");
    if (now_.is("--")) refuse("\"--\" is an edge without a direction, and this is a digraph");
    if (now_.is(":")) refuse("\":\" names a port, and those are not read");
    refuse(joined({"unexpected ", in_quotes(now_.text)}));
  }
  [[noreturn]] void refuse_subgraph() const {
    refuse("a subgraph is the end of an edge, and only nodes are read as ends");
  }

  void statement() {
    if (take_sign(";")) return;
    if (take_sign("{")) {
      ++open_;
    } else if (take_sign("}")) {
      --open_;
      if (now_.is("->")) refuse_subgraph();
    } else if (take_keyword("subgraph")) {
      if (now_.is_id()) advance();
      if (!now_.is("{")) unexpected();
    } else if (take_keyword("graph")) {
      for (const dot_attribute& attribute : some_list()) put(attribute);
    } else if (take_keyword("node")) {
      for (const dot_attribute& attribute : some_list()) refuse_default(attribute, is_dot_word(attribute.key));
    } else if (take_keyword("edge")) {
      for (const dot_attribute& attribute : some_list()) refuse_default(attribute, attribute.key == "weight");
    } else {
      named();
    }
  }

  /// A statement that begins with a name: `a = b`, an edge or a node.
  void named() {
    if (!now_.is_id()) unexpected();
    const dot_token first = take();
    if (take_sign("=")) return put({first.text, value(), first.line});
    if (now_.is("->")) return edges(first);
    const std::size_t node = number(first);
    for (const dot_attribute& attribute : list()) graph_.put(node, attribute);
  }

  /// An attribute of the graph; ignored in a subgraph.
  void put(const dot_attribute& given) {
    if (open_ == 1) graph_.put(given);
  }

  /// Rejects a default attribute of later nodes or edges if it is meaningful.
  void refuse_default(const dot_attribute& given, bool means_something) const {
    if (!means_something) return;
    fail(invalid_input(lexer_.place(given.line),
                       joined({in_quotes(given.key), " is set for all that follow, and is read of each alone"})));
  }

  std::string value() {
    if (!now_.is_id() && now_.what != dot_token::kind::html) unexpected();
    return take().text;
  }

  /// `[key=value, ...]`, any number of times.
  std::vector<dot_attribute> list() {
    std::vector<dot_attribute> result;
    while (take_sign("[")) {
      while (!take_sign("]")) {
        if (!now_.is_id()) unexpected();
        dot_token key = take();
        if (!take_sign("=")) unexpected();
        result.push_back({std::move(key.text), value(), key.line});
        if (!take_sign(",")) take_sign(";");
      }
    }
    return result;
  }

  /// The same, at least once.
  std::vector<dot_attribute> some_list() {
    if (!now_.is("[")) unexpected();
    return list();
  }

  std::size_t number(const dot_token& named) {
    if (now_.is(":")) unexpected();
    return graph_.number(named.text, named.line);
  }

  /// `a -> b -> c [...]`.
  void edges(const dot_token& first) {
    std::vector<std::size_t> nodes = {number(first)};
    std::vector<std::size_t> lines;
    while (now_.is("->")) {
      lines.push_back(now_.line);
      advance();
      if (now_.is("{") || now_.is_keyword("subgraph")) refuse_subgraph();
      if (!now_.is_id()) unexpected();
      const dot_token end = take();
      nodes.push_back(number(end));
    }
    const std::vector<dot_attribute> all = list();
    const dot_attribute* weight = nullptr;
    for (const dot_attribute& attribute : all) weight = attribute.key == "weight" ? &attribute : weight;
    for (std::size_t e = 0; e < lines.size(); ++e) graph_.join(nodes[e], nodes[e + 1], lines[e], weight);
  }

  dot_lexer lexer_;
  dot_graph graph_;
  dot_token now_{};
  std::size_t open_ = 0;  // braces
};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
