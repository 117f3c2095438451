// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>

// The words in the names of columns: `fwd_ms`, `Forward time (ms)`, `# params`.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The content of a column in a table of layers.
enum class column : std::uint8_t {
  name,
  kind,
  forward,
  backward,
  backward_input,
  backward_weight,
  time,  ///< of an unnamed pass
  parameters,
  resident,
  activations,
  output,
  workspace,
  recomputed,
  unknown
};

/// Our name for it.
[[nodiscard]] constexpr std::string_view column_name(column what) noexcept {
  constexpr std::string_view names[] = {
      "name",       "kind",     "forward",     "backward", "backward_input", "backward_weight", "time",
      "parameters", "resident", "activations", "output",   "workspace",      "recomputed",      "unknown"};
  return names[static_cast<std::size_t>(what)];
}

/// The role of a word in the name of a column.
enum column_part : std::uint32_t {
  part_none = 0,
  part_other = 1U << 0U,  // an unknown word
  part_forward = 1U << 1U,
  part_backward = 1U << 2U,
  part_input = 1U << 3U,
  part_weight = 1U << 4U,
  part_gradient = 1U << 5U,
  part_pass = 1U << 6U,
  part_time = 1U << 7U,
  part_parameters = 1U << 8U,
  part_count = 1U << 9U,
  part_resident = 1U << 10U,
  part_activations = 1U << 11U,
  part_memory = 1U << 12U,
  part_size = 1U << 13U,
  part_output = 1U << 14U,
  part_workspace = 1U << 15U,
  part_name = 1U << 16U,
  part_layer = 1U << 17U,
  part_kind = 1U << 18U,
  part_seconds = 1U << 19U,  // a unit of time
  part_bytes = 1U << 20U,    // a unit of memory
  part_recomputed = 1U << 21U,
};

/// A unit: the factor or divisor that converts a number to seconds, bytes or a plain count.
struct column_unit {
  std::string_view word{};
  std::uint32_t part = part_none;  ///< seconds, bytes or count
  double scale = 1;
  bool divides = false;  ///< divide by the scale, which is exact if its inverse is not

  [[nodiscard]] constexpr double operator()(double number) const noexcept {
    return divides ? number / scale : number * scale;
  }
};

inline constexpr column_unit column_units[] = {
    {"s", part_seconds},
    {"sec", part_seconds},
    {"secs", part_seconds},
    {"second", part_seconds},
    {"seconds", part_seconds},
    {"ms", part_seconds, 1e3, true},
    {"msec", part_seconds, 1e3, true},
    {"msecs", part_seconds, 1e3, true},
    {"millisecond", part_seconds, 1e3, true},
    {"milliseconds", part_seconds, 1e3, true},
    {"us", part_seconds, 1e6, true},
    {"usec", part_seconds, 1e6, true},
    {"usecs", part_seconds, 1e6, true},
    {"microsecond", part_seconds, 1e6, true},
    {"microseconds", part_seconds, 1e6, true},
    {"ns", part_seconds, 1e9, true},
    {"nsec", part_seconds, 1e9, true},
    {"nsecs", part_seconds, 1e9, true},
    {"nanosecond", part_seconds, 1e9, true},
    {"nanoseconds", part_seconds, 1e9, true},
    {"b", part_bytes},
    {"byte", part_bytes},
    {"bytes", part_bytes},
    {"kb", part_bytes, 1e3},
    {"mb", part_bytes, 1e6},
    {"gb", part_bytes, 1e9},
    {"tb", part_bytes, 1e12},
    {"kilobytes", part_bytes, 1e3},
    {"megabytes", part_bytes, 1e6},
    {"gigabytes", part_bytes, 1e9},
    {"terabytes", part_bytes, 1e12},
    {"kib", part_bytes, 1024.0},
    {"mib", part_bytes, 1048576.0},
    {"gib", part_bytes, 1073741824.0},
    {"tib", part_bytes, 1099511627776.0},
    {"kibibytes", part_bytes, 1024.0},
    {"mebibytes", part_bytes, 1048576.0},
    {"gibibytes", part_bytes, 1073741824.0},
    {"tebibytes", part_bytes, 1099511627776.0},
    {"k", part_count, 1e3},
    {"thousands", part_count, 1e3},
    {"m", part_count, 1e6},
    {"millions", part_count, 1e6},
    {"bn", part_count, 1e9},
    {"billions", part_count, 1e9},
};

