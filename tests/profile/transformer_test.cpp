// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/devices.hpp>
#include <stagecut/profile/parameters.hpp>
#include <stagecut/profile/transformer.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using stagecut::transformer::architecture;
using stagecut::transformer::device;
using stagecut::transformer::recomputing;
using stagecut::transformer::training;
using stagecut::transformer::tying;

// In the letters of Korthikanti et al.: a = 2 heads, h = 8, s = 4 tokens; sbh = 32 a sample.
architecture gpt() {
  architecture a;
  a.name = "small";
  a.layers = 2;
  a.hidden = 8;
  a.heads = 2;
  a.ffn = 32;
  a.vocabulary = 10;
  a.positions = 16;
  a.tied = tying::replicate;
  a.sequence = 4;
  return a;
}

architecture llama() {
  architecture a;
  a.name = "small";
  a.layers = 3;
  a.hidden = 8;
  a.heads = 4;
  a.kv_heads = 2;
  a.ffn = 12;
  a.gated = true;
  a.vocabulary = 10;
  a.norm = stagecut::transformer::normalization::rmsnorm;
  a.biases = false;
  a.dropout = false;
  a.sequence = 4;
  return a;
}

architecture mixtral() {
  auto a = llama();
  a.experts = 4;
  a.top_k = 2;
  return a;
}

architecture bert() {
  auto a = gpt();
  a.encoder = true;
  a.token_types = 2;
  return a;
}

// With scores in memory, as the papers before FlashAttention count.
training classic(recomputing way = recomputing::none) {
  training r;
  r.recomputation = way;
  r.flash = false;
  return r;
}

training shared(std::size_t devices, bool sequence_parallel, recomputing way = recomputing::none) {
  auto r = classic(way);
  r.tensor_parallel = devices;
  r.sequence_parallel = sequence_parallel;
  return r;
}

stagecut::layer decoder(const architecture& a, const training& r, const device& on = {}) {
  return stagecut::transformer::profile(a, r, on).layers.at(1);
}

// Nothing waits for the host, so that seconds are those of the device.
training as_graph(training r) {
  r.cuda_graphs = stagecut::transformer::graphing::full;
  return r;
}

/// The terms of a layer.
stagecut::transformer::pass_terms terms(const architecture& a, const training& r, std::size_t layer = 1) {
  return stagecut::transformer::explain(a, r).at(layer);
}

/// What the operations of a pass sum up to, messages left out.
struct counts {
  double flops = 0, bytes = 0;
};
counts of(const std::vector<stagecut::transformer::term>& pass) {
  using enum stagecut::transformer::term_kind;
  counts made;
  for (const auto& term : pass) {
    if (term.kind == product || term.kind == attention) made.flops += term.flops;
    if (term.kind == movement || term.kind == attention) made.bytes += term.bytes;
  }
  return made;
}

double total(const architecture& a) { return stagecut::transformer::count_parameters(a).total; }

double activations(const architecture& a, const training& r) { return decoder(a, r).activations; }

// Parameters as a profile has them, those of a matrix on two stages once.
double profiled(const architecture& a, const training& r = {}) {
  double bytes = 0;
  const auto made = stagecut::transformer::profile(a, r);
  for (const auto& layer : made.layers) bytes += layer.parameters;
  for (const auto& tied : made.layers.back().tied) bytes += tied.bytes;
  return bytes / (r.precision == stagecut::transformer::number::fp32 ? 4 : 2);
}

std::string refused(const architecture& a, const training& r, const device& on = {}) {
  try {
    (void)stagecut::transformer::profile(a, r, on);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "";
}

template <class Field>
std::string refused(Field architecture::*field, Field value, architecture a = gpt()) {
  a.*field = value;
  return refused(a, {});
}

template <class Field>
std::string refused(Field training::*field, Field value, training r = {}) {
  r.*field = value;
  return refused(gpt(), r);
}

}  // namespace

TEST_CASE("parameters are counted matrix by matrix") {
  // 12h^2 + 13h a layer (Narayanan et al.), the embedding, positions, the last norm
  CHECK(total(gpt()) == 2 * (12 * 64 + 13 * 8) + 10 * 8 + 16 * 8 + 16);
  // queries, keys and values of 2 heads, projection, gate and two matrices, two norms; embedding and head; last norm
  CHECK(total(llama()) == 3 * (64 + 2 * 32 + 64 + 3 * 96 + 2 * 8) + 2 * 80 + 8);
  CHECK(total(mixtral()) == total(llama()) + 3 * (3 * 3 * 96 + 8 * 4));
  // positions, token types and their norm; no last norm; dense and norm and a bias a word; pooler; two outputs
  CHECK(total(bert()) == 2 * 872 + 10 * 8 + 18 * 8 + 16 + (64 + 8 + 16 + 10) + (64 + 8) + (2 * 8 + 2));
  auto wide = llama();
  wide.head_dim = 5;  // queries of 20, keys of 10
  wide.qkv_bias = true;
  CHECK(total(wide) == 3 * (160 + 2 * 80 + 160 + 40 + 3 * 96 + 2 * 8) + 2 * 80 + 8);
  auto biased = llama();
  biased.biases = true;
  CHECK(total(biased) == total(llama()) + 3 * (8 + 8 + 8 + 2 * 12 + 8));
}

