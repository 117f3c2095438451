// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/sharded_times.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"

using namespace stagecut;

namespace {

using kinds_t = std::vector<sharding>;

/// Four matrices; the second has a small output.
std::vector<sharded_layer> four_layers() {
  std::vector<sharded_layer> layers;
  for (const auto& [forward, parameters, output] :
       {std::array{80., 64., 16.}, std::array{120., 64., 4.}, std::array{80., 64., 16.}, std::array{200., 512., 8.}}) {
    layers.push_back({.forward = forward, .backward = 2 * forward, .parameters = parameters, .output = output});
  }
  return layers;
}

/// Whether a device computes a part of the output alone.
bool gives_part(sharding kind) { return kind == sharding::column || kind == sharding::split; }
/// Whether it needs a part of the input alone.
bool takes_part(sharding kind) { return kind == sharding::row || kind == sharding::split; }

/// What layers take that are sharded as is said; unset where one cannot be.
std::optional<sharded_figures> taken(view<const sharded_layer> layers, std::size_t ways, const link_speed& link,
                                     double input, const kinds_t& kinds) {
  const auto g = static_cast<double>(ways);
  const auto gather = [&](double bytes) {
    return bytes == 0 ? 0 : (g - 1) / g * bytes / link.bandwidth + (g - 1) * link.latency;
  };
  sharded_figures sum;
  bool parted = false;
  double bytes = input;
  const auto enter = [&](bool wanted) {
    if (parted && !wanted) sum.forward += gather(bytes);
    if (!parted && wanted) sum.backward += gather(bytes);
  };
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const sharded_layer& each = layers[i];
    const sharding kind = kinds[i];
    const bool is_matrix = kind == sharding::column || kind == sharding::row;
    if ((is_matrix && !each.may_split) || (kind == sharding::split && !each.elementwise)) return std::nullopt;
    if (kind == sharding::row && each.input_features % ways != 0) return std::nullopt;
    if (gives_part(kind) && each.output_features % ways != 0) return std::nullopt;
    enter(takes_part(kind));
    if (kind == sharding::column) sum.backward += 2 * gather(bytes);
    if (kind == sharding::row) sum.forward += 2 * gather(each.output);
    const double parts = kind == sharding::replicated ? 1 : g;
    sum.forward += each.forward / parts;
    sum.backward += each.backward / parts;
    sum.parameters += each.parameters / parts;
    parted = gives_part(kind);
    bytes = each.output;
  }
  enter(false);
  sum.time = sum.forward + sum.backward;
  return sum;
}

/// Calls `visit(kinds)` for all of `layers` layers, the first ones in order first.
template <class Visit>
void each_kinds(std::size_t layers, const Visit& visit) {
  kinds_t kinds(layers, sharding::replicated);
  for (;;) {
    visit(kinds);
    std::size_t i = layers;
    while (i > 0 && kinds[i - 1] == sharding::split) kinds[--i] = sharding::replicated;
    if (i == 0) return;
    kinds[i - 1] = static_cast<sharding>(static_cast<int>(kinds[i - 1]) + 1);
  }
}

struct drawn_layers {
  std::vector<sharded_layer> layers;
  std::size_t ways = 1;
  link_speed link{};
  double input = 0;
};

/// Sums of these figures are exact.
drawn_layers draw(std::mt19937& dice, std::size_t most) {
  const auto upto = [&](unsigned n) { return static_cast<double>(dice() % (n + 1)); };
  drawn_layers made;
  made.ways = std::size_t{1} << (dice() % 4);
  made.link = {upto(3), 1 + (dice() % 2 == 0 ? 0. : 3.)};
  const unsigned scale = dice() % 2 == 0 ? 5 : 60;
  made.input = upto(20);
  made.layers.resize(1 + dice() % most);
  for (sharded_layer& layer : made.layers) {
    layer = {.forward = upto(scale), .backward = upto(2 * scale), .parameters = upto(40), .output = upto(20)};
    layer.may_split = dice() % 8 != 0;
    layer.elementwise = dice() % 3 == 0;
    layer.input_features = dice() % 3 == 0 ? 2 + 2 * (dice() % 5) : 0;
    layer.output_features = dice() % 3 == 0 ? 2 + 2 * (dice() % 5) : 0;
  }
  return made;
}

