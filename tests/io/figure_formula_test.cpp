// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/figure_formula.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/families.hpp>
#include <stagecut/io/detail/family_reader.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>

namespace {

using namespace stagecut::io::detail;

// The value of a formula over an object, as an error would show it; or the error.
std::string value(std::string_view formula, const char* text = R"({"a": 3, "b": 4, "t": true, "w": "one", "n": null,
    "list": [5, 6, 6, 2], "object": {"c": 7}, "rows": [{"x": 1}, {"x": 2}], "letters": "MEM*"})") {
  const json parsed = parse_json(text, "f");
  const json_value whole(parsed, "f");
  const auto member = [&](std::string_view name) -> figure_value {
    const auto dot = name.find('.');
    auto found = whole.find(name.substr(0, dot));
    if (found && dot != name.npos) found = found->find(name.substr(dot + 1));
    return found ? figure_value{*found} : figure_value{lacking{name}};
  };
  const auto states = [&](std::string_view name) { return (*whole).contains(name); };
  try {
    return shown_figure(evaluate_formula(formula, {member, states}));
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("numbers are added, multiplied, divided in the usual order") {
  CHECK(value("a + b * 2") == "11");
  CHECK(value("(a + b) * 2 - 1") == "13");
  CHECK(value("b / a * a") == "4");
  CHECK(value("7 % b") == "3");
  CHECK(value("0.5 * a") == "1.5");
  CHECK(value("min(a, b) + max(a, b)") == "7");
  CHECK(value("floor(a / 2) + ceil(a / 2)") == "3");
  CHECK(value("a % 0") == "formula a % 0: \"\" is 0");
  CHECK(value("a / zero", R"({"a": 1, "zero": 0})") == "f#/zero: is 0");
  CHECK(value("a + w") == "f#/w: \"one\" is not a number");
}

TEST_CASE("conditions are of words, numbers and truths") {
  CHECK(value("a < b and not (b <= a)") == "true");
  CHECK(value("w == 'one' or refuse(w, 'no')") == "true");
  CHECK(value("a == b") == "false");
  CHECK(value("w != 1") == "true");
  CHECK(value("t ? a : b") == "3");
  CHECK(value("t and a > 3 ? 1 : t ? 2 : 3") == "2");
  CHECK(value("6 in list") == "true");
  CHECK(value("w in ['two', 'one']") == "true");
  CHECK(value("a ? 1 : 2") == "f#/a: 3 is neither true nor false");
}

TEST_CASE("what is missing is nothing, until something stands in for it") {
  CHECK(value("x") == "nothing");
  CHECK(value("n") == "nothing");
  CHECK(value("x + 1") == "nothing");
  CHECK(value("x ?? 2 * a") == "6");  // binds most tightly
  CHECK(value("first(x, n, b, a)") == "4");
  CHECK(value("x > 0") == "false");
  CHECK(value("x == nothing") == "true");
  CHECK(value("has(n)") == "true");
  CHECK(value("has(x)") == "false");
  CHECK(value("x ? 1 : 2") == "2");
}

TEST_CASE("lists, texts and objects have elements and members") {
  CHECK(value("list[1]") == "6");
  CHECK(value("list[9]") == "nothing");
  CHECK(value("list[a - 4]") == "nothing");
  CHECK(value("len(range(0 - 1000000000000000000000, 1, 8))") == "100000");
  CHECK(value("rows[1].x") == "2");
  CHECK(value("object.c") == "7");
  CHECK(value("letters[3]") == "*");
  CHECK(value("len(letters) + len(list)") == "8");
  CHECK(value("sum(list)") == "19");
  CHECK(value("one(list) + one(a)") == "8");
  CHECK(value("sorted(list)[1]") == "5");
  CHECK(value("len(range(1, 3, 8))") == "3");
  CHECK(value("listed(list, 5, 7)") == "true");
  CHECK(value("listed(list, 5, 6)") == "f#/list/1: 6 is not below 6");
}

TEST_CASE("words choose, and others are refused at their place") {
  CHECK(value("case(w, 'none', 1, 'one', 2)") == "2");
  CHECK(value("case(w, 'none', 1, 'two', 2)") == "f#/w: \"one\" is none of none, two");
  CHECK(value("case(a, 'none', 1)") == "f#/a: 3 is no string");
  CHECK(value("case(x, 'none', 1)") == "nothing");
  CHECK(value("refuse(object, 'is ', a, \" 'too' many\")") == "f#/object: is 3 'too' many");
}

TEST_CASE("what a condition excludes is read, and not evaluated") {
  CHECK(value("t ? 1 : refuse(a, 'no')") == "1");
  CHECK(value("t or refuse(a, 'no')") == "true");
  CHECK(value("false and refuse(a, 'no')") == "false");
  CHECK(value("t ? 1 : (") == "formula t ? 1 : (: \"\" is no name");
}

TEST_CASE("wrong syntax is refused where it is") {
  CHECK(value("") == "formula : \"\" is no name");
  CHECK(value("a b") == "formula a b: \"b\" is not understood");
  CHECK(value("(a") == "formula (a: \"\" has no \")\" before it");
  CHECK(value("'a") == "formula 'a: \"a\" has no end");
  CHECK(value("sqrt(a)") == "formula sqrt(a): \"\" follows \"sqrt\", which is no function");
  CHECK(value("min(a)") == "formula min(a): \"\" follows \"min\", which is no function");
  CHECK(value("max(1, 2, 3)").ends_with("which takes another number of arguments"));
  CHECK(value("1.2.3").find("is not a number") != std::string::npos);
  CHECK(value(std::string(100, '(')).find("is nested too deeply") != std::string::npos);
}

TEST_CASE("the rows of all families are understood, and their names are figures") {
  std::vector<std::string_view> figures = {"latent", "indexer", "recurrence"};
  key_reader keys(figures);
  stagecut::transformer::architecture a;
  stagecut::transformer::layer_form form;
  stagecut::transformer::vision_tower v;
  each_figure(a, keys);
  std::vector<std::string> known(figures.begin(), figures.end());
  const auto add = [&](const char* prefix, const auto& list) {
    std::vector<std::string_view> names;
    list(key_reader(names));
    for (const std::string_view name : names) known.push_back(std::string(prefix) + std::string(name));
  };
  add("layer.", [&](const auto& at) { each_form_figure(form, at); });
  add("vision.", [&](const auto& at) { each_vision_figure(v, at); });
  add("", [&](const auto& at) { each_vision_figure(v, at); });
  add("latent.", [&](const auto& at) { each_latent_figure(a.latent.emplace(), at); });
  add("recurrence.", [&](const auto& at) { each_recurrence_figure(a.recurrence.emplace(), at); });
  add("indexer.", [&](const auto& at) { each_indexer_figure(a.indexer.emplace(), at); });
  const auto none = [](std::string_view) { return figure_value{}; };
  const auto no = [](std::string_view) { return false; };
  const auto check = [&](const auto& families) {
    for (const family& each : families) {
      CAPTURE(each.name);
      for (const family_row& row : rows_of(each)) {
        CAPTURE(row.name);
        const std::string unevaluated = "false ? (" + std::string(row.formula) + ") : 0";
        CHECK_NOTHROW((void)evaluate_formula(unevaluated, {none, no}));
        if (row.kind != family_row::kinds::figure) continue;
        CHECK(std::find(known.begin(), known.end(), row.name) != known.end());
      }
    }
  };
  check(family_bases);
  check(text_families);
  check(tower_families);
  check(pair_families);
}