TEST_CASE("the layers of a profile have all parameters") {
  for (const auto& a : {gpt(), llama(), mixtral(), bert()}) {
    training fp32;
    fp32.precision = stagecut::transformer::number::fp32;
    CHECK(profiled(a) == total(a));
    CHECK(profiled(a, fp32) == total(a));
  }
}

TEST_CASE("a profile holds the embedding, the layers, the norm and the head") {
  const auto model = stagecut::transformer::profile(llama());
  CHECK(model.name == "small");
  REQUIRE(model.layers.size() == 6);
  const char* const names[] = {"tok_embeddings", "layers.0", "layers.1", "layers.2", "norm", "output"};
  const char* const kinds[] = {"embedding", "decoder", "decoder", "decoder", "norm", "head"};
  for (std::size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    CHECK(model.layers[i].name == names[i]);
    CHECK(model.layers[i].kind == kinds[i]);
    CHECK(model.layers[i].modules.empty());  // as it is called
    CHECK(model.layers[i].group == (i < 4 ? "" : "output"));
    CHECK(model.layers[i].output == (i < 5 ? 2 * 4 * 8 : 0));
    CHECK(model.layers[i].backward == *model.layers[i].backward_input + *model.layers[i].backward_weight);
    CHECK(model.layers[i].recomputations.empty());
  }
  const auto encoder = stagecut::transformer::profile(bert());
  REQUIRE(encoder.layers.size() == 4);
  CHECK(encoder.layers[2].kind == "encoder");
  CHECK(encoder.layers[3].kind == "head");
}

TEST_CASE("a layer of GPT keeps what Korthikanti et al. say") {
  auto r = classic();
  r.microbatch = 3;
  const double sbh = 4 * 3 * 8;
  const double scores = 2 * 4 * 4 * 3;                    // a s^2 b
  CHECK(activations(gpt(), r) == 34 * sbh + 5 * scores);  // equation 1
  r.recomputation = recomputing::selective;
  CHECK(activations(gpt(), r) == 34 * sbh);
  CHECK(decoder(gpt(), r).recomputed == 5 * scores);
  CHECK(decoder(gpt(), r).recomputation == "selective");
  r.recomputation = recomputing::full;
  CHECK(activations(gpt(), r) == 2 * sbh);
  CHECK(decoder(gpt(), r).recomputed == 32 * sbh + 5 * scores);
  CHECK(decoder(gpt(), r).recomputation == "full");
  CHECK(activations(bert(), classic()) == 34 * 32 + 5 * 32);  // the same tensors, in another order
}

TEST_CASE("tensor and sequence parallelism divide what a layer keeps") {
  constexpr double sbh = 32;
  constexpr double scores = 32;
  CHECK(activations(gpt(), shared(2, false)) == sbh * (10 + 24. / 2) + 5 * scores / 2);         // equation 2
  CHECK(activations(gpt(), shared(2, true)) == (34 * sbh + 5 * scores) / 2);                    // equation 4
  CHECK(activations(gpt(), shared(2, false, recomputing::selective)) == sbh * (10 + 24. / 2));  // table 2
  CHECK(activations(gpt(), shared(2, true, recomputing::selective)) == 34 * sbh / 2);           // equation 6
  CHECK(activations(gpt(), shared(2, false, recomputing::full)) == 2 * sbh);                    // table 2
  CHECK(activations(gpt(), shared(2, true, recomputing::full)) == 2 * sbh / 2);
  CHECK(decoder(gpt(), shared(2, false)).output == 2 * sbh);
  CHECK(decoder(gpt(), shared(2, true)).output == 2 * sbh / 2);
  training unset = shared(2, true);
  unset.sequence_parallel.reset();
  CHECK(decoder(gpt(), unset) == decoder(gpt(), shared(2, true)));
}

TEST_CASE("attention without scores keeps a number a head and token") {
  auto r = classic();
  r.flash = true;
  CHECK(activations(gpt(), r) == 34 * 32 + 4 * 2 * 4);
  r.precision = stagecut::transformer::number::fp32;  // all but the two masks
  CHECK(activations(gpt(), r) == 66 * 32 + 4 * 2 * 4);
  r.flash = false;
  CHECK(activations(gpt(), r) == 66 * 32 + 9 * 32);
}

TEST_CASE("a gated layer with fewer keys and values keeps its own tensors") {
  // inputs of norms, attention, feed-forward part; queries, keys, values; heads; gate, other half and product
  constexpr double kept = 2 * (4 * 32 + 4 * (8 + 4 + 4) + 4 * 8 + 3 * 4 * 12);
  CHECK(activations(llama(), classic()) == kept + 2 * 4 * 4 * 4);
  CHECK(activations(llama(), {}) == kept + 4 * 4 * 4);
  // scores of 4 experts in 8 bytes; two copies of a token, with their places and weights; inner tensors of two experts
  constexpr double copies = 4 * 2;
  CHECK(activations(mixtral(), classic()) ==
        kept + 2 * 4 * 4 * 4 + 8 * 4 * 4 + copies * (2 * 8 + 8) + 2 * (3 * (copies - 4) * 12));
  // a head of keys and values is not cut: two devices have the same one
  auto r = shared(4, true);
  CHECK(activations(llama(), r) == 2 * (4 * 32 / 4. + 4 * (2 + 2 + 2) + 4 * 2 + 3 * 4 * 3) + 2 * 4 * 4);
}

