// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/tables/csv.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/layer.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>

#include "../allocations.hpp"

namespace {

/// The most bytes per layer that reading a text takes in addition to the text.
double bytes_a_layer(const std::string& text, std::size_t layers) {
  const std::size_t before = most_allocated_bytes = allocated_bytes;
  const auto model = stagecut::io::parse_csv(text, "x");
  REQUIRE(model.layers.size() == layers);
  return static_cast<double>(most_allocated_bytes - before) / static_cast<double>(layers);
}

}  // namespace

TEST_CASE("a CSV takes the memory of its layers, and none beside them") {
  constexpr std::size_t layers = 20000;
  std::string weights = "time\n";
  std::string columns = "name,kind,forward,backward,parameters,activations,output\n";
  for (std::size_t i = 0; i < layers; ++i) {
    weights += std::to_string(i) + ".25\n";
    columns += "\"layers." + std::to_string(i) + "\",decoder,0.123456789,0.25,1e9,12345678,4096\n\n";
  }
  std::string table = "Layer;Type;fwd (ms);dgrad_us;wgrad_us;Mem;# params;a;b;c\n";
  for (std::size_t i = 0; i < layers; ++i) {
    table += "layers." + std::to_string(i) + ";decoder;0.123456789;0.25;0.5;12 MiB;123456789;x;y;z\n";
  }
  CHECK(bytes_a_layer(table, layers) < sizeof(stagecut::layer) + 1);
  CHECK(bytes_a_layer(weights, layers) < sizeof(stagecut::layer) + 1);
  CHECK(bytes_a_layer(columns, layers) < sizeof(stagecut::layer) + 1);
  CHECK(bytes_a_layer(columns, layers) < 280);
}

TEST_CASE("a chain is not copied where it is moved in") {
  stagecut::profile model;
  model.layers.resize(1000);
  const std::size_t before = allocations;
  const stagecut::profile chain = stagecut::as_chain(std::move(model));
  CHECK(chain.layers.size() == 1000);
  CHECK(allocations == before);
}
