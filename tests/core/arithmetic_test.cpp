// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/arithmetic.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace {

template <class T>
std::vector<T> ascending() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::floating_point<T>) {
    return {-limits::infinity(),  limits::lowest(), T(-1), -limits::min(), -limits::denorm_min(), T(-0.0), T(0.0),
            limits::denorm_min(), limits::min(),    T(1),  limits::max(),  limits::infinity()};
  } else if constexpr (std::signed_integral<T>) {
    return {limits::min(), T(-2), T(-1), T(0), T(1), T(2), limits::max()};
  } else {
    return {T(0), T(1), T(2), limits::max()};
  }
}

}  // namespace

TEST_CASE("NaN and infinity are told by their bits") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(stagecut::is_nan(nan));
  CHECK(stagecut::is_nan(-nan));
  CHECK(stagecut::is_nan(std::numeric_limits<float>::signaling_NaN()));
  CHECK(!stagecut::is_nan(infinity));
  CHECK(!stagecut::is_nan(0));
  CHECK(!stagecut::is_finite(nan));
  CHECK(!stagecut::is_finite(-infinity));
  CHECK(stagecut::is_finite(std::numeric_limits<double>::max()));
  CHECK(stagecut::is_finite(7U));
}

TEST_CASE("negative is below zero, which -0.0 is not") {
  CHECK(stagecut::is_negative(-1.0));
  CHECK(stagecut::is_negative(-std::numeric_limits<double>::denorm_min()));
  CHECK(stagecut::is_negative(-std::numeric_limits<float>::infinity()));
  CHECK(!stagecut::is_negative(-0.0));
  CHECK(!stagecut::is_negative(0.0));
  CHECK(!stagecut::is_negative(-std::numeric_limits<double>::quiet_NaN()));
  CHECK(stagecut::is_negative(-1));
  CHECK(!stagecut::is_negative(4'000'000'000U));
}

TEST_CASE("checked addition leaves the sum as it was when it overflows") {
  std::int32_t sum = std::numeric_limits<std::int32_t>::max() - 1;
  CHECK(stagecut::checked_add(sum, 1));
  CHECK(!stagecut::checked_add(sum, 1));
  CHECK(sum == std::numeric_limits<std::int32_t>::max());
  std::uint64_t large = std::numeric_limits<std::uint64_t>::max();
  CHECK(!stagecut::checked_add(large, 1));
}

TEST_CASE_TEMPLATE("ordered bits keep the order and turn back", T, double, float, std::int32_t, std::int64_t,
                   std::uint64_t, std::int8_t) {
  const auto values = ascending<T>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(stagecut::from_ordered_bits<T>(stagecut::ordered_bits(values[i])) == values[i]);
    if (i > 0) CHECK(stagecut::ordered_bits(values[i - 1]) < stagecut::ordered_bits(values[i]));
  }
}

TEST_CASE_TEMPLATE("differences and sums out of range keep their low bits", T, std::int8_t, std::uint8_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t) {
  using limits = std::numeric_limits<T>;
  namespace detail = stagecut::detail;
  CHECK(static_cast<T>(detail::difference(limits::max(), limits::min())) == static_cast<T>(-1));
  CHECK(static_cast<T>(detail::difference(limits::min(), T{1})) == limits::max());
  CHECK(static_cast<T>(detail::difference(T{7}, T{5})) == 2);
  CHECK(detail::added(limits::max(), T{1}) == limits::min());
  CHECK(detail::added(T{5}, T{2}) == 7);
  CHECK(detail::difference(2.5, 1.0) == 1.5);
  CHECK(detail::added(2.5, 1.0) == 3.5);
}

TEST_CASE_TEMPLATE("checked addition says whether the sum is representable, at the ends of every type", Sum,
                   std::int8_t, std::uint8_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  const auto examine = [](auto kind) {
    for (const Sum from : ascending<Sum>()) {
      for (const auto x : ascending<decltype(kind)>()) {
        __extension__ const __int128 exact = static_cast<__int128>(from) + static_cast<__int128>(x);
        const bool holds = exact == static_cast<Sum>(exact);
        Sum sum = from;
        CHECK(stagecut::checked_add(sum, x) == holds);
        CHECK(sum == (holds ? static_cast<Sum>(exact) : from));
      }
    }
  };
  examine(std::int8_t{});
  examine(std::uint8_t{});
  examine(std::int32_t{});
  examine(std::uint32_t{});
  examine(std::int64_t{});
  examine(std::uint64_t{});
}
