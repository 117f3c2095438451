// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/detail/block_messages.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include <stagecut/profile/transformer.hpp>

namespace {

using stagecut::transformer::architecture;
using stagecut::transformer::overlapping;
using stagecut::transformer::seconds_of;
using stagecut::transformer::term;
using stagecut::transformer::training;
using enum stagecut::transformer::term_kind;

architecture llama() {
  architecture a;
  a.name = "small";
  a.layers = 3;
  a.hidden = 512;
  a.heads = 8;
  a.ffn = 1024;
  a.gated = true;
  a.vocabulary = 1000;
  a.norm = stagecut::transformer::normalization::rmsnorm;
  a.biases = false;
  a.dropout = false;
  a.sequence = 1024;
  return a;
}

architecture mixtral() {
  architecture a = llama();
  a.experts = 8;
  a.top_k = 2;
  return a;
}

// What a message adds to work that hides it.
double seen(double message, double work) {
  return stagecut::transformer::seconds_seen(message, work, stagecut::transformer::efficiencies{}.hidden);
}

// Nothing waits for the host, so that seconds are those of the device.
training on_device() {
  training r;
  r.cuda_graphs = stagecut::transformer::graphing::full;
  return r;
}

training wide(bool sequence_parallel, overlapping overlap = overlapping::none) {
  training r = on_device();
  r.tensor_parallel = 4;
  r.sequence_parallel = sequence_parallel;
  r.overlap = overlap;
  return r;
}

stagecut::transformer::pass_terms terms(const architecture& a, const training& r, std::size_t layer = 1) {
  return stagecut::transformer::explain(a, r).at(layer);
}

/// The messages of a pass whose names begin so.
std::vector<term> messages(const std::vector<term>& pass, std::string_view name = "") {
  std::vector<term> made;
  for (const term& each : pass) {
    if (each.kind == message && std::string_view(each.name).starts_with(name)) made.push_back(each);
  }
  return made;
}

/// Gathers and scattered sums of a pass.
double count(const std::vector<term>& pass) {
  double sum = 0;
  for (const term& message : messages(pass)) sum += message.count;
  return sum;
}

}  // namespace

TEST_CASE("tensor parallelism sends what Shoeybi and Korthikanti say") {
  const auto gathered = terms(llama(), wide(true));
  CHECK(count(gathered.forward) == 4);
  CHECK(count(gathered.input) == 6);  // gathers again, for the gradient of the weights
  CHECK(count(gathered.weight) == 0);
  const auto reduced = terms(llama(), wide(false));  // an all-reduce counts as two
  CHECK(count(reduced.forward) == 4);
  CHECK(count(reduced.input) == 4);
  // each of 2 bytes for all tokens; a device already has a quarter
  CHECK(messages(gathered.forward).at(0).bytes == 4 * 2 * 1024 * 512 * 3 / 4.);
  for (const auto* pass : {&gathered.forward, &gathered.input}) {
    for (const auto& term : messages(*pass)) CHECK(term.seconds == term.alone);
  }
  CHECK(messages(terms(llama(), {}).forward).empty());
  auto parallel = llama();
  parallel.parallel = true;
  parallel.norms = 1;
  CHECK(count(terms(parallel, wide(true)).forward) == 2);
  auto experts = wide(true);
  experts.data_parallel = 2;
  experts.expert_parallel = 8;
  CHECK(messages(terms(mixtral(), experts).forward, "messages of tensor").at(0).count == 2);
  CHECK(messages(terms(mixtral(), wide(true)).forward, "messages of tensor").at(0).count == 4);
}

TEST_CASE("messages are hidden as far as overlapping says") {
  const auto shown = terms(llama(), wide(true));
  const auto behind = terms(llama(), wide(true, overlapping::bwd));
  CHECK(seconds_of(behind.forward) == seconds_of(shown.forward));
  CHECK(count(behind.input) == 2);
  const term late = messages(behind.weight).at(0);
  CHECK(late.count == 4);
  CHECK(late.seconds == seen(late.alone, seconds_of(shown.weight)));
  CHECK(seconds_of(messages(terms(llama(), wide(false, overlapping::bwd)).input)) == 0);

  const auto cut = terms(llama(), wide(true, overlapping::ub));
  const term first = messages(cut.forward).at(0);
  CHECK(first.count == 4);
  CHECK(first.seconds == first.alone / 4 + seen(first.alone * 0.75, seconds_of(shown.forward, product)));
  CHECK(seconds_of(cut.forward) < seconds_of(shown.forward));
  CHECK(seconds_of(cut.input) + seconds_of(cut.weight) < seconds_of(behind.input) + seconds_of(behind.weight));
}

