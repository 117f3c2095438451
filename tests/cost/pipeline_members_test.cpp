// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/parts/pipeline_members.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/cost/stage_times.hpp>
#include <stagecut/cost/with_speeds.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

// What a user may write for the members that a pipeline model may have, and may get wrong.
namespace {

using namespace stagecut::detail;  // NOLINT(google-build-using-namespace)

struct nothing {};
struct right {
  double backward_weight(std::size_t, std::size_t) const;
  float backward_input(int, int) const;
  float stage_forward(int) const;
  static long stage_backward(std::size_t);
  const double& sent(std::size_t) const;
  template <class... Numbers>
  double memory(Numbers...) const;
  bool splits_backward() const;
  int recomputed(std::size_t, std::size_t, std::size_t) const;
  bool recomputes() const;
};
struct not_const {
  double backward_weight(std::size_t, std::size_t);
  double backward_input(std::size_t, std::size_t);
  double stage_forward(std::size_t);
  double stage_backward(std::size_t);
  double stage_backward_weight(std::size_t);
  double sent(std::size_t);
  double memory(std::size_t, std::size_t, std::size_t, std::size_t);
  double least_memory(std::size_t, std::size_t, std::size_t, std::size_t);
  double recomputed(std::size_t, std::size_t, std::size_t);
  bool recomputes();
  bool splits_backward();
};
struct other_arguments {
  double backward_weight(std::size_t) const;
  double backward_input() const;
  double stage_forward() const;
  double stage_backward(std::size_t, std::size_t) const;
  double stage_backward_weight(const char*) const;
  double sent(std::size_t, std::size_t) const;
  double memory(std::size_t, std::size_t, std::size_t) const;
  double least_memory(std::size_t, std::size_t, std::size_t, std::size_t, std::size_t) const;
  double recomputed(std::size_t, std::size_t) const;
  bool recomputes(std::size_t) const;
  bool splits_backward(std::size_t) const;
};
struct no_numbers {
  std::string backward_weight(std::size_t, std::size_t) const;
  nothing backward_input(std::size_t, std::size_t) const;
  void stage_forward(std::size_t) const;
  double* stage_backward(std::size_t) const;
  double stage_backward_weight;
  std::string sent;
  const char* memory(std::size_t, std::size_t, std::size_t, std::size_t) const;
  nothing least_memory(std::size_t, std::size_t, std::size_t, std::size_t) const;
  nothing recomputed(std::size_t, std::size_t, std::size_t) const;
  bool recomputes;
  bool splits_backward;
};
struct overloaded {
  double sent(std::size_t, std::size_t) const;
  double sent(const char*) const;
  double memory(std::size_t, std::size_t, std::size_t, std::size_t) const;
  double memory(std::size_t);
};
struct final_one final {
  double sent(std::size_t);
};
struct derived : not_const {};
class hidden {
  double sent(std::size_t);
};
struct least {
  std::size_t size() const;
  double forward(std::size_t, std::size_t) const;
  double backward(std::size_t, std::size_t) const;
};

template <class T>
constexpr int right_ones =
    int{has_backward_weight<T>} + int{has_backward_input<T>} + int{has_stage_forward<T>} + int{has_stage_backward<T>} +
    int{has_stage_backward_weight<T>} + int{has_sent<T>} + int{has_memory<T>} + int{has_least_memory<T>} +
    int{has_splits_backward<T>} + int{has_recomputed<T>} + int{has_recomputes<T>};
template <class T>
constexpr int wrong_ones =
    int{wrong_backward_weight<T>} + int{wrong_backward_input<T>} + int{wrong_stage_forward<T>} +
    int{wrong_stage_backward<T>} + int{wrong_stage_backward_weight<T>} + int{wrong_sent<T>} + int{wrong_memory<T>} +
    int{wrong_least_memory<T>} + int{wrong_splits_backward<T>} + int{wrong_recomputed<T>} + int{wrong_recomputes<T>};

}  // namespace

static_assert(right_ones<nothing> == 0 && wrong_ones<nothing> == 0);
static_assert(right_ones<least> == 0 && wrong_ones<least> == 0 && right_ones<hidden> == 0 && wrong_ones<hidden> == 0);
static_assert(right_ones<right> == 9 && wrong_ones<right> == 0);
static_assert(right_ones<stagecut::item_times> == 3 && wrong_ones<stagecut::item_times> == 0);
static_assert(right_ones<not_const> == 0 && wrong_ones<not_const> == 11 && wrong_ones<derived> == 11);
static_assert(right_ones<other_arguments> == 0 && wrong_ones<other_arguments> == 11);
static_assert(right_ones<no_numbers> == 0 && wrong_ones<no_numbers> == 11);
static_assert(right_ones<overloaded> == 1 && wrong_ones<overloaded> == 1);
static_assert(right_ones<final_one> == 0 && wrong_ones<final_one> == 1);
// A member that is there for some models only.
static_assert(!has_backward_weight<stagecut::with_speeds<least>> && wrong_ones<stagecut::with_speeds<least>> == 0);
static_assert(has_backward_weight<stagecut::with_speeds<stagecut::item_times>>);
static_assert(!has_backward_input<stagecut::with_speeds<stagecut::item_times>>);
static_assert(has_backward_input<stagecut::with_speeds<stagecut::split_item_times>>);
static_assert(right_ones<stagecut::split_item_times> == 4 && wrong_ones<stagecut::split_item_times> == 0);

TEST_CASE("a model with all members in their form, and with none, is let through") {
  check_pipeline_members<right>();
  check_pipeline_members<least>();
  CHECK(right_ones<right> == 9);
}
