// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "drawn_chains.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

// Chains of transformers on A100s, as instances: the best known values (best_known.txt) hold for these figures, which
// version 0.1.0 computed before its times depended on shapes and messages. They are fixed here, independent of the cost
// model.
namespace bench {

/// The costs of an item: seconds per microbatch, bytes.
struct transformer_item {
  double forward, backward, weight, resident, activations;
};

/// An embedding, identical layers, a norm with the head.
struct transformer_figures {
  std::string_view name;
  std::size_t layers;
  transformer_item first, each, last;
};

/// The configurations in examples/models at that time.
inline constexpr transformer_figures transformer_table[] = {
    {"bert-large",
     24,
     {4.371209416380579e-06, 7.456769004413928e-06, 7.456769004413928e-06, 508526592.0, 1572864.0},
     {0.00010130646375412784, 0.00019731198888062271, 8.259552492307692e-05, 201539584.0, 17858560.0},
     {0.0002600964799424555, 0.0004731793571384666, 0.00021205435733333335, 534213568.0, 66705408.0}},
    {"gpt2-xl",
     48,
     {8.8388425698872e-06, 1.3660029426189309e-05, 1.3660029426189309e-05, 1312793600.0, 1638400.0},
     {0.00048327939666754693, 0.0009607479857647665, 0.00040329846153846154, 491852800.0, 55808000.0},
     {0.0012103053451742306, 0.002267567135664793, 0.0010556547282051282, 1286630400.0, 212406272.0}},
    {"gpt3-175b",
     96,
     {0.00013576462187346738, 0.0002098180519862678, 0.0002098180519862678, 10283581440.0, 25165824.0},
     {0.04946429371865967, 0.09916971553273143, 0.04757502235569231, 28993585152.0, 856424448.0},
     {0.016567098563435773, 0.032806639665370806, 0.01621485662523077, 9881321472.0, 512368640.0}},
    {"llama-2-70b",
     80,
     {6.582527121137813e-05, 9.873790681706718e-05, 9.873790681706718e-05, 4194304000.0, 0.0},
     {0.04920480374823455, 0.09971909662191653, 0.04493196555815385, 13690470400.0, 1125122048.0},
     {0.014217441040228367, 0.028016274496346874, 0.01376592082051282, 4194435072.0, 658505728.0}},
    {"llama-2-7b",
     32,
     {3.2912635605689066e-05, 4.936895340853359e-05, 4.936895340853359e-05, 2097152000.0, 0.0},
     {0.012752396249986796, 0.02614410926475713, 0.010627290873435898, 3238133760.0, 539492352.0},
     {0.007301567994366268, 0.014200984722425522, 0.00688296041025641, 2097217536.0, 591396864.0}},
    {"llama-3.1-405b",
     126,
     {0.0002633010848455125, 0.00039495162726826873, 0.00039495162726826873, 4432527360.0, 0.0},
     {0.36585965581077984, 0.7440547885368605, 0.3347871943548718, 6724062720.0, 4265607168.0},
     {0.22405027438651648, 0.4448771675234008, 0.22069524259446155, 4432561920.0, 4739563520.0}},
    {"mixtral-8x7b",
     32,
     {3.2912635605689066e-05, 4.936895340853359e-05, 4.936895340853359e-05, 2097152000.0, 0.0},
     {0.02313418439019469, 0.04676266424453536, 0.020705665654153847, 23220322304.0, 1057619968.0},
     {0.007301567994366268, 0.014200984722425522, 0.00688296041025641, 2097217536.0, 591396864.0}},
    {"gpt3-175b, 8 wide",
     96,
     {1.6970577734183422e-05, 2.6227256498283474e-05, 2.6227256498283474e-05, 1637941248.0, 3145728.0},
     {0.006183036714832459, 0.01239621444159143, 0.005946877794461539, 3625230336.0, 107053056.0},
     {0.002071174902525672, 0.004101399849190628, 0.002027139387076923, 1235681280.0, 64053248.0}}};

/// Those searched with several stages per device.
inline constexpr const char* transformers[] = {"bert-large", "gpt2-xl",        "gpt3-175b",   "llama-2-70b",
                                               "llama-2-7b", "llama-3.1-405b", "mixtral-8x7b"};

/// One of them.
/// @throws std::runtime_error for an unknown name
inline chain transformer_chain(std::string_view name) {
  for (const transformer_figures& known : transformer_table) {
    if (known.name != name) continue;
    chain made;
    const auto add = [&](const transformer_item& item) {
      made.times.forward.push_back(item.forward);
      made.times.backward.push_back(item.backward);
      made.times.weight.push_back(item.weight);
      made.resident.push_back(item.resident);
      made.activations.push_back(item.activations);
    };
    add(known.first);
    for (std::size_t i = 0; i < known.layers; ++i) add(known.each);
    add(known.last);
    return made;
  }
  throw std::runtime_error("no transformer " + std::string(name));
}

}  // namespace bench