TEST_CASE("keys and values go around a ring behind attention") {
  training r;
  r.context_parallel = 4;
  const auto all = terms(llama(), r);
  const term ring = messages(all.forward).at(0);
  CHECK(ring.bytes == 3 * 2 * 256 * (512 + 512));  // 256 tokens a device, three times
  CHECK(ring.seconds == seen(ring.alone, seconds_of(all.forward, attention)));
  CHECK(messages(all.input).at(0).bytes == 2 * ring.bytes);
  // a quarter of the tokens, each with all the keys
  CHECK(seconds_of(all.forward, attention) == doctest::Approx(seconds_of(terms(llama(), {}).forward, attention) / 4));
}

TEST_CASE("tokens go to experts and back, in either pass") {
  training r;
  r.data_parallel = 8;
  r.expert_parallel = 8;
  const auto all = terms(mixtral(), r);
  for (const auto* pass : {&all.forward, &all.input}) {
    const term sent = messages(*pass).at(0);
    CHECK(sent.count == 2);
    CHECK(sent.bytes == 2 * 2 * 1024 * 2 * 512 * 7 / 8.);
    CHECK(sent.seconds == sent.alone);
  }
  CHECK(messages(terms(mixtral(), {}).forward).empty());
}

TEST_CASE("an iteration ends with sums of gradients, the optimizer and new parameters") {
  training r;
  r.data_parallel = 4;
  r.exchange_hidden = false;
  const double numbers = 4 * 512 * 512 + 3 * 512 * 1024 + 2 * 512;
  const auto whole = terms(llama(), r).update;
  REQUIRE(whole.size() == 2);
  CHECK(whole[0].bytes == 2 * numbers * 2 * 3 / 4);  // scattered and gathered
  CHECK(whole[1].bytes == numbers * (2 * 12 + 4 + 2 + 4));
  r.zero = 1;
  const auto spread = terms(llama(), r).update;
  REQUIRE(spread.size() == 3);
  CHECK(spread[0].bytes == numbers * 2 * 3 / 4);
  CHECK(spread[1].bytes == numbers * 2 * 3 / 4);
  CHECK(spread[2].bytes == numbers * ((2 * 12 + 4 + 2) / 4. + 4));
  CHECK(seconds_of(spread) < seconds_of(whole));
  r.exchange_hidden = true;
  CHECK(seconds_of(terms(llama(), r).update) < seconds_of(spread));
  r.zero = 3;
  CHECK(terms(llama(), r).update.size() == 2);
  CHECK(messages(terms(llama(), r).forward, "gather of parameters").at(0).bytes == numbers * 2 * 3 / 4);
  CHECK(messages(terms(llama(), r).input, "gather of parameters").size() == 1);
  CHECK(terms(llama(), {}).update.size() == 1);
}

TEST_CASE("messages take turns behind what computes, each no more of it than it runs beside") {
  // A ring far longer than attention: the gather of parameters behind it has what attention leaves.
  training r;
  r.context_parallel = 16;
  r.data_parallel = 2;
  r.zero = 3;
  const auto all = terms(llama(), r).forward;
  const term ring = messages(all, "ring").at(0);
  const term gather = messages(all, "gather of parameters").at(0);
  const double core = seconds_of(all, attention);
  REQUIRE(ring.far == gather.far);
  REQUIRE(ring.alone > core);
  CHECK(ring.beside == core);
  double computing = 0;
  for (const term& each : all) computing += each.kind == message ? 0 : each.seconds;
  CHECK(gather.seconds == doctest::Approx(seen(gather.alone, computing - core)));
  CHECK(gather.seconds < gather.alone);
}

TEST_CASE("nothing hides behind messages that are repeated") {
  training r = wide(true);
  r.data_parallel = 64;
  r.recomputation = stagecut::transformer::recomputing::full;
  const auto all = terms(llama(), r);
  double computing = seconds_of(all.weight) + seconds_of(all.forward) - seconds_of(all.forward, message);
  for (const term& each : all.input) computing += each.kind == message || each.kind == repetition ? 0 : each.seconds;
  const term sum = messages(all.update, "sum of gradients").at(0);
  CHECK(sum.seconds == doctest::Approx(seen(sum.alone, computing)));
  // so that a faster link does not make the end of an iteration longer
  for (const double share : {0.0, 0.4}) {
    if (share > 0) r.recomputed_share = share;
    stagecut::transformer::device slow;
    slow.network = 2e9;
    stagecut::transformer::device fast = slow;
    fast.link *= 2;
    const auto end = [&](const stagecut::transformer::device& on) {
      return seconds_of(stagecut::transformer::explain(llama(), r, on).at(1).update);
    };
    CHECK(end(fast) == doctest::Approx(end(slow)));
  }
}

TEST_CASE("replicas of whole experts are fewer") {
  training r;
  r.data_parallel = 8;
  r.expert_parallel = 4;
  r.zero = 1;
  const auto update = terms(mixtral(), r).update;
  REQUIRE(update.size() == 6);  // of what all have, and of the experts
  CHECK(update[0].members == 8);
  CHECK(update[3].members == 2);
  CHECK(update[3].bytes == 2 * 3 * 512 * 1024 * 2 / 2.);  // two experts a device
}
