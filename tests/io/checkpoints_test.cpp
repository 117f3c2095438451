// SPDX-License-Identifier: BSL-1.0
// A checkpoint of each family: its total here and as published, and the table of them in docs/transformers.md.
#include <stagecut/io/json/hugging_face_config.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <stagecut/io/detail/families.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/json/parse_json.hpp>
#include <stagecut/profile/devices.hpp>
#include <stagecut/profile/parameters.hpp>
#include <stagecut/profile/transformer.hpp>
#include <stagecut/profile/transformer_inference.hpp>

namespace {

const std::string folder = STAGECUT_TEST_DATA "/io/";

struct checkpoint {
  std::string family, name, source;
  double parameters;
};

std::vector<checkpoint> checkpoints() {
  std::vector<checkpoint> made;
  std::istringstream lines(stagecut::io::file_text(folder + "checkpoints.csv"));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    checkpoint each;
    std::string number;
    std::getline(fields, each.family, ',');
    std::getline(fields, each.name, ',');
    std::getline(fields, number, ',');
    std::getline(fields, each.source);
    each.parameters = std::strtod(number.c_str(), nullptr);
    made.push_back(each);
  }
  return made;
}

std::string config_of(const checkpoint& of) {
  return stagecut::io::file_text(folder + "seeds/hugging_face_config/" + of.name + ".json");
}

std::string with_commas(double count) {
  std::string made = std::to_string(static_cast<unsigned long long>(count));
  for (std::size_t at = made.size(); at > 3;) made.insert(at -= 3, ",");
  return made;
}

// The counts of the library transformers leave out what it holds as buffers: biases of routers; norms of
// OLMo have no parameters. Cards round.
double tolerance(const checkpoint& of) { return of.source == "model card" ? 0.01 : 5e-5; }

}  // namespace

TEST_CASE("checkpoints of all families have the parameters that are published") {
  for (const checkpoint& each : checkpoints()) {
    CAPTURE(each.name);
    const auto made = stagecut::io::read_hugging_face_config(config_of(each), each.name);
    CHECK(made.source.starts_with("config.json, read as " + each.family));
    const auto counted = stagecut::transformer::count_parameters(made);
    const bool further = each.source.find("further token") != std::string::npos;
    const double total = counted.total + (further ? counted.further : 0);
    CHECK(std::abs(total - each.parameters) <= tolerance(each) * each.parameters);
    CHECK(counted.active <= counted.total);
  }
}

TEST_CASE("each family has a checkpoint") {
  std::set<std::string> seen;
  for (const checkpoint& each : checkpoints()) {
    seen.insert(each.family);
    const auto whole = stagecut::io::parse_json(config_of(each), each.name);
    for (const char* const inner : {"text_config", "llm_config"}) {
      if (whole.contains(inner) && whole[inner].contains("model_type"))
        seen.insert(whole[inner]["model_type"].get<std::string>());
    }
    // The object of the text may leave its family to the model around it.
    if (whole.contains("text_config") || whole.contains("vision_config")) seen.insert(each.family + "_text");
  }
  for (const auto& each : stagecut::io::detail::text_families) CHECK_MESSAGE(seen.count(each.name) == 1, each.name);
  for (const auto& each : stagecut::io::detail::pair_families) CHECK_MESSAGE(seen.count(each.name) == 1, each.name);
}

TEST_CASE("a pass multiplies each parameter once that a token meets") {
  using namespace stagecut::transformer;
  for (const checkpoint& each : checkpoints()) {
    CAPTURE(each.name);
    architecture a = stagecut::io::read_hugging_face_config(config_of(each), each.name);
    a.mtp_layers = 0;
    a.vision.reset();
    const double rows = static_cast<double>(a.hidden);
    const double looked_up =
        static_cast<double>((a.tied == tying::none ? a.vocabulary : 0) + a.positions + a.token_types) * rows;
    const double matrices = count_parameters(a).active - looked_up;  // and norms, biases, convolutions: less than 1 %
    const auto multiplied = [](const std::vector<pass_terms>& all) {
      double flops = 0;
      for (const pass_terms& layer : all) {
        for (const term& one : layer.forward) flops += one.kind == term_kind::product ? one.flops : 0;
      }
      return flops / 2;
    };
    CHECK(multiplied(explain(a, {.sequence = 256})) / 256 == doctest::Approx(matrices).epsilon(0.01));
    if (a.encoder) continue;
    const double served = multiplied(explain_inference(a, {.sequence = 256}, serving_phase::decode, devices[4]));
    CHECK(served == doctest::Approx(matrices).epsilon(0.01));
  }
}

TEST_CASE("the page has the table of them") {
  std::string table =
      "| `model_type` | checkpoint | parameters | published | active | kept of a token |\n|---|---|---|---|---|---|\n";
  for (const checkpoint& each : checkpoints()) {
    const auto made = stagecut::io::read_hugging_face_config(config_of(each), each.name);
    const auto counted = stagecut::transformer::count_parameters(made);
    const auto kept = stagecut::transformer::count_cached(made);
    table +=
        "| `" + each.family + "` | " + each.name + " | " + with_commas(counted.total) + " | " +
        with_commas(each.parameters) + ", " +
        (each.source[0] == '"' ? each.source.substr(1, each.source.size() - 2) : each.source) + " | " +
        (counted.active == counted.total ? "all" : with_commas(counted.active)) + " | " +
        (made.encoder ? ""
                      : with_commas(kept.per_token) + (kept.at_most == 0 ? "" : " + " + with_commas(kept.at_most))) +
        " |\n";
  }
  const std::string page = stagecut::io::file_text(STAGECUT_TEST_DATA "/../docs/transformers.md");
  if (page.find(table) == std::string::npos) {
    FAIL_CHECK("docs/transformers.md must have this table:\n" << table);
  }
}
