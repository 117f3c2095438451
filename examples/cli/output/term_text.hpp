// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/pass_terms.hpp>

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "output/table.hpp"
#include "options/quantity.hpp"

// The terms of a layer's times, each with its formula.

/// `271 TFLOP/s`.
inline std::string rate_text(double flops) { return fmt::format("{:.4g} TFLOP/s", flops * 1e-12); }

/// Microseconds of `count` kernels' ends: ` + 2*3 us`; nothing for none.
inline std::string tails_text(double count, double tail) {
  if (count == 0 || tail == 0) return "";
  return fmt::format(" + {}{:.3g} us", count == 1 ? "" : fmt::format("{:.6g}*", count), tail * 1e6);
}

/// The derivation of a term's seconds.
/// @param tail    seconds at the end of a kernel
/// @param launch  seconds of the host for a kernel
inline std::string formula_text(const stagecut::transformer::term& of, double memory_rate, double tail, double launch) {
  using enum stagecut::transformer::term_kind;
  const auto moved = [&] { return fmt::format("{} / {}/s", bytes_text(of.bytes), bytes_text(memory_rate)); };
  switch (of.kind) {
    case product:
      return fmt::format("{}2*{:.10g}*{:.10g}*{:.10g} / {} + {}{}",
                         of.count == 1 ? "" : fmt::format("{:.6g}*", of.count), of.m, of.k, of.n, rate_text(of.rate),
                         moved(), tails_text(1, tail));
    case attention:
      return fmt::format("{:.4g} TFLOP / {}{}", of.flops * 1e-12, rate_text(of.rate),
                         of.bytes > 0 ? " + " + moved() : "");
    case movement: return moved() + tails_text(of.kernels, tail);
    case message:
      return fmt::format(
          "{} {}at {}/s{}", bytes_text(of.bytes), of.members == 0 ? "" : fmt::format("among {:.6g} ", of.members),
          bytes_text(of.rate),
          of.seconds == of.alone ? "" : fmt::format(", {} but for what is hidden", seconds_text(of.alone)));
    case host:
      return fmt::format("what {:.6g} kernels * {:.3g} us exceed the device's time by, and waiting of each layer with experts",
                         of.kernels, launch * 1e6);
    case repetition: break;
  }
  return "as it ran before";
}

/// All terms of a layer, pass by pass, with the share of each in the seconds of its pass.
inline std::string terms_text(const std::string& layer, const stagecut::transformer::pass_terms& of,
                              double memory_rate, double tail, double launch) {
  table lines(0);
  lines.add({"pass", "seconds", "share", ""});
  std::vector<std::string> behind = {""};
  const auto add = [&](const char* pass, const std::vector<stagecut::transformer::term>& terms) {
    const double all = stagecut::transformer::seconds_of(terms);
    lines.add({pass, seconds_text(all), "", ""});
    behind.emplace_back();
    for (const auto& term : terms) {
      if (term.seconds == 0) continue;
      const double share = 100 * term.seconds / all;
      lines.add({fmt::format("  {}", term.name), seconds_text(term.seconds), fmt::format("{:.1f} %", share), ""});
      behind.push_back(formula_text(term, memory_rate, tail, launch));
    }
  };
  add("forward", of.forward);
  if (!of.input.empty()) add("gradient of the input", of.input);
  if (!of.weight.empty()) add("gradient of the weights", of.weight);
  if (!of.update.empty()) add("end of the iteration", of.update);
  return layer + "\n" + lines.text([&](std::size_t line) { return behind[line]; });
}