/// The unit for a lower-case word, or none.
[[nodiscard]] constexpr const column_unit* find_unit(std::string_view word) noexcept {
  for (const column_unit& unit : column_units) {
    if (unit.word == word) return &unit;
  }
  return nullptr;
}

/// The role of a lower-case word that is no unit.
[[nodiscard]] constexpr std::uint32_t part_of(std::string_view word) noexcept {
  struct entry {
    std::string_view word;
    std::uint32_t part;
  };
  constexpr entry words[] = {
      {"forward", part_forward},
      {"fwd", part_forward},
      {"backward", part_backward},
      {"bwd", part_backward},
      {"dgrad", part_backward | part_input | part_gradient},
      {"wgrad", part_backward | part_weight | part_gradient},
      {"input", part_input},
      {"inputs", part_input},
      {"weight", part_weight},
      {"weights", part_parameters | part_weight},
      {"grad", part_gradient},
      {"gradient", part_gradient},
      {"pass", part_pass},
      {"compute", part_pass},
      {"time", part_time},
      {"times", part_time},
      {"duration", part_time},
      {"latency", part_time},
      {"elapsed", part_time},
      {"runtime", part_time},
      {"parameters", part_parameters},
      {"parameter", part_parameters},
      {"params", part_parameters},
      {"param", part_parameters},
      {"#", part_count},
      {"n", part_count},
      {"num", part_count},
      {"number", part_count},
      {"count", part_count},
      {"counts", part_count},
      {"numel", part_count},
      {"resident", part_resident},
      {"activations", part_activations},
      {"activation", part_activations},
      {"act", part_activations},
      {"acts", part_activations},
      {"memory", part_memory},
      {"mem", part_memory},
      {"size", part_size},
      {"output", part_output},
      {"outputs", part_output},
      {"out", part_output},
      {"workspace", part_workspace},
      {"scratch", part_workspace},
      {"recomputed", part_recomputed},
      {"name", part_name},
      {"layer", part_layer},
      {"module", part_layer},
      {"op", part_layer},
      {"operator", part_layer},
      {"kind", part_kind},
      {"type", part_kind},
      {"mean", part_none},
      {"avg", part_none},
      {"average", part_none},
      {"of", part_none},
      {"in", part_none},
  };
  for (const entry& each : words) {
    if (each.word == word) return each.part;
  }
  return part_other;
}

/// Whether a word can precede the capital letter of `kB` or `MiB`.
[[nodiscard]] inline bool begins_bytes(std::string_view word) noexcept {
  const std::size_t letters = word.size();
  return (letters == 1 || (letters == 2 && word[1] == 'i')) && std::string_view("kmgt").find(word[0]) != word.npos;
}

/// Whether a character separates words. Others are words: `#`, and `%` or `$`, which are units unknown here.
[[nodiscard]] constexpr bool separates(unsigned c) noexcept {
  return c <= ' ' || std::string_view("_-.,:;/\\()[]{}'\"`|").find(static_cast<char>(c)) != std::string_view::npos;
}

/// Takes the next word from a name, in lower case; empty at the end. Words end at a separator, and where a lower-case
/// letter precedes an upper-case one, except in `MiB`; other characters are words, and the letter mu is `u`.
[[nodiscard]] inline std::string take_word(std::string_view& name) {
  const auto byte = [&](std::size_t i) { return i < name.size() ? static_cast<unsigned char>(name[i]) : 0U; };
  std::string word;
  bool small = false;  // whether the last letter was lower-case
  while (!name.empty()) {
    const unsigned c = byte(0);
    const bool capital = c >= 'A' && c <= 'Z';
    const bool mu = (c == 0xC2 && byte(1) == 0xB5) || (c == 0xCE && byte(1) == 0xBC);
    if (capital && small && !(c == 'B' && begins_bytes(word))) break;
    if (c == 0xC2 && byte(1) == 0xA0) {  // a non-breaking space
      name.remove_prefix(2);
      if (!word.empty()) break;
      continue;
    }
    const bool letter = capital || mu || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80;
    const bool sign = !letter && !separates(c);
    if (sign && !word.empty()) break;
    if (letter || sign) {
      small = c >= 'a' && c <= 'z';
      word += mu ? 'u' : static_cast<char>(capital ? c - 'A' + 'a' : c);
      name.remove_prefix(mu ? 2 : 1);
      if (sign) break;
    } else {
      name.remove_prefix(1);
      if (!word.empty()) break;
    }
  }
  return word;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
