// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/detail/block_messages.hpp>

#include <doctest/doctest.h>

#include <bit>
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

TEST_CASE("recipes overlap tensor parallelism in dense models") {
  using stagecut::transformer::overlap_of;
  auto r = wide(true, overlapping::recipe);
  CHECK(training{}.overlap == overlapping::recipe);
  CHECK(overlap_of(llama(), r) == overlapping::ub);
  CHECK(seconds_of(terms(llama(), r).forward) == seconds_of(terms(llama(), wide(true, overlapping::ub)).forward));
  CHECK(overlap_of(mixtral(), r) == overlapping::none);
  r.precision = stagecut::transformer::number::nvfp4;
  CHECK(overlap_of(llama(), r) == overlapping::none);
  CHECK(overlap_of(llama(), wide(false, overlapping::recipe)) == overlapping::none);
  for (const auto stated : {overlapping::none, overlapping::bwd, overlapping::ub}) {
    CHECK(overlap_of(mixtral(), wide(false, stated)) == stated);
  }
}

TEST_CASE("latencies of messages are constants of the cost model") {
  const auto forward = [](const auto& a, const training& r, stagecut::transformer::efficiencies reached, bool far) {
    stagecut::transformer::device on;
    if (far) on.domain = 2;
    return seconds_of(messages(stagecut::transformer::explain(a, r, on, reached).at(1).forward));
  };
  stagecut::transformer::efficiencies later;
  auto sharing = wide(true);
  for (const bool far : {false, true}) {
    (far ? later.far_latency : later.near_latency) += 1e-3;
    CHECK(forward(llama(), sharing, later, far) - forward(llama(), sharing, {}, far) == doctest::Approx(4e-3));
  }
  training experts;
  experts.data_parallel = experts.expert_parallel = 8;
  for (const bool far : {false, true}) {
    stagecut::transformer::efficiencies slow;
    (far ? slow.far_dispatch : slow.near_dispatch) += 1e-3;
    CHECK(forward(mixtral(), experts, slow, far) - forward(mixtral(), experts, {}, far) == doctest::Approx(2e-3));
  }
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

namespace {

// Two domains of eight devices; nothing runs on multiprocessors that it says nothing of.
constexpr stagecut::transformer::device two_nodes{
    .name = "", .link = 300e9, .domain = 8, .network = 25e9, .sustained_link = 0};

training sharing(std::size_t devices, stagecut::transformer::dispatching dispatcher) {
  training r = on_device();
  r.data_parallel = r.expert_parallel = devices;
  r.dispatcher = dispatcher;
  return r;
}

/// The messages of experts in the forward pass of a layer.
term sent(const architecture& a, const training& r, const stagecut::transformer::device& on = two_nodes,
          const stagecut::transformer::efficiencies& reached = {}) {
  return messages(stagecut::transformer::explain(a, r, on, reached).at(1).forward, "tokens").at(0);
}

architecture sixteen() {
  architecture a = mixtral();
  a.experts = 16;
  return a;
}

}  // namespace

TEST_CASE("an all-to-all sends a copy of a token to each of its experts") {
  const stagecut::transformer::efficiencies usual;
  const double copies = 2 * 1024 * 512 * 2;  // bytes of two copies
  const term near = sent(sixteen(), sharing(8, stagecut::transformer::dispatching::alltoall));
  CHECK_FALSE(near.far);
  CHECK(near.members == 8);
  CHECK(near.alone == doctest::Approx(2 * (copies * 7 / 8 / (300e9 * usual.link) + 12e-6)));
  const term far = sent(sixteen(), sharing(16, stagecut::transformer::dispatching::alltoall));
  CHECK(far.far);
  CHECK(far.bytes == 2 * copies * 8 / 16);
  CHECK(far.alone == doctest::Approx(2 * (copies * 8 / 16 / (25e9 * usual.network) + 30e-6)));
  auto quick = two_nodes;  // where the network is faster than the links within
  quick.network = 3000e9;
  CHECK(sent(sixteen(), sharing(16, stagecut::transformer::dispatching::alltoall), quick).alone ==
        doctest::Approx(2 * (copies * 7 / 16 / (300e9 * usual.link) + 30e-6)));
}

TEST_CASE("a dispatcher sends a copy to each device and domain that has experts of the token") {
  const stagecut::transformer::efficiencies usual;
  using enum stagecut::transformer::dispatching;
  const double once = 2 * 1024 * 512;
  // Of 16 experts a token chooses 2. Both miss a device with two of them at 14/16 * 13/15.
  const double devices = 8 * (1 - 14. / 16 * 13 / 15);
  const term near = sent(sixteen(), sharing(8, deepep));
  CHECK(near.bytes == doctest::Approx(2 * once * devices * 7 / 8));
  CHECK(near.alone == doctest::Approx(2 * (once * devices * 7 / 8 / (300e9 * usual.link) + 12e-6)));
  CHECK(sent(sixteen(), sharing(8, hybridep)).alone == near.alone);
  // Both miss one of two domains at 8/16 * 7/15.
  const double domains = 2 * (1 - 8. / 16 * 7 / 15);
  const term far = sent(sixteen(), sharing(16, deepep));
  CHECK(far.bytes == doctest::Approx(2 * once * domains / 2));
  CHECK(far.alone == doctest::Approx(2 * (once * domains / 2 / (25e9 * usual.network) + 30e-6)));
  auto quick = two_nodes;
  quick.network = 3000e9;  // within a domain a token goes to both devices of its experts
  CHECK(sent(sixteen(), sharing(16, deepep), quick).alone ==
        doctest::Approx(2 * (once * 2 * 7 / 8 / (300e9 * usual.link) + 30e-6)));
  auto narrow = sixteen();
  narrow.expert_hidden = 128;
  CHECK(sent(narrow, sharing(16, deepep)).bytes == doctest::Approx(far.bytes / 4));
}

TEST_CASE("a router that is limited to groups of experts meets fewer domains") {
  using enum stagecut::transformer::dispatching;
  auto a = sixteen();
  a.top_k = 4;
  a.router_groups = 8;
  a.top_groups = 2;
  const double once = 2 * 1024 * 512;
  // Two of 8 groups, of which four are in either domain: both miss one at 4/8 * 3/7.
  CHECK(sent(a, sharing(16, deepep)).bytes == doctest::Approx(2 * once * 2 * (1 - 4. / 8 * 3 / 7) / 2));
  a.router_groups = a.top_groups = 0;
  CHECK(sent(a, sharing(16, deepep)).bytes ==
        doctest::Approx(2 * once * 2 * (1 - 8. / 16 * 7 / 15 * 6 / 14 * 5 / 13) / 2));
  a.router_groups = 8;
  a.top_groups = 1;
  a.top_k = 2;
  CHECK(sent(a, sharing(16, deepep)).bytes == doctest::Approx(2 * once / 2));  // all experts in one domain
  a.top_k = 16;  // more than the groups can limit: a token meets every device
  a.router_groups = a.top_groups = 0;
  CHECK(sent(a, sharing(16, deepep)).bytes == doctest::Approx(2 * once * 2 / 2));
}

TEST_CASE("the devices that a token meets are those of an enumeration") {
  using enum stagecut::transformer::dispatching;
  struct choice {
    std::size_t experts, top_k, groups, top;
  };
  for (const auto& [experts, top_k, groups, top] :
       {choice{8, 1, 8, 2}, {8, 2, 4, 2}, {8, 3, 4, 2}, {16, 4, 4, 1}, {16, 4, 8, 3}, {16, 2, 0, 0}, {8, 2, 4, 4},
        {12, 1, 4, 2}, {12, 3, 6, 2}, {12, 2, 3, 2}, {14, 2, 7, 3}, {15, 2, 5, 2}, {12, 1, 2, 1}}) {
    for (const std::size_t devices : {2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
      if (experts % devices != 0) continue;
      double sum = 0, ways = 0;
      // every set of groups, and in each every set of experts of these
      for (unsigned chosen = 0; chosen < 1U << (groups == 0 ? 1 : groups); ++chosen) {
        if (static_cast<std::size_t>(std::popcount(chosen)) != (groups == 0 ? 1 : top)) continue;
        double met = 0, sets = 0;
        for (unsigned set = 0; set < 1U << experts; ++set) {
          if (static_cast<std::size_t>(std::popcount(set)) != top_k) continue;
          bool open = true;
          unsigned parts = 0;
          for (std::size_t e = 0; e < experts; ++e) {
            if ((set >> e & 1U) == 0) continue;
            open = open && (groups == 0 || (chosen >> (e * groups / experts) & 1U) != 0);
            parts |= 1U << (e * devices / experts);
          }
          if (!open) continue;
          met += std::popcount(parts);
          ++sets;
        }
        if (groups == 0 && chosen == 0) continue;
        sum += met / sets;
        ++ways;
      }
      auto a = sixteen();
      a.experts = experts;
      a.top_k = top_k;
      a.router_groups = groups;
      a.top_groups = top;
      CAPTURE(experts);
      CAPTURE(groups);
      CAPTURE(devices);
      const double once = 2 * 1024 * 512, share = static_cast<double>(devices - 1) / static_cast<double>(devices);
      CHECK(sent(a, sharing(devices, deepep)).bytes == doctest::Approx(2 * once * share * sum / ways));
    }
  }
}

TEST_CASE("a dispatcher is no faster than the multiprocessors that move every copy") {
  using enum stagecut::transformer::dispatching;
  auto on = two_nodes;
  on.dispatch_sms = 4;
  const stagecut::transformer::efficiencies slow{.dispatch_rate = 1e9};
  const double copies = 1024 * 2, floor = 2 * 2 * copies * 512 / (4 * 1e9);
  for (const std::size_t devices : {8U, 16U}) {
    CHECK(sent(sixteen(), sharing(devices, deepep), on, slow).alone == doctest::Approx(2 * floor));
    CHECK(sent(sixteen(), sharing(devices, alltoall), on, slow).alone < 2 * floor);
    const stagecut::transformer::efficiencies fast{.dispatch_rate = 1e15};
    CHECK(sent(sixteen(), sharing(devices, deepep), on, fast).alone == sent(sixteen(), sharing(devices, deepep)).alone);
  }
}

TEST_CASE("each device of a tensor-parallel group dispatches its own part of the tokens") {
  using enum stagecut::transformer::dispatching;
  for (const auto dispatcher : {alltoall, deepep}) {
    training r = sharing(8, dispatcher);
    r.data_parallel = 2;
    r.tensor_parallel = 4;
    const double parts = sent(sixteen(), r).bytes;
    CHECK(parts == doctest::Approx(sent(sixteen(), sharing(8, dispatcher)).bytes / 4));
    r.sequence_parallel = false;
    CHECK(sent(sixteen(), r).bytes == parts);
  }
}

TEST_CASE("messages of experts run behind other microbatches, but for the first") {
  using enum stagecut::transformer::dispatching;
  auto r = sharing(16, deepep);
  const stagecut::transformer::efficiencies usual;
  const auto shown = stagecut::transformer::explain(sixteen(), r, two_nodes).at(1);
  const auto computing = [](const std::vector<term>& pass) { return seconds_of(pass) - seconds_of(pass, message); };
  const double work = (computing(shown.forward) + computing(shown.input) + seconds_of(shown.weight)) / 2;
  const double alone = sent(sixteen(), r).alone;
  CHECK(sent(sixteen(), r).seconds == alone);
  REQUIRE(work > 0);
  r.expert_overlap = true;
  const double behind = stagecut::transformer::seconds_seen(alone, work, usual.dispatch_hidden);
  CHECK(behind < alone);
  CHECK(sent(sixteen(), r).seconds == doctest::Approx(behind));  // of many microbatches
  r.microbatches = 4;
  const term quarter = sent(sixteen(), r);
  CHECK(quarter.seconds == doctest::Approx(alone / 4 + behind * 3 / 4));
  CHECK(quarter.beside == doctest::Approx(work < alone ? work : alone));
  CHECK(messages(stagecut::transformer::explain(sixteen(), r, two_nodes).at(1).input, "tokens").at(0).seconds ==
        quarter.seconds);
  r.microbatches = 1;
  CHECK(sent(sixteen(), r).seconds == doctest::Approx(alone));
}

TEST_CASE("a layer sends the messages of the parts that it has") {
  using stagecut::transformer::mixing;
  architecture a = mixtral();
  a.layers = 4;
  a.recurrence = stagecut::transformer::recurrent_mixer{.heads = 8, .head_dim = 64, .state = 16};
  a.forms = {{.mixer_only = true}, {.mixer = mixing::recurrence, .mixer_only = true}, {.mixer = mixing::none}, {}};
  a.norms = 1;
  auto whole = wide(true);
  whole.data_parallel = 2;
  whole.expert_parallel = 8;
  const auto exchanges = [&](const training& r, std::size_t layer) {
    double sum = 0;
    for (const term& each : messages(terms(a, r, layer).forward, "messages of tensor")) sum += each.count;
    return sum;
  };
  CHECK(exchanges(wide(true), 1) == 2);
  CHECK(exchanges(wide(true), 2) == 2);
  CHECK(exchanges(wide(true), 3) == 2);
  CHECK(exchanges(wide(true), 4) == 4);
  CHECK(exchanges(whole, 2) == 2);
  CHECK(exchanges(whole, 3) == 0);  // of experts that are whole, and no expert that all visit
  CHECK(exchanges(whole, 4) == 2);
  a.shared_ffn = 64;
  CHECK(exchanges(whole, 3) == 2);
  training ring;
  ring.context_parallel = 4;
  CHECK(messages(terms(a, ring, 1).forward, "ring").size() == 1);
  CHECK(messages(terms(a, ring, 2).forward, "ring").empty());
  CHECK(messages(terms(a, ring, 3).forward, "ring").empty());
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
    slow.sustained_link = 0;
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
