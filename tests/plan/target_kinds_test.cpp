// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/parts/target_kinds.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "target_models.hpp"

namespace detail = stagecut::detail;
using stagecut::framework;
using stagecut::interval;
using stagecut::layer_place;
using target_models::of_kinds;

namespace {

std::string kinds_of(framework to, const std::vector<std::string>& kinds) {
  return detail::kinds_obstacle(stagecut::entry_of(to), of_kinds(kinds));
}

std::vector<interval> kept(framework to, const stagecut::profile& model) {
  return detail::kept_by_target(stagecut::entry_of(to), model);
}

}  // namespace

TEST_CASE("the norm stands where the last decoder is, of a model with multi-token prediction alone") {
  const auto& megatron = stagecut::entry_of(framework::megatron);
  const auto plain = of_kinds({"embedding", "decoder", "decoder", "norm", "head"});
  const auto with = of_kinds({"embedding", "decoder", "decoder", "norm", "mtp", "head"});
  CHECK(detail::target_kinds(megatron, plain).place(3) == layer_place::last_stage);
  CHECK(detail::target_kinds(megatron, with).place(3) == layer_place::with_last_decoder);
  CHECK(detail::target_kinds(megatron, with).place(4) == layer_place::one_of_the_last);
  CHECK(detail::target_kinds(megatron, with).place(1) == layer_place::any_stage);
  CHECK(detail::target_kinds(megatron, with).last_decoder() == 2);
  const auto conv = of_kinds({"Conv2d"});
  CHECK(detail::target_kinds(megatron, conv).number(0) == detail::unknown_kind);
  CHECK(detail::target_kinds(megatron, conv).place(0) == layer_place::any_stage);
  CHECK(detail::target_kinds(megatron, conv).last_decoder() == 1);
}

TEST_CASE("the layers of an encoder alone are decoders to Megatron-LM, and to none that serves") {
  const auto bert = of_kinds({"embedding", "encoder", "encoder", "head"});
  const auto both = of_kinds({"encoder", "embedding", "decoder", "head"});
  CHECK(detail::target_kinds(stagecut::entry_of(framework::megatron), bert).is_decoder(1));
  CHECK_FALSE(detail::target_kinds(stagecut::entry_of(framework::vllm), bert).is_decoder(1));
  CHECK_FALSE(detail::target_kinds(stagecut::entry_of(framework::megatron), both).is_decoder(0));
  CHECK(kinds_of(framework::megatron, {"embedding", "encoder", "encoder", "head"}) == "");
  CHECK(kinds_of(framework::vllm, {"embedding", "encoder", "encoder", "head"}) ==
        "layer \"l1\" of kind \"encoder\" stands behind layer \"l0\" of kind \"embedding\"");
}

TEST_CASE("the layers of a hybrid model are decoders to Megatron-LM's patterns, where it has no others") {
  const auto hybrid = of_kinds({"embedding", "mamba", "mlp", "norm", "head"});
  const auto both = of_kinds({"embedding", "mamba", "decoder", "head"});
  const auto& megatron = stagecut::entry_of(framework::megatron);
  CHECK(detail::target_kinds(megatron, hybrid).is_hybrid());
  CHECK(detail::target_kinds(megatron, hybrid).is_decoder(1));
  CHECK(detail::target_kinds(megatron, hybrid).last_decoder() == 2);
  CHECK_FALSE(detail::target_kinds(megatron, hybrid).is_decoder(3));
  CHECK_FALSE(detail::target_kinds(megatron, both).is_hybrid());
  CHECK_FALSE(detail::target_kinds(stagecut::entry_of(framework::megatron_flags), hybrid).is_hybrid());
  CHECK(kinds_of(framework::megatron, {"embedding", "mamba", "attention", "moe", "gated_delta_net", "head"}) == "");
  CHECK(kinds_of(framework::megatron, {"embedding", "mamba", "mtp", "head"}) ==
        "layer \"l2\" of kind \"mtp\": in a hybrid model it has a pattern of its own, which no profile has");
  CHECK(kinds_of(framework::megatron, {"embedding", "mamba", "decoder", "head"})
            .find("; or, in place of decoders, mamba, attention, mlp, moe, gated_delta_net") != std::string::npos);
}

