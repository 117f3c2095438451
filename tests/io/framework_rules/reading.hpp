// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What the checkers of all frameworks share: reading a text from scratch, and where a framework builds each layer.
namespace framework_rules {

inline constexpr std::size_t nowhere = ~std::size_t{0};

/// How a framework hands out the stages: in turn, or down and back up.
enum class shape { loop, v, any };

/// What a framework makes of a text: the rules that are broken, and the stage on which it builds every layer.
struct verdict {
  std::vector<std::string> broken{};
  std::vector<std::size_t> stage{};
  shape ranks = shape::loop;

  explicit verdict(std::size_t layers) : stage(layers, nowhere) {}

  /// Notes a rule that does not hold.
  bool demand(bool holds, std::string rule) {
    if (!holds) broken.push_back(std::move(rule));
    return holds;
  }
};

inline std::string said(std::size_t number) { return std::to_string(number); }

/// A text, read from the left; every `take…` passes blanks first, and moves on only if it finds what it looks for.
class scanner {
 public:
  explicit scanner(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() {
    blanks();
    return rest_.empty();
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

  bool take(std::string_view word) {
    blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  /// Up to the character, which is taken too; all that is left if it is not there.
  std::string_view take_until(char end) {
    const std::size_t at = rest_.find(end);
    const std::string_view found = rest_.substr(0, at);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + 1);
    return found;
  }

  std::optional<long long> take_number() {
    blanks();
    const bool negative = rest_.starts_with('-');
    std::size_t i = negative ? 1 : 0;
    const std::size_t first = i;
    long long value = 0;
    for (; i < rest_.size() && rest_[i] >= '0' && rest_[i] <= '9' && i < first + 15; ++i)
      value = 10 * value + (rest_[i] - '0');
    if (i == first) return std::nullopt;
    rest_.remove_prefix(i);
    return negative ? -value : value;
  }

  /// A string of Python, TOML or JSON without its quotes and escapes.
  std::optional<std::string> take_string() {
    blanks();
    if (rest_.empty() || (rest_[0] != '"' && rest_[0] != '\'')) return std::nullopt;
    const char quote = rest_[0];
    std::size_t i = 1;
    while (i < rest_.size() && rest_[i] != quote) i += rest_[i] == '\\' ? 2 : 1;
    if (i >= rest_.size()) return std::nullopt;
    std::string found = unescaped(rest_.substr(1, i - 1));
    rest_.remove_prefix(i + 1);
    return found;
  }

  /// `[each, each]`; `each()` takes one and says whether it was there.
  template <class Each>
  bool take_list(const Each& each, std::string_view open = "[", std::string_view close = "]") {
    if (!take(open)) return false;
    if (take(close)) return true;
    do {
      if (!each()) return false;
    } while (take(","));
    return take(close);
  }

  std::optional<std::vector<long long>> take_numbers() {
    std::vector<long long> found;
    const auto each = [&] {
      const auto number = take_number();
      if (number) found.push_back(*number);
      return number.has_value();
    };
    if (!take_list(each)) return std::nullopt;
    return found;
  }

  [[nodiscard]] static std::string unescaped(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char next = i + 1 < text.size() ? text[i + 1] : '\0';
      const std::size_t digits = text[i] != '\\' ? 0 : next == 'u' ? 4 : next == 'U' ? 8 : next == 'x' ? 2 : 0;
      if (digits != 0) {
        append_utf8(result, std::stoul(std::string(text.substr(i + 2, digits)), nullptr, 16));
        i += 1 + digits;
      } else if (text[i] == '\\') {
        result += next == 'n' ? '\n' : next == 't' ? '\t' : next == 'r' ? '\r' : next;
        ++i;
      } else {
        result += text[i];
      }
    }
    return result;
  }

 private:
  void blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }

