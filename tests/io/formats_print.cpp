// SPDX-License-Identifier: BSL-1.0
// Prints random plans with Megatron-LM's text of each, one a line, for megatron_layout.py:
// devices, chunks, kinds of layers with | between stages, the text or `refused: ` and why; tabs between.
#include <stagecut/io/frameworks/megatron.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "worked_plan.hpp"

namespace {

std::mt19937 generator(20240607);

std::size_t up_to(std::size_t most) { return generator() % (most + 1); }

bool one_in(std::size_t n) { return up_to(n - 1) == 0; }

/// A plan that Megatron-LM mostly runs: its layers are in order, and now and then two are exchanged.
stagecut::plan random_plan() {
  const std::size_t devices = 1 + up_to(5);
  const std::size_t chunks = one_in(2) ? 1 : 1 + up_to(3);
  const std::size_t decoders = up_to(30);
  const std::size_t mtp = one_in(3) ? 1 + up_to(2) : 0;
  const bool norm = one_in(2);
  std::vector<std::string> kinds = {"embedding"};
  kinds.insert(kinds.end(), decoders, "decoder");
  if (norm && mtp != 0) kinds.push_back("norm");
  kinds.insert(kinds.end(), mtp, "mtp");
  if (norm && mtp == 0) kinds.push_back("norm");
  kinds.push_back("head");
  if (one_in(8)) std::swap(kinds[up_to(kinds.size() - 1)], kinds[up_to(kinds.size() - 1)]);
  if (one_in(20) && kinds.size() > 2) kinds.erase(kinds.begin() + static_cast<std::ptrdiff_t>(up_to(kinds.size() - 1)));

  std::vector<std::size_t> points;
  for (std::size_t s = 1; s < devices * chunks; ++s) {
    points.push_back(one_in(20) ? up_to(kinds.size()) : 1 + up_to(kinds.size() - 2));
  }
  // Multi-token prediction is rarely cut by chance as it must be.
  if (mtp != 0 && points.size() >= 2 && !one_in(4)) points[0] = kinds.size() - 1;
  if (mtp != 0 && points.size() >= 2 && one_in(2)) points[1] = kinds.size() - 1 - mtp;
  std::sort(points.begin(), points.end());

  std::vector<stagecut::layer> layers;
  for (const std::string& kind : kinds) layers.push_back(layer_of(kind, kind));
  auto cuts = stagecut::cuts::from_boundaries(layers.size(), points, stagecut::empty_stages::allowed);
  return plan_of(std::move(layers), std::move(cuts), chunks);
}

}  // namespace

int main() {
  for (int round = 0; round < 5000; ++round) {
    const stagecut::plan p = random_plan();
    std::string stages;
    for (std::size_t s = 0; s < p.cuts.stages(); ++s) {
      if (s != 0) stages += '|';
      for (std::size_t i = p.cuts[s]; i < p.cuts[s + 1]; ++i) {
        if (i != p.cuts[s]) stages += ' ';
        stages += p.profile.layers[i].kind;
      }
    }
    std::string text;
    try {
      text = stagecut::io::as_megatron(p);
    } catch (const stagecut::io::not_representable& error) {
      text = stagecut::detail::joined({"refused: ", error.what()});
    }
    std::printf("%zu\t%zu\t%s\t%s\n", p.devices, p.stages_per_rank, stages.c_str(), text.c_str());
  }
}
