// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

// The attributes of a graph in DOT with a meaning here.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// An attribute and its position.
struct dot_attribute {
  std::string key;
  std::string value;
  std::size_t line = 0;
};

/// A node and its attributes.
struct dot_node {
  layer each{};
  std::size_t line = 0;            ///< line of its first mention
  std::optional<double> weight{};  ///< seconds, if no other word gives them
  std::optional<double> sent{};    ///< bytes, according to its edges
  bool says_backward = false;      ///< has its own time
  bool says_output = false;        ///< has its own output
};

/// Whether a word is meaningful for a node, besides the figures of a layer.
[[nodiscard]] inline bool is_dot_word(std::string_view key) {
  constexpr std::array<std::string_view, 7> words = {"weight", "cpu", "stage", "kind", "group", "accelerator", "pass"};
  bool known = false;
  for (const std::string_view word : words) known = known || key == word;
  const layer none;
  stagecut::detail::each_figure(none, [&](std::string_view figure, const auto&) { known = known || key == figure; });
  return known;
}

/// Reads what attributes mean.
class dot_names {
 public:
  /// @param source  what errors call the text
  explicit dot_names(std::string_view source) : source_(source) {}

  /// Sets an attribute of a node; ignores meaningless ones.
  void put(dot_node& node, const dot_attribute& given) const {
    layer& each = node.each;
    stagecut::detail::each_figure(each, [&](std::string_view key, auto& figure) {
      if (given.key == key) figure = number(given);
    });
    if (given.key == "weight") node.weight = number(given);
    if (given.key == "cpu") each.cpu = number(given);
    if (given.key == "stage") each.stage = stage(given);
    if (given.key == "kind") each.kind = given.value;
    if (given.key == "group") each.group = given.value;
    if (given.key == "accelerator") each.accelerator = is_second(given, "false", "true");
    if (given.key == "pass") each.is_backward = is_second(given, "both", "backward");
    node.says_backward = node.says_backward || given.key == "backward";
    node.says_output = node.says_output || given.key == "output";
  }

  /// Sets an attribute of the whole graph; ignores meaningless ones.
  void put(stated_machine& machine, const dot_attribute& given) const {
    if (given.key == "devices") machine.devices = count(given);
    if (given.key == "cpus") machine.cpus = count(given);
    if (given.key == "memory") machine.memory = number(given);
    if (given.key != "latency" && given.key != "bandwidth") return;
    if (!machine.link) machine.link = link_speed{};
    (given.key == "latency" ? machine.link->latency : machine.link->bandwidth) = number(given);
  }

  /// A finite number that is not negative.
  [[nodiscard]] double number(const dot_attribute& given) const {
    return amount(given.value, given.key, place(given.line));
  }

  /// `SOURCE:LINE`.
  [[nodiscard]] std::string place(std::size_t line) const { return joined({source_, ":", line}); }

 private:
  [[nodiscard]] std::size_t count(const dot_attribute& given) const {
    const double value = number(given);
    const auto whole = value < 9007199254740992.0 ? static_cast<std::size_t>(value) : 0;
    if (static_cast<double>(whole) == value) return whole;
    fail(invalid_input(place(given.line), joined({given.key, ": ", in_quotes(given.value), " is no whole number"})));
  }

  [[nodiscard]] std::uint32_t stage(const dot_attribute& given) const {
    const std::size_t value = count(given);
    if (value <= std::numeric_limits<std::uint32_t>::max()) return static_cast<std::uint32_t>(value);
    fail(invalid_input(place(given.line),
                       joined({given.key, ": ", in_quotes(given.value), " is no stage: it must be below 2^32"})));
  }

  /// Whether the second of two words is given.
  [[nodiscard]] bool is_second(const dot_attribute& given, std::string_view first, std::string_view second) const {
    if (given.value == first || given.value == second) return given.value == second;
    fail(invalid_input(place(given.line),
                       joined({given.key, ": ", in_quotes(given.value), " is neither ", first, " nor ", second})));
  }

  std::string_view source_;
};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