  static void append_utf8(std::string& to, unsigned long code) {
    if (code < 0x80) {
      to += static_cast<char>(code);
      return;
    }
    const std::size_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    const unsigned long lead[] = {0, 0xc0, 0xe0, 0xf0};
    to += static_cast<char>(lead[more] | (code >> (6 * more)));
    for (std::size_t i = more; i-- > 0;) to += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f));
  }

  std::string_view rest_;
};

/// The text's lines.
inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// The names of a layer's modules in the framework's model.
inline std::vector<std::string> modules_of(const stagecut::layer& each) {
  const std::vector<std::string>& names = each.modules;
  return names.empty() ? std::vector<std::string>{each.name} : names;
}

/// Whether a layer sees images: part of a vision tower, or the projector behind it.
inline bool sees(const stagecut::layer& each) {
  return each.kind == "vision" || each.kind == "vision_embedding" || each.kind == "projector";
}

inline std::size_t count_kind(const stagecut::profile& model, std::string_view kind) {
  std::size_t count = 0;
  for (const auto& layer : model.layers) count += layer.kind == kind ? 1 : 0;
  return count;
}

/// Layers that share parameters with another one: pairs by number.
inline std::vector<std::pair<std::size_t, std::size_t>> ties_of(const stagecut::profile& model) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const std::vector<stagecut::tied_parameters>& mine = model.layers[i].tied;
    for (std::size_t j = 0; j < i; ++j) {
      const std::vector<stagecut::tied_parameters>& theirs = model.layers[j].tied;
      for (const auto& a : mine) {
        for (const auto& b : theirs) {
          if (a.name == b.name) pairs.emplace_back(j, i);
        }
      }
    }
  }
  return pairs;
}

/// No two stages share parameters: where a framework sums their gradients nowhere.
inline void demand_no_ties_between_stages(const stagecut::profile& model, verdict& out) {
  for (const auto& [a, b] : ties_of(model)) {
    out.demand(out.stage[a] == out.stage[b],
               "parameters shared by stages " + said(out.stage[a]) + " and " + said(out.stage[b]));
  }
}

/// One of these schedules, if any was chosen, and none of the devices' own.
inline void demand_schedule(const stagecut::plan& made, std::vector<std::string_view> known, verdict& out) {
  out.demand(made.schedule.orders.empty(), "an order of the devices' own");
  if (made.schedule.name.empty()) return;
  bool found = false;
  for (const auto each : known) found = found || made.schedule.name == each;
  out.demand(found, "schedule " + made.schedule.name + " does not exist there");
}

/// On which stages a decoder-only model's single parts are built.
struct places {
  std::size_t norm = 0, mtp = 0, head = 0;
};

/// Builds a transformer: the layers before the counted ones on the first stage, the counted ones per stage, in order,
/// and the later parts as `where` specifies. Kinds that are unknown or out of order violate a rule.
inline void build_transformer(const stagecut::profile& model, std::string_view counted,
                              const std::vector<std::size_t>& counts, const places& where, verdict& out) {
  std::size_t stage = 0, built = 0, before = 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const stagecut::layer& each = model.layers[i];
    std::size_t order = 0;
    if (sees(each) || each.kind == "embedding") {
      out.stage[i] = 0;
      order = sees(each) ? 0 : 1;
    } else if (each.kind == counted) {
      order = 2;
      while (stage < counts.size() && built == counts[stage]) ++stage, built = 0;
      if (stage < counts.size()) out.stage[i] = stage, ++built;
    } else if (each.kind == "norm" || each.kind == "mtp" || each.kind == "head") {
      order = each.kind == "head" ? 4 : 3;
      out.stage[i] = each.kind == "norm" ? where.norm : each.kind == "mtp" ? where.mtp : where.head;
    } else {
      out.demand(false, "kind \"" + each.kind + "\" is none of its models'");
      order = before;
    }
    out.demand(order >= before, "layer \"" + each.name + "\" stands behind its place in the model");
    before = order;
  }
}

}  // namespace framework_rules