TEST_CASE("embedding, norm and head keep what Korthikanti et al. say") {
  const auto model = stagecut::transformer::profile(gpt(), classic());
  CHECK(model.layers[0].activations == 32);                   // dropout's mask
  CHECK(model.layers[3].activations == 2 * 32);               // the norm's input
  CHECK(model.layers[4].activations == 2 * 32 + 4 * 4 * 10);  // the head's; probabilities in fp32
  const auto cut = stagecut::transformer::profile(gpt(), shared(2, true));
  CHECK(cut.layers[0].activations == 32 / 2.);
  CHECK(cut.layers[3].activations == 2 * 32 / 2.);
  CHECK(cut.layers[4].activations == 2 * 32 / 2. + 4 * 4 * 5);
  CHECK(stagecut::transformer::profile(llama()).layers[0].activations == 0);
  const auto encoder = stagecut::transformer::profile(bert(), classic());
  CHECK(encoder.layers[0].activations == 32 + 2 * 32);
  CHECK(encoder.layers[3].activations == 4 * 2 * 32 + 2 * 8 + 4 * 4 * 10);
}

TEST_CASE("FLOP are two for each multiplication of a product") {
  const auto layer = terms(gpt(), classic());
  CHECK(of(layer.forward).flops == 24 * 4 * 64 + 4 * 16 * 8);  // 24bsh^2 + 4bs^2h
  CHECK(of(layer.weight).flops == 24 * 4 * 64);                // attention has no weights between its two products
  CHECK(of(layer.input).flops == 24 * 4 * 64 + 8 * 16 * 8);
  const auto flash = terms(gpt(), {});  // half of what a mask hides is left out
  CHECK(of(flash.forward).flops == 24 * 4 * 64 + 2 * 16 * 8);
  CHECK(of(flash.input).flops == 24 * 4 * 64 + 5 * 16 * 8);
  CHECK(of(terms(bert(), {}).forward).flops == 24 * 4 * 64 + 4 * 16 * 8);  // it sees both ways
  const auto cut = terms(gpt(), shared(2, true));
  CHECK(of(cut.forward).flops == of(layer.forward).flops / 2);
  CHECK(of(cut.input).flops == of(layer.input).flops / 2);
  // queries, keys and values; the core; the projection; gate and two matrices
  const double products = 2 * 4 * 8 * (8 + 4 + 4) + 2 * 4 * 8 * 8 + 3 * 2 * 4 * 8 * 12;
  CHECK(of(terms(llama(), {}).forward).flops == products + 2 * 16 * 8);
  CHECK(of(terms(llama(), {}).weight).flops == products);
  // two experts a token and the router
  CHECK(of(terms(mixtral(), {}).forward).flops == products + 2 * 16 * 8 + 3 * 2 * 4 * 8 * 12 + 2 * 4 * 8 * 4);
  CHECK(of(terms(gpt(), {}, 4).forward).flops == 2 * 4 * 8 * 10);
  CHECK(of(terms(gpt(), {}, 4).weight).flops == 2 * 4 * 8 * 10);
  CHECK(of(terms(bert(), {}, 3).forward).flops == 2 * 4 * 8 * 10 + 2 * 4 * 64 + 2 * 8 * (8 + 2));
  // the logits are cut by words, the dense layer before them by tokens, the pooler is not
  CHECK(of(terms(bert(), shared(2, true), 3).forward).flops == 2 * 4 * 8 * 5 + 2 * 2 * 64 + 2 * 8 * (8 + 2));
}

TEST_CASE("a window leaves out the keys that lie before it") {
  auto a = llama();
  a.sequence = 1024;
  a.forms.resize(3);
  const auto work = [&](std::size_t window) {
    a.forms[1].window = window;
    return of(terms(a, {}, 2).forward).flops;
  };
  const double whole = of(terms(a, {}, 1).forward).flops;  // half of the keys: 512
  // Two products of 8 numbers. Blocks of keys are whole: half of one of 128 is computed besides the window.
  CHECK(work(128) == whole - 4 * 1024 * 8 * (512 - (128 + 64)));
  CHECK(work(447) == whole - 4 * 1024 * 8);
  for (const std::size_t wide : {448U, 1000U, 1024U, 4000U}) CHECK(work(wide) == whole);
  a.causal = false;
  CHECK(work(0) - work(128) == 4 * 1024 * 8 * (1024 - 128));  // it sees both ways
  a.causal.reset();
  a.forms[1].window = 400;
  CHECK(of(terms(a, classic(), 2).forward).flops == of(terms(a, classic(), 1).forward).flops);  // with scores in memory
}

