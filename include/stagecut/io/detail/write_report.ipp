// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/pictures/write_report.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/detail/part_writer.hpp>
#include <stagecut/io/detail/pass_list.hpp>
#include <stagecut/io/detail/svg_text.hpp>
#include <stagecut/io/pictures/check_picture.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>
#include <stagecut/io/pictures/report.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// Writes the JSON that a report page reads.
class report_writer {
 public:
  explicit report_writer(function_ref<void(std::string_view)> write) : out_(write) {}

  void add(const report& all) {
    out_.put("{\"title\":", text(all.title));
    if (!all.seconds) out_.put(",\"seconds\":false");
    list("figures", all.figures,
         [&](const auto& each) { out_.put("[", text(each.first), ",", text(each.second), "]"); });
    if (!all.table.columns.empty()) out_.put(",\"table\":"), add(all.table, "caption");
    list("plans", all.plans, [&](const report_plan& plan) { add(plan); });
    if (!all.layers.empty()) cuts(all);
    list("prices", all.prices, [&](const report_table& table) { add(table, "title"); });
    list("lines", all.lines, [&](const report_line& line) {
      out_.put("{\"name\":", text(line.name), line.refused ? ",\"refused\":" : ",\"text\":", text(line.text), "}");
    });
    if (!all.points.empty()) scatter(all);
    out_.put("}");
    out_.finish();
  }

 private:
  /// A text as JSON that cannot end an element of a page.
  [[nodiscard]] static std::string text(const std::string& value) {
    using nlohmann::json;
    const std::string plain = json(value).dump(-1, ' ', true, json::error_handler_t::replace);
    std::string safe;
    for (const char character : plain) character == '<' ? safe += "\\u003c" : safe += character;
    return safe;
  }

  /// The elements of a list, with commas between them.
  template <class List, class Each>
  void elements(const List& values, const Each& each) {
    out_.put("[");
    bool any = false;
    for (const auto& value : values) {
      if (any) out_.put(",");
      any = true;
      each(value);
    }
    out_.put("]");
  }

  /// A member that is a list, omitted if empty.
  template <class List, class Each>
  void list(std::string_view name, const List& values, const Each& each) {
    if (values.empty()) return;
    out_.put(",\"", name, "\":");
    elements(values, each);
  }

  void add(const report_table& table, std::string_view name) {
    out_.put("{\"", name, "\":", text(table.title));
    if (!table.note.empty()) out_.put(",\"note\":", text(table.note));
    const auto cell = [&](const std::string& each) { out_.put(text(each)); };
    out_.put(",\"columns\":");
    elements(table.columns, cell);
    out_.put(",\"rows\":");
    elements(table.rows, [&](const auto& row) { elements(row, cell); });
    out_.put("}");
  }

  void add(const report_plan& plan) {
    const pipeline_picture& picture = plan.picture;
    out_.put("{\"title\":", text(title_of(picture)), ",\"makespan\":", picture.run.makespan);
    if (!plan.facts.empty()) out_.put(",\"facts\":", text(plan.facts));
    if (!picture.seconds) out_.put(",\"seconds\":false");
    if (!picture.bytes) out_.put(",\"bytes\":false");
    list("chunk_of", chunks_of_stages(picture.order), [&](std::size_t each) { out_.put(each); });
    if (!plan.stages.columns.empty()) out_.put(",\"stages\":"), add(plan.stages, "caption");
    const pass_list passes(picture);
    out_.put(",\"ranks\":[");
    for (std::size_t r = 0; r < picture.order.ranks(); ++r) {
      if (r != 0) out_.put(",\n");
      rank(picture, passes, r);
    }
    out_.put("]}");
  }

  /// What a rank does, as vectors with one element per pass.
  void rank(const pipeline_picture& picture, const pass_list& passes, std::size_t r) {
    std::string kinds;
    const auto each = [&](std::string_view name, const auto& put) {
      out_.put(",\"", name, "\":[");
      for (std::size_t i = passes.first(r); i < passes.first(r + 1); ++i) {
        if (i != passes.first(r)) out_.put(",");
        put(i);
      }
      out_.put("]");
    };
    for (std::size_t i = passes.first(r); i < passes.first(r + 1); ++i) kinds += letter(passes[i].what.kind);
    out_.put("{\"kinds\":\"", kinds, "\"");
    const auto index = [&](bool known, std::size_t value) { known ? out_.put(value) : out_.put("-1"); };
    each("stages", [&](auto i) { index(passes[i].what.kind != op_kind::optimizer_step, passes[i].what.stage); });
    each("microbatches", [&](auto i) { index(has_microbatch(passes[i].what.kind), passes[i].what.microbatch); });
    if (picture.order.slices > 1) each("slices", [&](auto i) { out_.put(passes[i].what.slice); });
    each("start", [&](auto i) { out_.put(passes[i].start); });
    each("end", [&](auto i) { out_.put(passes[i].end); });
    each("causes", [&](auto i) {
      const std::size_t cause = passes.cause(i);
      index(cause != pass_list::none, cause);
    });
    if (r < picture.run.ranks.size()) out_.put(",\"busy\":", picture.run.ranks[r].busy);
    if (r < picture.run.ranks.size() && picture.run.blocks()) out_.put(",\"blocked\":", picture.run.ranks[r].blocked);
    if (!picture.memory.empty()) memory(picture.memory[r]);
    if (const auto limit = picture.limit_of(r)) out_.put(",\"limit\":", *limit);
    out_.put("}");
  }

