// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

// Times and sizes in human-readable form.

/// A whole number from decimal digits: 010 is ten; nothing if there is a sign, a space, 0x or anything else.
inline std::optional<std::size_t> parse_count(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// A number such as 12, -0.5 or 1e-3; nothing if it is not finite, or contains a plus, a space, 0x or anything else.
inline std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  return whole ? std::optional(value) : std::nullopt;
}

/// Bytes from `80GiB`, `1.5 TB` or `85899345920`; nothing if it is not a size. Units of 1000 and of 1024 bytes.
inline std::optional<double> parse_bytes(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.size() > 1 && unit.starts_with(' ')) unit.remove_prefix(1);
  if (error != std::errc() || !std::isfinite(value) || std::signbit(value)) return std::nullopt;
  constexpr std::pair<std::string_view, double> units[] = {{"", 1},
                                                           {"B", 1},
                                                           {"kB", 1e3},
                                                           {"KB", 1e3},
                                                           {"MB", 1e6},
                                                           {"GB", 1e9},
                                                           {"TB", 1e12},
                                                           {"KiB", 1024.0},
                                                           {"MiB", 1048576.0},
                                                           {"GiB", 1073741824.0},
                                                           {"TiB", 1099511627776.0}};
  for (const auto& [name, bytes] : units) {
    if (unit == name && std::isfinite(value * bytes)) return value * bytes;
  }
  return std::nullopt;
}

/// The error for an invalid size: `40G is no size: write 40GB or 40GiB`, or the possible units.
inline std::string no_size(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, digits);
  std::string unit;
  for (const char character : text.substr(digits)) {
    if (character != ' ') unit += static_cast<char>(std::toupper(static_cast<unsigned char>(character)));
  }
  const bool known = unit.size() <= 3 && (unit == unit.substr(0, 1) || unit.ends_with("B") || unit.ends_with("I"));
  if (!parse_number(number) || unit.empty() || !known || std::string_view("KMGT").find(unit[0]) == std::string_view::npos) {
    return fmt::format("{} is no size: bytes, or 80GB, 80GiB, 1.5TiB", text);
  }
  return fmt::format("{} is no size: write {}{}B or {}{}iB", text, number, unit[0], number, unit[0]);
}

/// The question to ask about a size so small that its unit is missing; empty: it has one, is large, or is not a size.
inline std::string unit_question(std::string_view text) {
  const auto bytes = parse_bytes(text);
  const bool plain = !text.empty() && text.back() != 'B';
  if (!bytes || !plain || *bytes == 0 || *bytes >= 1048576) return "";
  const char letter = *bytes < 1000 ? 'G' : 'M';  // as in nvidia-smi
  return fmt::format("{} bytes? write {}{}B or {}{}iB, or {}B if bytes are meant", text, text, letter, text, letter,
                     text);
}

/// `12.3 GB/s`.
inline std::string bandwidth_text(double bytes) {
  constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 5) bytes /= 1000, ++unit;
  return fmt::format("{:.4g} {}/s", bytes, units[unit]);
}

/// `12.3 GiB`.
inline std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  int unit = 0;
  while (bytes >= 1024 && unit < 5) bytes /= 1024, ++unit;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

/// `12.3 %` of a share of 1; no sign if it rounds to zero.
inline std::string percent_text(double share) {
  const double percent = 100 * share;
  return fmt::format("{:.1f} %", percent > -0.05 && percent < 0.05 ? 0.0 : percent);
}

/// `12.3 ms`.
inline std::string seconds_text(double seconds) {
  if (seconds != 0 && seconds < 1e-3) return fmt::format("{:.4g} us", seconds * 1e6);
  if (seconds != 0 && seconds < 1) return fmt::format("{:.4g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}