/// The best of all, of equals the first.
std::optional<sharded_stage> best_of_all(const drawn_layers& of, const std::optional<double>& most) {
  std::optional<sharded_stage> best;
  each_kinds(of.layers.size(), [&](const kinds_t& kinds) {
    const auto here = taken(of.layers, of.ways, of.link, of.input, kinds);
    if (!here || (most && here->parameters > *most)) return;
    const bool better =
        !best || here->time < best->time || (here->time == best->time && here->parameters < best->parameters);
    if (better) best = sharded_stage{*here, kinds};
  });
  return best;
}

std::size_t cases(std::size_t usual) {
  const char* const text = std::getenv("STAGECUT_CASES");
  return text ? std::strtoul(text, nullptr, 10) : usual;
}

}  // namespace

TEST_CASE("columns and rows by turns need one all-reduce each way for two layers") {
  const auto layers = four_layers();
  const link_speed link{1, 1};
  const auto best = shard(layers, 4, link, 4);
  REQUIRE(best.state() == state::optimal);
  CHECK(best->kinds == kinds_t{sharding::column, sharding::row, sharding::column, sharding::row});
  CHECK(best->forward == 150);
  CHECK(best->backward == 264);
  CHECK(best->time == 414);
  CHECK(best->parameters == 176);
  const kinds_t last_column{sharding::column, sharding::row, sharding::column, sharding::column};
  CHECK(taken(layers, 4, link, 4, last_column)->time == 450);
  CHECK(taken(layers, 4, link, 4, kinds_t(4))->time == 1440);
  CHECK(taken(layers, 4, link, 4, kinds_t(4))->parameters == 704);
}

TEST_CASE("a slow link leaves layers whole, a limit of bytes divides them, and what does not fit is told") {
  const auto layers = four_layers();
  const link_speed slow{50, 1};
  const auto whole = shard(layers, 4, slow, 4);
  REQUIRE(whole.has_value());
  CHECK(whole->kinds == kinds_t{sharding::replicated, sharding::replicated, sharding::column, sharding::row});
  const auto small = shard(layers, 4, slow, 4, 176.0);  // met exactly
  REQUIRE(small.state() == state::optimal);
  CHECK(small->parameters == 176);
  const auto none = shard(layers, 4, slow, 4, 175.5);
  REQUIRE(none.state() == state::infeasible);
  CHECK(
      none.why().text() ==
      "a stage of 4 layers on 4 devices needs at least 176 bytes, and a device has 175 bytes; its parameters fit into "
      "176 bytes");
  CHECK(shard(layers, 4, slow, 4, 1e300)->kinds == whole->kinds);
}

TEST_CASE("what devices cannot divide stays whole, and an elementwise layer keeps parts apart") {
  auto layers = four_layers();
  layers[3].input_features = 6;
  layers[3].output_features = 9;
  CHECK(shard(layers, 4, {1, 1}, 4)->kinds[3] == sharding::replicated);
  CHECK(shard(layers, 3, {1, 1}, 4)->kinds[3] == sharding::row);
  layers = four_layers();
  layers.insert(layers.begin() + 1, {.forward = 8, .backward = 8, .output = 16, .may_split = false});
  layers[1].elementwise = true;
  CHECK(shard(layers, 4, {1, 1}, 4)->kinds ==
        kinds_t{sharding::column, sharding::split, sharding::row, sharding::column, sharding::row});
  CHECK(shard(layers, 1, {1, 1}, 4)->kinds == kinds_t(5, sharding::replicated));
  CHECK(shard(view<const sharded_layer>(), 4, {1, 1}, 4)->time == 0);
}