TEST_CASE("what is no product moves its bytes") {
  const auto layer = terms(gpt(), classic());
  // twice a norm (2 numbers) and a sum (3) with a mask of a byte; GELU (2; 3); scores in all 12 and 17 bytes
  CHECK(of(layer.forward).bytes == 2 * 32 * (4 + 6 + 1) + 4 * 32 * 4 + 32 * 12);
  CHECK(of(layer.input).bytes == 2 * 32 * (4 + 6 + 1) + 4 * 32 * 6 + 32 * 17);
  CHECK(of(layer.weight).bytes == 0);
  // rotary positions of queries, keys and values (2 numbers each); gate (3 and 5); no dropout
  const auto gated = terms(llama(), {});
  CHECK(of(gated.forward).bytes == 2 * 32 * (4 + 6) + 4 * 12 * 6 + 4 * (8 + 4 + 4) * 4);
  CHECK(of(gated.input).bytes == 2 * 32 * (4 + 6) + 4 * 12 * 10 + 4 * (8 + 4 + 4) * 4);
  // Two copies of a token, each with a gate and moved four times before and after its experts; scores of four experts.
  const auto routed = terms(mixtral(), {});
  const double more = stagecut::transformer::efficiencies{}.expert_bytes;
  CHECK(of(routed.forward).bytes ==
        doctest::Approx(of(gated.forward).bytes - 4 * 12 * 6 + more * (24 * 16 + 8 * 12 * 6 + 8 * 8 * 16)));
  CHECK(of(routed.input).bytes ==
        doctest::Approx(of(gated.input).bytes - 4 * 12 * 10 + more * (16 * 16 + 8 * 12 * 10 + 8 * 8 * 16)));
  // norms and sums of half of the tokens; gates, rotations and (in memory here) scores of half of the widths
  CHECK(of(terms(llama(), shared(2, true)).forward).bytes == (of(gated.forward).bytes + 4 * 4 * 16 * 11 / 4) / 2);
  CHECK(of(terms(gpt(), {}, 0).forward).bytes == 32 * (6 + 5));  // a row of either table, their sum; dropout
  CHECK(terms(gpt(), {}, 0).input.empty());
  CHECK(of(terms(gpt(), {}, 0).weight).bytes == 32 * (12 + 5));
  CHECK(of(terms(gpt(), {}, 3).forward).bytes == 32 * 4);
  CHECK(of(terms(gpt(), {}, 3).input).bytes == 32 * 6);
  CHECK(of(terms(gpt(), {}, 4).forward).bytes == 4 * 10 * 6);  // logits to their loss
  CHECK(of(terms(gpt(), {}, 4).input).bytes == 4 * 10 * 6);
  CHECK(of(terms(gpt(), shared(2, true), 3).forward).bytes == 32 * 4 / 2);
  CHECK(of(terms(gpt(), shared(2, false), 3).forward).bytes == 32 * 4);
}

TEST_CASE("the seconds of a profile are the sums of its terms") {
  auto r = shared(2, true);
  r.data_parallel = 4;
  r.zero = 2;
  for (const auto& a : {gpt(), llama(), mixtral(), bert()}) {
    const auto model = stagecut::transformer::profile(a, r);
    const auto all = stagecut::transformer::explain(a, r);
    REQUIRE(all.size() == model.layers.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(model.layers[i].forward == stagecut::transformer::seconds_of(all[i].forward));
      CHECK(model.layers[i].backward_input == stagecut::transformer::seconds_of(all[i].input));
      CHECK(model.layers[i].backward_weight == stagecut::transformer::seconds_of(all[i].weight));
      CHECK(model.layers[i].update == stagecut::transformer::seconds_of(all[i].update));
      // of a matrix that is tied the embedding has it
      CHECK((model.layers[i].update > 0) == (model.layers[i].parameters > 0));
    }
  }
}

TEST_CASE("recomputation runs forward work again with the gradient of the input") {
  using stagecut::transformer::seconds_of;
  using enum stagecut::transformer::term_kind;
  const auto plain = terms(gpt(), as_graph(shared(2, true)));
  const auto selective = terms(gpt(), as_graph(shared(2, true, recomputing::selective)));
  const auto full = terms(gpt(), as_graph(shared(2, true, recomputing::full)));
  CHECK(seconds_of(selective.forward) == seconds_of(plain.forward));
  CHECK(seconds_of(selective.input, repetition) == seconds_of(plain.forward, attention));
  CHECK(seconds_of(full.input, repetition) == seconds_of(plain.forward));  // with its messages
  CHECK(seconds_of(full.weight) == seconds_of(plain.weight));
  CHECK(seconds_of(plain.input, repetition) == 0);
  auto partly = as_graph(shared(2, true, recomputing::selective));
  partly.recomputed_share = 0.4;
  CHECK(seconds_of(terms(gpt(), partly).input, repetition) == 0.4 * seconds_of(plain.forward));
  CHECK(activations(gpt(), partly) == activations(gpt(), shared(2, true, recomputing::selective)));
}

TEST_CASE("the other ways of recomputation can be given with each layer") {
  auto r = classic(recomputing::selective);
  r.variants = true;
  const auto layer = decoder(gpt(), r);
  REQUIRE(layer.recomputations.size() == 2);
  CHECK(layer.recomputations[0].name == "none");
  CHECK(layer.recomputations[1].name == "full");
  const auto full = decoder(gpt(), classic(recomputing::full));
  const auto& variant = layer.recomputations[1];
  CHECK(variant.forward == full.forward);
  CHECK(variant.backward == full.backward);
  CHECK(variant.backward_input == full.backward_input);
  CHECK(variant.backward_weight == full.backward_weight);
  CHECK(variant.parameters == full.parameters);
  CHECK(variant.resident == full.resident);
  CHECK(variant.activations == full.activations);
  CHECK(variant.workspace == full.workspace);
  CHECK(variant.recomputed == full.recomputed);
  CHECK(variant.output == full.output);
  CHECK(stagecut::transformer::profile(gpt(), r).layers[0].recomputations.empty());
}