  void memory(const rank_memory<double>& of) {
    out_.put(",\"memory\":{\"resident\":", of.resident, ",\"at\":");
    elements(of.curve, [&](const auto& point) { out_.put(point.time); });
    out_.put(",\"bytes\":");
    elements(of.curve, [&](const auto& point) { out_.put(of.resident + point.activations); });
    out_.put("}");
  }

  void cuts(const report& all) {
    out_.put(",\"cuts\":{\"layers\":");
    elements(all.layers,
             [&](const auto& each) { out_.put("{\"name\":", text(each.first), ",\"seconds\":", each.second, "}"); });
    out_.put(",\"rows\":");
    elements(all.cuts, [&](const report_cut& cut) {
      out_.put("{\"name\":", text(cut.name), ",\"facts\":", text(cut.facts), ",\"cuts\":[0");
      for (const std::size_t point : cut.points) out_.put(",", point);
      out_.put(",", all.layers.size(), "]}");
    });
    out_.put("}");
  }

  void scatter(const report& all) {
    out_.put(",\"scatter\":{\"points\":");
    elements(all.points, [&](const report_point& point) {
      out_.put("{\"name\":", text(point.name), ",\"schedule\":", text(point.schedule), ",\"time\":", point.time,
               ",\"memory\":", point.memory, ",\"front\":", point.front ? "true" : "false");
      if (point.plan) out_.put(",\"plan\":"), add(*point.plan);
      out_.put("}");
    });
    if (all.memory_limit) out_.put(",\"limit\":", *all.memory_limit);
    out_.put("}");
  }

  /// The letter of a kind of pass in the page.
  [[nodiscard]] static char letter(op_kind kind) { return "FBIWsrSRugaU"[static_cast<std::size_t>(kind)]; }

  part_writer out_;
};

/// Rejects what no page can show.
inline void check_report(const report& all) {
  for (const report_plan& plan : all.plans) check_picture("write_report", plan.picture);
  const auto require = [](bool holds, const char* argument, std::size_t value, const char* problem) {
    if (!holds) stagecut::detail::fail(argument_error("io::write_report", argument, std::to_string(value), problem));
  };
  const auto amount = [](double value) { return is_finite(value) && !is_negative(value); };
  for (std::size_t i = 0; i < all.layers.size(); ++i)
    require(amount(all.layers[i].second), "layers", i, "takes no time");
  for (std::size_t i = 0; i < all.cuts.size(); ++i) {
    std::size_t before = 0;
    for (const std::size_t point : all.cuts[i].points) {
      require(before <= point && point <= all.layers.size(), "cuts", i, "does not cut these layers");
      before = point;
    }
  }
  for (std::size_t i = 0; i < all.points.size(); ++i) {
    require(amount(all.points[i].time) && amount(all.points[i].memory), "points", i, "has no time or memory");
    if (all.points[i].plan) check_picture("write_report", all.points[i].plan->picture);
  }
  require(!all.memory_limit || amount(*all.memory_limit), "memory_limit", 0, "is no amount");
}

}  // namespace detail

STAGECUT_DECL void write_report_data(const report& all, function_ref<void(std::string_view)> write) {
  detail::check_report(all);
  detail::report_writer(write).add(all);
}

STAGECUT_DECL void write_report(const report& all, const report_page& page,
                                function_ref<void(std::string_view)> write) {
  detail::check_report(all);
  std::string_view rest = page.skeleton;
  std::vector<std::string_view> parts;
  for (const std::string_view place : {"{{title}}", "{{style}}", "{{data}}", "{{script}}"}) {
    const std::size_t at = rest.find(place);
    if (at == std::string_view::npos) {
      stagecut::detail::fail(argument_error("io::write_report", "page.skeleton", std::string(place), "is missing"));
    }
    parts.push_back(rest.substr(0, at));
    rest.remove_prefix(at + place.size());
  }
  write(parts[0]);
  write(detail::xml_text(all.title));
  write(parts[1]);
  write(page.style);
  write(parts[2]);
  detail::report_writer(write).add(all);
  write(parts[3]);
  write(page.script);
  write(rest);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