TEST_CASE("small stages, compared with all shardings") {
  std::mt19937 dice(31);
  std::size_t infeasible = 0;
  const std::size_t wanted = cases(300);
  for (std::size_t done = 0; done < wanted; ++done) {
    CAPTURE(done);
    const drawn_layers of = draw(dice, 6 - (done % 4 == 0 ? 0 : 2));
    std::optional<double> most;
    if (dice() % 3 != 0) {
      double all = 0;
      for (const auto& layer : of.layers) all += layer.parameters;
      most = all * static_cast<double>(dice() % 9) / 8;
    }
    const auto best = best_of_all(of, most);
    const auto found = shard(of.layers, of.ways, of.link, of.input, most);
    if (!best) {
      ++infeasible;
      REQUIRE(found.state() == state::infeasible);
      const auto needed = static_cast<double>(found.why().needed);
      CHECK(shard(of.layers, of.ways, of.link, of.input, needed).has_value());
      CHECK(!shard(of.layers, of.ways, of.link, of.input, needed - 1).has_value());
      continue;
    }
    REQUIRE(found.state() == state::optimal);
    CHECK(*found == *best);
  }
  MESSAGE(infeasible, " of ", wanted, " infeasible");
}

TEST_CASE("all intervals of a chain are those of its parts, with what fewer bytes cost") {
  std::mt19937 dice(32);
  const std::size_t wanted = cases(100) / 10 + 1;
  for (std::size_t done = 0; done < wanted; ++done) {
    CAPTURE(done);
    const drawn_layers of = draw(dice, 8);
    const sharded_intervals all(of.layers, of.ways, of.link, of.input);
    const sharded_intervals fastest(of.layers, of.ways, of.link, of.input, false);
    REQUIRE(all.size() == of.layers.size());
    for (std::size_t last = 1; last <= all.size(); ++last) {
      for (std::size_t first = 0; first < last; ++first) {
        const auto part = view<const sharded_layer>(of.layers).slice(first, last);
        const double input = first == 0 ? of.input : of.layers[first - 1].output;
        const auto choices = all.choices(first, last);
        CHECK(fastest(first, last) == all(first, last));
        CHECK(fastest.choices(first, last).size() == 1);
        for (std::size_t c = 0; c < choices.size(); ++c) {
          const auto same = shard(part, of.ways, of.link, input, choices[c].parameters);
          REQUIRE(same.has_value());
          CHECK(static_cast<const sharded_figures&>(*same) == choices[c]);
          CHECK(all.kinds(first, last, c) == same->kinds);
        }
        const double least = choices[choices.size() - 1].parameters;
        if (least > 0) CHECK(!shard(part, of.ways, of.link, input, least - 0.03125).has_value());
      }
    }
  }
}

TEST_CASE("what makes no sense is refused") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  auto layers = four_layers();
  CHECK(refusal<argument_error>([&] { return shard(layers, 0, {}, 1); }) ==
        "stagecut::shard: tensor_parallel = 0, must be at least 1");
  CHECK(refusal<argument_error>([&] {
          return shard(layers, 2, {-1, 0}, 1);
        }) == "stagecut::shard: link.latency = -1, must be finite and not negative");
  CHECK(refusal<argument_error>([&] { return shard(layers, 2, {}, nan); }) ==
        "stagecut::shard: input = NaN, must be finite and not negative");
  CHECK(refusal<argument_error>([&] { return shard(layers, 2, {}, 1, -1.0); }) ==
        "stagecut::shard: most_parameters = -1.000000, must not be negative");
  CHECK(refusal<argument_error>([&] {
          return shard(layers, 2, {0, 1e-300}, 1e300);
        }) == "stagecut::shard: input = 1.0000000000000001e+300, takes longer than can be told");
  layers[2].output = nan;
  CHECK(refusal<invalid_input>([&] { return sharded_intervals(layers, 2, {}, 1); }) ==
        "layer 2: output = NaN, must be finite and not negative");
  layers[2].output = 0;
  layers[1].forward = layers[3].backward = 1e308;
  CHECK(refusal<invalid_input>([&] { return shard(layers, 2, {}, 1); }) ==
        "layer 3: the sum of the figures up to here is out of range");
}