TEST_CASE("ZeRO spreads 16 bytes a parameter over the replicas") {
  struct expected {
    std::size_t stage;
    double resident, parameters, workspace;
  };
  for (const auto& [stage, resident, parameters, workspace] :
       {expected{0, 16, 2, 0}, {1, 4 + 12. / 4, 2, 0}, {2, 2 + 14. / 4, 2, 2}, {3, 16. / 4, 2. / 4, 4}}) {
    CAPTURE(stage);
    training r;
    r.zero = stage;
    r.data_parallel = 4;
    const auto layer = decoder(gpt(), r);
    CHECK(*layer.resident == 872 * resident);
    CHECK(layer.parameters == 872 * parameters);
    CHECK(layer.workspace == 872 * workspace);  // whole parameters, whole gradients
    r.data_parallel = 1;
    CHECK(*decoder(gpt(), r).resident == 872 * 16);
    CHECK(decoder(gpt(), r).workspace == 0);
  }
  training fp32;
  fp32.precision = stagecut::transformer::number::fp32;
  CHECK(*decoder(gpt(), fp32).resident == 872 * (4 + 4 + 8));
  training other;
  other.gradient_bytes = 4;
  other.state_bytes = 0;
  CHECK(*decoder(gpt(), other).resident == 872 * 6);
  other.parameter_bytes = 1;  // in 8 bits alone
  CHECK(*decoder(gpt(), other).resident == 872 * 5);
  CHECK(decoder(gpt(), other).parameters == 872);
  training narrow;  // parameters have 16 bits, and their copies for products are made when they are needed
  narrow.precision = stagecut::transformer::number::fp8;
  CHECK(*decoder(gpt(), narrow, stagecut::transformer::devices[2]).resident == 872 * 16);
}

TEST_CASE("a device holds its part of the matrices, and norms and last biases whole") {
  const auto r = shared(2, true);
  CHECK(decoder(gpt(), r).parameters == 2 * ((12 * 64 + 3 * 8 + 4 * 8) / 2 + 2 * 8 + 4 * 8));
  CHECK(*decoder(gpt(), r).resident == 8 * decoder(gpt(), r).parameters);
  // keys and values of at least one head
  CHECK(decoder(llama(), shared(4, true)).parameters == 2 * (64 / 4 + 2 * 8 * 2 + 64 / 4 + 3 * 96 / 4 + 2 * 8));
  auto a = gpt();
  a.vocabulary = 9;  // padded to 10
  CHECK(stagecut::transformer::profile(a, r).layers[0].tied.at(0).bytes == 2 * 5 * 8);
  CHECK(stagecut::transformer::profile(a, r).layers[0].parameters == 2 * 16 * 8);
}

TEST_CASE("embedding and head share a matrix where they are tied") {
  using enum stagecut::tied_parameters::placement;
  auto a = gpt();
  const auto model = stagecut::transformer::profile(a);
  const auto& first = model.layers.front();
  const auto& last = model.layers.back();
  CHECK(first.tied == std::vector{stagecut::tied_parameters{"tok_embeddings.weight", 2 * 80, 16 * 80, replicated}});
  CHECK(last.tied == first.tied);
  CHECK(first.parameters == 2 * 16 * 8);
  CHECK(last.parameters == 0);
  a.tied = tying::colocate;
  CHECK(stagecut::transformer::profile(a).layers.back().tied.at(0).where == colocated);
  a.tied = tying::none;
  CHECK(stagecut::transformer::profile(a).layers.back().tied.empty());
  CHECK(stagecut::transformer::profile(a).layers.back().parameters == 2 * 80);
  CHECK(stagecut::transformer::profile(a).layers.front().parameters == 2 * (80 + 16 * 8));

  training r;
  r.zero = 3;
  r.data_parallel = 4;
  const auto spread = stagecut::transformer::profile(gpt(), r).layers.back();
  CHECK(spread.tied.at(0).bytes == 2 * 80 / 4.);
  CHECK(*spread.tied.at(0).resident == 16 * 80 / 4.);
  CHECK(spread.workspace == 4 * 80);  // gathered though it is not among its own
}