TEST_CASE("kinds that are not known, out of order, too many or missing") {
  CHECK(kinds_of(framework::megatron,
                 {"vision_embedding", "vision", "projector", "embedding", "decoder", "norm", "head"}) == "");
  CHECK(kinds_of(framework::megatron, {"embedding", "attention", "decoder", "head"})
            .find("layer \"l1\" of kind \"attention\": kinds known to it are vision_embedding, vision") == 0);
  const auto merge = [](const std::vector<std::string>& kinds, std::size_t i) {
    const auto model = of_kinds(kinds);
    return detail::merge_text(detail::target_kinds(stagecut::entry_of(framework::megatron), model), model, i);
  };
  CHECK(merge({"embedding", "x", "decoder"}, 1) ==
        "; as one layer with layer \"l2\" of kind \"decoder\", behind it, it would have a place");
  CHECK(merge({"decoder", "x"}, 1) ==
        "; as one layer with layer \"l0\" of kind \"decoder\", before it, it would have a place");
  CHECK(merge({"x", "y", "decoder"}, 0) == "");
  CHECK(kinds_of(framework::megatron, {"embedding", "decoder", "embedding", "head"}) ==
        "layer \"l2\" of kind \"embedding\" stands behind layer \"l1\" of kind \"decoder\"");
  CHECK(kinds_of(framework::megatron, {"embedding", "embedding", "decoder", "head"}) ==
        "layer \"l1\" of kind \"embedding\" is the second of its kind");
  CHECK(kinds_of(framework::megatron, {"embedding", "decoder"}) == "it has no layer of kind \"head\"");
  CHECK(kinds_of(framework::vllm, {"embedding", "embedding", "decoder"}) == "");
  for (const framework any : {framework::deepspeed, framework::pytorch, framework::torchtitan, framework::alpa}) {
    CHECK(kinds_of(any, {"x", "decoder", "", "embedding"}) == "");
  }
}

TEST_CASE("modules have names of their own, that the framework finds") {
  auto model = of_kinds({"embedding", "decoder", "head"});
  const auto names = [&](framework to) { return detail::names_obstacle(stagecut::entry_of(to), model); };
  CHECK(names(framework::pytorch) == "");
  model.layers[2].modules = {"norm", "l1"};
  CHECK(names(framework::pytorch) ==
        "module \"l1\" of layer \"l2\" of kind \"head\" stands also in layer \"l1\" of kind \"decoder\"");
  CHECK(names(framework::megatron) == "");
  model.layers[2].modules = {"norm", ""};
  CHECK(names(framework::pytorch) == "layer \"l2\" of kind \"head\" has a module without a name");
  model.layers[2].modules = {"norm", "model.layers.2"};
  CHECK(names(framework::pytorch) == "");
  CHECK(names(framework::torchtitan).find("module \"model.layers.2\" of layer \"l2\" of kind \"head\" is inside") == 0);
  model.layers[2].is_backward = true;
  CHECK(names(framework::torchtitan) == "");
  model.layers[0] = model.layers[1];
  model.layers[0].kind = model.layers[1].kind = "vision";  // one module, whatever their names
  CHECK(names(framework::torchtitan) == "");
  CHECK(names(framework::pytorch).find("stands also in") != std::string::npos);

  for (const char* const child : {"norm", "layers.3", "a.0"}) CHECK(detail::names_child(child));
  for (const char* const deep : {"layers.", ".3", "a.b", "a.3.b", "a.3.4"}) CHECK_FALSE(detail::names_child(deep));
}

TEST_CASE("shared parameters: nowhere, on one device, on one stage or anywhere") {
  const auto model = target_models::tied(of_kinds({"embedding", "decoder", "norm", "head"}), 0, 3);
  const auto shared = [&](framework to, std::size_t stages) {
    return detail::shared_obstacle(stagecut::entry_of(to), model, stages);
  };
  const std::string text =
      "layer \"l3\" of kind \"head\" shares \"t\" with layer \"l0\" of kind \"embedding\", and its layers share no "
      "parameters: untied, it would do";
  CHECK(shared(framework::torchgpipe, 1) == text);
  CHECK(shared(framework::torchtitan, 2) == text);
  CHECK(shared(framework::torchtitan, 1) == "");
  CHECK(shared(framework::pytorch, 2) == "");
  CHECK(shared(framework::megatron, 2) == "");
  CHECK(kept(framework::pytorch, model) == std::vector<interval>{{0, 4}});
  CHECK(kept(framework::megatron, model).empty());
  CHECK(detail::shared_obstacle(stagecut::entry_of(framework::torchgpipe), of_kinds({"a", "b"}), 2) == "");
}

TEST_CASE("layers that a framework has on one stage") {
  const auto model = of_kinds({"embedding", "decoder", "decoder", "norm", "mtp", "mtp", "head"});
  CHECK(kept(framework::megatron, model) == std::vector<interval>{{2, 4}, {4, 6}});
  CHECK(kept(framework::megatron_flags, model) == std::vector<interval>{{2, 4}});
  CHECK(kept(framework::vllm, model).empty());
  CHECK(kept(framework::megatron, of_kinds({"embedding", "decoder", "mtp", "norm", "head"})) ==
        std::vector<interval>{{1, 4}, {2, 3}});
}
