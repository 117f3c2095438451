// SPDX-License-Identifier: BSL-1.0
// What every door says whose body can be compiled once for a program.
#include <stagecut/io/read_profile.hpp>
#include <stagecut/stagecut.hpp>

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

struct three_to_one {
  [[nodiscard]] std::size_t size() const { return 9; }
  [[nodiscard]] double forward(std::size_t, std::size_t item) const { return 1 + static_cast<double>(item % 4); }
  [[nodiscard]] double backward(std::size_t, std::size_t item) const { return 3 - static_cast<double>(item % 3); }
};

void print(const char* what, const stagecut::cuts& cut, double value) {
  std::printf("%s:", what);
  for (const auto stage : cut) std::printf(" %zu", stage.size());
  std::printf(" %.17g\n", value);
}

void run() {
  const std::string table =
      "name,kind,forward,backward,parameters,activations,output\na,,1,2,5,0,0\nb,,2,3,1,0,0\nc,,1.5,2,2,0,0\n"
      "d,,4,9,9,0,0\ne,,0.5,1,3,0,0\nf,,2.5,4,1,0,0\n";
  const auto model = stagecut::io::parse_profile(table, "table");
  stagecut::plan_request request{.devices = 3, .microbatches = 6};
  const auto made = stagecut::make_plan(model, request);
  print("make_plan", made->cuts, made->makespan.value_or(0));
  const auto planned = stagecut::plan_chain(model, request);
  print("plan_chain", planned->cuts, planned->objective.value);
  const auto compared = stagecut::compare_plans(model, request, stagecut::usual_choices(model));
  print("compare_plans", compared.best->cuts, compared.best->makespan.value_or(0));
  std::printf("%zu lines\n", compared.compared.size());
  for (const auto& row : stagecut::sweep_rows(model, request, {.devices = {2, 3}}))
    std::printf("%.17g\n", row.makespan);

  stagecut::makespan_request of;
  of.schedule = stagecut::one_forward_one_backward(3, 6);
  const auto found = stagecut::minimize_makespan(three_to_one(), of);
  print("minimize_makespan", found->cuts, found->value);
  of.schedule.orders[0].pop_back();
  try {
    stagecut::check_schedule(of.schedule);
  } catch (const std::invalid_argument& error) {
    std::puts(error.what());
  }
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