TEST_CASE("an architecture out of range is refused at its field") {
  CHECK(refused(&architecture::layers, std::size_t{0}) == "architecture.layers: 0 is not from 1 to 100000");
  CHECK(refused(&architecture::layers, std::size_t{100'001}) == "architecture.layers: 100001 is not from 1 to 100000");
  CHECK(refused(&architecture::hidden, std::size_t{0}).starts_with("architecture.hidden: 0 is not from 1 to "));
  CHECK(refused(&architecture::heads, std::size_t{0}).starts_with("architecture.heads: 0 is not"));
  CHECK(refused(&architecture::ffn, std::size_t{0}).starts_with("architecture.ffn: 0 is not"));
  CHECK(refused(&architecture::ffn, std::size_t{1}).empty());
  CHECK(refused(&architecture::ffn, (std::size_t{1} << 31U) + 1) ==
        "architecture.ffn: 2147483649 is not from 1 to 2147483648");
  CHECK(refused(&architecture::vocabulary, std::size_t{0}).starts_with("architecture.vocabulary: 0 is not"));
  CHECK(refused(&architecture::sequence, std::size_t{0}).starts_with("architecture.sequence: 0 is not"));
  CHECK(refused(&architecture::positions, std::numeric_limits<std::size_t>::max()).starts_with("architecture.pos"));
  CHECK(refused(&architecture::heads, std::size_t{3}) ==
        "architecture.heads: heads = 3 does not divide hidden = 8, and no head_dim");
  CHECK(refused(&architecture::kv_heads, std::size_t{4}) ==
        "architecture.kv_heads: kv_heads = 4 does not divide heads = 2");
  CHECK(refused(&architecture::top_k, std::size_t{5}, mixtral()) ==
        "architecture.top_k: top_k = 5 is above experts = 4");
  CHECK(refused(&architecture::top_k, std::size_t{0}, mixtral()) == "architecture.top_k: 0, but there are experts");
  CHECK(refused(&architecture::top_k, std::size_t{1}) == "architecture.top_k: top_k = 1 is above experts = 0");
  CHECK(refused(&architecture::shared_ffn, std::size_t{5}) ==
        "architecture.shared_ffn: is there, but there are no experts");
  CHECK(refused(&architecture::router_groups, std::size_t{3}, mixtral()) ==
        "architecture.router_groups: router_groups = 3 does not divide experts = 4");
  CHECK(refused(&architecture::router_groups, std::size_t{2}).starts_with("architecture.router_groups: "));
  CHECK(refused(&architecture::top_groups, std::size_t{1}, mixtral()) ==
        "architecture.top_groups: top_groups = 1 is above router_groups = 0");
  auto spaced = llama();
  spaced.recurrence = stagecut::transformer::recurrent_mixer{.heads = 4, .head_dim = 2, .state = 3, .groups = 2};
  CHECK(refused(spaced, {}).empty());
  spaced.recurrence->state = 0;
  CHECK(refused(spaced, {}).starts_with("architecture.recurrence/state: 0 is not from 1 to "));
  spaced.recurrence->state = 3;
  spaced.recurrence->groups = 3;
  CHECK(refused(spaced, {}) == "architecture.recurrence/groups: groups = 3 does not divide heads = 4");
  spaced.recurrence->heads = 3;
  CHECK(refused(spaced, shared(2, true)) ==
        "training.tensor_parallel: tensor_parallel = 2 does not divide recurrence/heads = 3");
  spaced.recurrence.reset();
  spaced.forms.assign(3, {.mixer = stagecut::transformer::mixing::recurrence});
  CHECK(refused(spaced, {}) ==
        R"(architecture.forms: layer 0 is recurrent, and the figures of "recurrence" are missing)");
  spaced.forms.assign(3, {.mixer = stagecut::transformer::mixing::none, .mixer_only = true});
  CHECK(refused(spaced, {}) == "architecture.forms: layer 0 has neither a mixer nor a feed-forward part");
  CHECK(refused(&architecture::sequence, std::size_t{17}) ==
        "architecture.sequence: sequence = 17 is above positions = 16");
}

TEST_CASE("a training out of range is refused at its field") {
  CHECK(refused(&training::microbatch, std::size_t{0}).starts_with("training.microbatch: 0 is not from 1 to "));
  CHECK(refused(&training::tensor_parallel, std::size_t{0}).starts_with("training.tensor_parallel: 0 is not"));
  CHECK(refused(&training::data_parallel, std::size_t{0}).starts_with("training.data_parallel: 0 is not"));
  CHECK(refused(&training::zero, std::size_t{4}) == "training.zero: 4 is not from 0 to 3");
  CHECK(refused(&training::sequence, std::size_t{17}) == "training.sequence: sequence = 17 is above positions = 16");
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused(&training::state_bytes, std::optional(-1.)) == "training.state_bytes: -1.000000 is not from 0 to 1000000");
  CHECK(refused(&training::gradient_bytes, std::optional(nan)).starts_with("training.gradient_bytes: nan"));
  CHECK(refused(&training::parameter_bytes, std::optional(-1.)).starts_with("training.parameter_bytes: -1.0"));
  CHECK(refused(&training::offload, 1.5) == "training.offload: 1.500000 is not from 0 to 1");
  CHECK(refused(&training::attention_fp8, true) ==
        "training.attention_fp8: is set, but the precision is not of 8 or 4 bits");
  using stagecut::transformer::module_set;
  CHECK(refused(&training::recompute_modules, module_set{.mla_up_proj = true}) ==
        "training.recompute_modules: has mla_up_proj, but the model has no latent attention");
  CHECK(refused(&training::recompute_modules, module_set{.moe = true}) ==
        "training.recompute_modules: has moe, but the model has no experts");
  CHECK(refused(&training::recompute_modules, module_set{.moe_act = true}) ==
        "training.recompute_modules: has moe_act, but the model has no experts");
  CHECK(refused(&training::recompute_modules, module_set{.layernorm = true, .core_attn = true, .mlp = true}).empty());
  CHECK(refused(&training::tensor_parallel, std::size_t{4}) ==
        "training.tensor_parallel: tensor_parallel = 4 does not divide heads = 2");
  auto a = gpt();
  a.ffn = 31;
  CHECK(refused(a, shared(2, false)) == "training.tensor_parallel: tensor_parallel = 2 does not divide ffn = 31");
  a = gpt();
  a.sequence = 5;
  CHECK(refused(a, shared(2, true)) ==
        "training.tensor_parallel: tensor_parallel = 2 does not divide sequence = 5, as sequence_parallel needs");
  CHECK(refused(a, shared(2, false)).empty());
  a = gpt();
  a.heads = 6;
  a.head_dim = 2;
  a.kv_heads = 3;
  CHECK(refused(a, shared(2, false)) ==
        "training.tensor_parallel: tensor_parallel = 2 neither divides nor is a multiple of kv_heads = 3");
}

TEST_CASE("a device and efficiencies are looked at before anything is computed") {
  CHECK(refused(gpt(), {}, {.gemm = 0}) == "device.gemm: 0.000000 is not above 0, and there is no sustained rate");
  training fp8;
  fp8.precision = stagecut::transformer::number::fp8;
  CHECK(refused(gpt(), fp8).starts_with("device.gemm_fp8: is 0"));
  CHECK(refused(gpt(), fp8, stagecut::transformer::devices[2]).empty());
  CHECK_THROWS_AS((void)stagecut::transformer::profile(gpt(), {}, {}, {.gemm = 0}), stagecut::invalid_input);
  CHECK(refused(gpt(), {}, {.bandwidth = 1e-320, .sustained_bandwidth = 0}) ==
        "layer 0 (\"tok_embeddings\"): forward = infinity, must be finite and not negative");
}

TEST_CASE("experts that are whole are held by fewer devices each") {
  auto r = shared(2, true);
  r.data_parallel = 4;
  r.expert_parallel = 4;
  const auto model = stagecut::transformer::profile(mixtral(), r);
  // queries and projection halved, two of four heads of keys and values; the router, the norms; an expert of four whole
  const double common = (64 + 2 * 32 + 64) / 2. + 4 * 8 + 2 * 8;
  CHECK(model.layers[1].parameters == 2 * (common + 3 * 96));
  r.zero = 1;  // state spread over 4 replicas, the expert's over the 2 * 4 / 4 devices that have it, too
  CHECK(*stagecut::transformer::profile(mixtral(), r).layers[1].resident ==
        common * (4 + 12 / 4.) + 3 * 96 * (4 + 12 / 2.));
  // what a device keeps: its own half of the tokens, each at two experts of whole width
  auto cut = r;
  cut.expert_parallel = 1;
  // where experts are cut it has copies of all tokens, of 8 numbers, with their places and weights
  CHECK(activations(mixtral(), r) + (4 - 2) * 2 * (2 * 8 + 8) == activations(mixtral(), cut));
  CHECK(of(terms(mixtral(), r).forward).flops == of(terms(mixtral(), cut).forward).flops);
  r.expert_parallel = 3;
  CHECK(refused(mixtral(), r) == "training.expert_parallel: expert_parallel = 3 does not divide experts = 4");
  r.expert_parallel = 4;
  r.data_parallel = 1;
  CHECK(refused(mixtral(), r)
            .starts_with("training.expert_parallel: expert_parallel = 4 devices share the experts, and a stage has 2"));
  CHECK(refused(llama(), r) == "training.expert_parallel: is above 1, but there are no experts");
}

TEST_CASE("each layer has its own form") {
  auto a = mixtral();
  a.forms.resize(3);
  a.forms[0].dense = true;
  a.ffn = 20;
  a.expert_ffn = 12;
  const auto model = stagecut::transformer::profile(a);
  CHECK(model.layers[1].parameters == 2 * (64 + 2 * 32 + 64 + 3 * 8 * 20 + 2 * 8));
  CHECK(model.layers[2].parameters == decoder(mixtral(), {}).parameters);
  CHECK(model.layers[2] != model.layers[1]);
  CHECK(profiled(a) == total(a));
  a.forms.resize(2);
  CHECK(refused(a, {}) == "architecture.forms: 2 elements, and layers = 3");
}

TEST_CASE("layers that guess further tokens stand behind the norm, and the head works for all") {
  auto a = llama();
  a.mtp_layers = 2;
  const auto model = stagecut::transformer::profile(a);
  REQUIRE(model.layers.size() == 8);
  CHECK(model.layers[4].name == "norm");
  CHECK(model.layers[5].name == "mtp.0");
  CHECK(model.layers[6].kind == "mtp");
  for (const auto& layer : model.layers) CHECK(layer.group == "");
  const auto counts = stagecut::transformer::count_parameters(a);
  CHECK(counts.total == total(llama()));
  CHECK(counts.further == 2 * (64 + 2 * 32 + 64 + 3 * 96 + 2 * 8 + 2 * 64 + 3 * 8));
  CHECK(profiled(a) == counts.total + counts.further);
  CHECK(of(terms(a, {}, 7).forward).flops == 3 * of(terms(llama(), {}, 5).forward).flops);
}

TEST_CASE("latent attention keeps a narrow vector, and its matrices are counted") {
  auto a = llama();
  a.latent = stagecut::transformer::latent_attention{6, 5, 3, 2, 4};
  // to narrow vectors and their norms; from them to 4 heads of 3 + 2 and of 3 and 4; back from heads of 4
  const double attention = 8 * 6 + 6 + 6 * 4 * 5 + 8 * (5 + 2) + 5 + 5 * 4 * (3 + 4) + 4 * 4 * 8;
  CHECK(total(a) == 3 * (attention + 3 * 96 + 2 * 8) + 2 * 80 + 8);
  CHECK(profiled(a) == total(a));
  a.latent->query_rank = 0;
  CHECK(total(a) == 3 * (attention - 8 * 6 - 6 - 6 * 4 * 5 + 8 * 4 * 5 + 3 * 96 + 2 * 8) + 2 * 80 + 8);
  // scores of 5 numbers, values of 4
  CHECK(stagecut::transformer::seconds_of(terms(a, {}).forward, stagecut::transformer::term_kind::attention) > 0);
  for (const auto& term : terms(a, {}).forward) {
    if (term.kind == stagecut::transformer::term_kind::attention) CHECK(term.flops == 2 * 4 * 2 * 4 * (5 + 4));
  }
}

TEST_CASE("the parameters of a state space are counted") {
  auto a = llama();
  a.recurrence =
      stagecut::transformer::recurrent_mixer{.heads = 6, .head_dim = 2, .state = 5, .groups = 3, .convolution = 4};
  a.forms.assign(3, {.mixer = stagecut::transformer::mixing::recurrence, .mixer_only = true});
  a.norms = 1;
  // in and out; a convolution of four tokens and its bias; three numbers a head; the scales of two norms
  const double inner = 12, convolved = 12 + 2 * 3 * 5;
  const double space = 8 * (inner + convolved + 6) + 5 * convolved + 3 * 6 + inner + inner * 8;
  CHECK(total(a) == 3 * (space + 8) + 2 * 80 + 8);
  CHECK(profiled(a) == total(a));
  a.forms[1] = {.mixer = stagecut::transformer::mixing::none};
  CHECK(total(a) == 2 * (space + 8) + (3 * 96 + 8) + 2 * 80 + 8);
  a.forms[1] = {.mixer_only = true};
  CHECK(total(a) == 2 * (space + 8) + (64 + 2 * 32 + 64 + 8) + 2 * 80 + 8);
  a.forms[1] = {.mixer = stagecut::transformer::mixing::recurrence};
  CHECK(total(a) == 2 * (space + 8) + (space + 3 * 96 + 2 * 8) + 2 * 80 + 8);  // two parts, two norms
  CHECK(profiled(a) == total(a));
}

TEST_CASE("experts that see narrower tokens share two matrices to and from them") {
  auto a = mixtral();
  a.expert_hidden = 5;
  a.shared_ffn = 7;
  const double layer = 64 + 2 * 32 + 64 + 2 * 8 + 4 * (3 * 5 * 12) + 8 * 4 + 2 * 8 * 5 + 3 * 8 * 7;
  CHECK(total(a) == 3 * layer + 2 * 80 + 8);
  CHECK(profiled(a) == total(a));
  CHECK(stagecut::transformer::count_parameters(a).active == total(a) - 3 * 2 * (3 * 5 * 12));
}

TEST_CASE("a tower that sees stands before the embedding, with its projector") {
  auto a = llama();
  a.sequence = 6;
  stagecut::transformer::vision_tower v;
  v.layers = 2, v.hidden = 6, v.heads = 2, v.ffn = 10, v.inputs = 12, v.positions = 9, v.extra_tokens = 1;
  v.extra_norms = 1, v.patches = 8, v.images = 3, v.merged = 4, v.projector = {5}, v.projector_norm = 3;
  a.vision = v;
  const auto model = stagecut::transformer::profile(a);
  REQUIRE(model.layers.size() == 10);
  CHECK(model.layers[0].name == "vision.patches");
  CHECK(model.layers[1].name == "vision.layers.0");
  CHECK(model.layers[1].kind == "vision");
  CHECK(model.layers[3].name == "projector");
  CHECK(model.layers[4].name == "tok_embeddings");
  CHECK(model.layers[2].output == 2 * 3 * 8 * 6);
  CHECK(model.layers[3].output == 2 * 3 * (8 / 4) * 8);
  const double layer = 4 * 36 + 4 * 6 + 2 * 60 + 10 + 6 + 4 * 6;
  const double seeing = 12 * 6 + 10 * 6 + 12 + 2 * layer + 6 + (4 * 6 * 5 + 5) + (5 * 8 + 8);
  CHECK(stagecut::transformer::count_parameters(a).vision == seeing);
  CHECK(total(a) == total(llama()) + seeing);
  CHECK(profiled(a) == total(a));
  CHECK(refused(a, {.sequence = 5}) ==
        "training.sequence: sequence = 5 is too short for the 6 tokens that images become");
  // each patch sees the 8 of its image
  CHECK(of(terms(a, {}, 1).forward).flops == 2 * 24 * 6 * 24 + 2 * 24 * 6 * 20 + 4 * 24 * 8 * 6);
  // or the 4 of its window, but in layers that look at all of it, whichever way they recompute
  a.vision->window = 4;
  a.vision->full_layers = {1};
  const auto work = [&](std::size_t i) { return of(terms(a, {}, i).forward).flops; };
  CHECK(work(2) - work(1) == 4 * 24 * (8 - 4) * 6);
  const auto both = stagecut::transformer::profile(a, as_graph({.variants = true})).layers;
  const auto full = stagecut::transformer::profile(a, as_graph({.recomputation = recomputing::full})).layers;
  CHECK(both[1].forward < both[2].forward);
  for (const std::size_t i : {1U, 2U}) CHECK(both[i].recomputations[1].backward == full[i].backward);
  a.vision->full_layers = {1, 2};
  CHECK(refused(a, {}) == "architecture.vision/full_layers: 2 is not below layers = 2");
  a.vision->full_layers = {1, 1};
  CHECK(refused(a, {}) == "architecture.vision/full_layers: 1 stands behind 1");
  a.vision->full_layers = {};
  a.vision->heads = 4;
  CHECK(refused(a, {}) == "architecture.vision/heads: heads = 4 does not divide hidden = 6");
}
