// SPDX-License-Identifier: BSL-1.0
// `json_print profile` and `json_print plan` print one with every field set, `json_print graph_plan` one of stages that are
// no intervals, with an order; with `read` before it, they say of each line of the standard input what the reader says.
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/io/json/json_profile.hpp>

#include <iostream>
#include <string>

#include "random_plans.hpp"

int main(int count, char** arguments) {
  const bool read = count == 3 && std::string(arguments[1]) == "read";
  const std::string what = arguments[count - 1];
  const bool plan = what != "profile";
  if (!read && what == "graph_plan") {
    std::cout << stagecut::io::as_json(full_graph_plan()) << '\n';
    return 0;
  }
  if (!read) {
    stagecut::plan full = full_plan();
    full.schedule.group = full.schedule.microbatches;
    full.schedule.name = "seq-1f1b";
    full.schedule.slices = 2;
    std::cout << (plan ? stagecut::io::as_json(full) : stagecut::io::as_json(full_profile())) << '\n';
    return 0;
  }
  for (std::string line; std::getline(std::cin, line);) {
    try {
      plan ? (void)stagecut::io::parse_json_plan(line, "x") : (void)stagecut::io::parse_json_profile(line, "x");
      std::cout << "read\n";
    } catch (const stagecut::invalid_input& error) {
      std::cout << error.what() << '\n';
    }
  }
}
