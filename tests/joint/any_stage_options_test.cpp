// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <tuple>
#include <vector>

#include <stagecut/joint/detail/any_stage_options.hpp>

#include <doctest/doctest.h>

using namespace stagecut;

namespace {

using shown = std::vector<std::tuple<std::size_t, std::size_t, double>>;

/// A stage takes its number of items over its number of devices.
struct plain {
  std::size_t items = 4;

  [[nodiscard]] std::size_t size() const { return items; }
  template <class Visit>
  void each_option(const stage_query& query, const Visit& visit) const {
    for (std::size_t r = 1; r <= 2; ++r) {
      stage_option option;
      option.replicas = r;
      option.time = static_cast<double>(query.last - query.first) / static_cast<double>(r);
      if (option.time <= query.most_time) visit(option);
    }
  }
};

/// The same, with all optional members of a model: stages begin at even points.
struct telling : plain {
  [[nodiscard]] std::size_t period() const { return 3; }
  [[nodiscard]] double least_work(std::size_t point) const { return 2 * static_cast<double>(point); }
  template <class Visit>
  void each_stage(std::size_t last, const Visit& visit) const {
    each_stage_between(last, 0, 1000, visit);
  }
  template <class Visit>
  void each_stage_between(std::size_t last, double least, double most, const Visit& visit) const {
    for (std::size_t first = last; first-- > 0;) {
      if (first % 2 != 0 || least_work(first) < least || least_work(first) > most) continue;
      if (!visit(first, detail::options_between<plain>{*this})) return;
    }
  }
};

/// The options of the stages that `each(visit)` shows, up to a time.
template <class Each>
shown options_of(std::size_t last, double most_time, std::size_t stages, const Each& each) {
  shown all;
  each([&](std::size_t first, const auto& options) {
    stage_query query{first, last};
    query.most_time = most_time;
    options.each_option(query,
                        [&](const stage_option& option) { all.emplace_back(first, option.replicas, option.time); });
    return --stages > 0;
  });
  return all;
}

template <class Model>
void compare(const Model& model) {
  const detail::stage_options_of any(model);
  const detail::any_stage_options& asked = any;
  CHECK(asked.size() == model.size());
  CHECK(asked.period() == detail::period_of(model));
  CHECK(asked.of_chain() == detail::is_chain<Model>);
  for (std::size_t last = 1; last <= model.size(); ++last) {
    CHECK(asked.least_work(last) == detail::least_work_of(model, last));
    for (const double most : {0.5, 2.0, 9.0}) {
      for (const std::size_t stages : {1U, 2U, 9U}) {
        CHECK(options_of(last, most, stages, [&](const auto& visit) { asked.each_stage(last, visit); }) ==
              options_of(last, most, stages, [&](const auto& visit) { detail::each_stage_to(model, last, visit); }));
        CHECK(options_of(last, most, stages, [&](const auto& visit) { asked.each_stage_between(last, 1, 5, visit); }) ==
              options_of(last, most, stages,
                         [&](const auto& visit) { detail::each_stage_between(model, last, 1, 5, visit); }));
      }
    }
  }
}

}  // namespace

TEST_CASE("what a model tells is told by its interface, and what it does not tell as by the functions for models") {
  compare(plain());
  compare(telling());
  CHECK(detail::is_chain<plain>);
  CHECK_FALSE(detail::is_chain<telling>);
  CHECK(options_of(4, 9, 9, [](const auto& visit) {
          detail::stage_options_of<telling>(telling()).each_stage_between(4, 1, 5, visit);
        }) == shown{{2, 1, 2}, {2, 2, 1}});
}
