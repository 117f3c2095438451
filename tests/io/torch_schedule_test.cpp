// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/torch_schedule.hpp>
#include <stagecut/schedule/generators/dualpipev.hpp>
#include <stagecut/schedule/generators/gpipe.hpp>
#include <stagecut/schedule/generators/zero_bubble.hpp>
#include <stagecut/schedule/lower_transfers.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../schedule/random_schedules.hpp"
#include "sha256.hpp"

using stagecut::op;
using stagecut::op_kind;
using stagecut::schedule;
using stagecut::io::as_torch_schedule;
using stagecut::io::parse_torch_schedule;
using stagecut::io::torch_backward;
using stagecut::io::torch_format;
using stagecut::io::torch_letters;
using stagecut::io::torch_version;

namespace {

/// What the refusal of a text says.
std::string refusal(std::string_view text, torch_letters letters = torch_letters::current) {
  try {
    (void)parse_torch_schedule(text, "f.csv", letters);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "not refused";
}

/// What the refusal to write a schedule says.
std::string unwritable(const schedule& all, torch_format format = torch_format::compute_only) {
  try {
    (void)as_torch_schedule(all, format);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

/// Transfers as PyTorch 2.9 reads them.
std::string transfers(const schedule& all, torch_backward backward = torch_backward::merged) {
  return as_torch_schedule(all, torch_format::compute_comms, backward, torch_version::v2_9);
}

// 1F1B of two ranks and three microbatches.
const std::string passes =
    "0F0,0F1,0B0,0F2,0B1,0B2\n"
    "1F0,1B0,1F1,1B1,1F2,1B2\n";
const std::string lowered =
    "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0F2,0SEND_F2,0RECV_B1,0B1,0RECV_B2,0B2\n"
    "1RECV_F0,1F0,1RECV_F1,1B0,1SEND_B0,1F1,1RECV_F2,1B1,1SEND_B1,1F2,1B2,1SEND_B2\n";

const std::string old_letters =
    "older versions of PyTorch wrote B for I and BW for B; such a file is read with torch_letters::old";

}  // namespace

TEST_CASE("the digest that the next test compares") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// The files are artifacts/*.csv of PyTorch's tests, those of zb1p in current letters and without empty cells.
TEST_CASE("what PyTorch itself writes, byte for byte") {
  const std::string dualpipev = as_torch_schedule(stagecut::dualpipev(4, 10), torch_format::compute_only,
                                                  torch_backward::as_given);  // dualpipev_4rank_10mb
  CHECK(dualpipev.size() == 1261);
  CHECK(sha256(dualpipev) == "16ce4a29936e4c5ad774098add32489b4937942e3f5ab0108f17d2826b184529");
  const schedule zb1p = stagecut::interleaved_zero_bubble(2, 2, 8);
  const std::string compute = as_torch_schedule(zb1p, torch_format::compute_only, torch_backward::as_given);
  CHECK(compute.size() == 384);  // zb1p_2rank_2stagep_compute
  CHECK(sha256(compute) == "e23abc599807f59a5e1c8fea9db58245f2231e6fcd5c85dcdaffe0bea179c00c");
  const std::string comms = transfers(zb1p);
  CHECK(comms.size() == 1184);  // zb1p_2rank_2stagep_comms
  CHECK(sha256(comms) == "99b371864a190caafd98bd49e0cd01d0c192e38a253e708041242ed221873d1e");
}

TEST_CASE("1F1B, without and with transfers") {
  const schedule all = parse_torch_schedule(passes, "f.csv");
  CHECK(all.name.empty());
  CHECK(all.microbatches == 3);
  CHECK(all.rank_of == std::vector<std::size_t>{0, 1});
  CHECK(as_torch_schedule(all) == passes);
  CHECK(transfers(all) == lowered);
  const schedule comms = parse_torch_schedule(lowered, "f.csv");
  CHECK(comms == stagecut::lower_transfers(all));
  CHECK(transfers(comms) == lowered);
  CHECK(as_torch_schedule(comms) == passes);
}

TEST_CASE("idle steps, spaces, quotes, ends of lines") {
  const schedule all = parse_torch_schedule(passes, "f.csv");
  CHECK(parse_torch_schedule("0F0,0F1,,, 0B0 ,0F2,0B1,0B2,\r\n,1F0,1B0,\"1F1\",1B1,\t1F2,1B2\r\n\r\n\n", "f.csv") ==
        all);
  CHECK(parse_torch_schedule("\xEF\xBB\xBF" + passes.substr(0, passes.size() - 1), "f.csv") == all);
  CHECK(parse_torch_schedule("00F0,0F01,0B0,0F2,0B1,0B2\n1F0,1B0,1F1,1B1,1F2,1B2", "f.csv") == all);
}

TEST_CASE("pairs that overlap") {
  const std::string text = "0F0,1F0,0F1,(1F1;1B0)OVERLAP_F_B,0B0,1B1,0B1\n";
  const schedule all = parse_torch_schedule(text, "f.csv");
  REQUIRE(all.orders[0].size() == 8);
  CHECK(all.orders[0][3] == op{op_kind::forward, 1, 1, 0, true});
  CHECK(all.orders[0][4] == op{op_kind::backward, 1, 0});
  CHECK(as_torch_schedule(all) == text);
  CHECK(transfers(all) == text);
  CHECK(parse_torch_schedule("0F0,1F0,0F1,( 1F1 ; 1B0 )OVERLAP_F_B,0B0,1B1,0B1\n", "f.csv") == all);
}

TEST_CASE("what is done with sharded parameters stays where it stands") {
  const std::string text =
      "0UNSHARD,0F0,0SEND_F0,0RECV_B0,0B0,0RESHARD,0REDUCE_GRAD\n1UNSHARD,1RECV_F0,1F0,1B0,1SEND_B0\n";
  const schedule all = parse_torch_schedule(text, "f.csv");
  CHECK(all.orders[0][0] == op{op_kind::unshard, 0});
  CHECK(all.orders[0][6] == op{op_kind::reduce_gradient, 0});
  CHECK(transfers(all) == text);
  CHECK(as_torch_schedule(all) == "0F0,0B0\n1F0,1B0\n");
  CHECK(parse_torch_schedule("0UNSHARD,0F0,0B0\n", "f.csv").orders[0].size() == 3);
}

TEST_CASE("I with its W behind it is written as one B or as it is") {
  schedule all;
  all.microbatches = 2;
  all.rank_of = {0, 1};
  const std::string text = "0F0,0F1,0I0,0W0,0I1,0W1\n1F0,1I0,1F1,1I1,1W0,1W1\n";
  all = parse_torch_schedule(text, "f.csv");
  CHECK(as_torch_schedule(all) == "0F0,0F1,0B0,0B1\n1F0,1I0,1F1,1I1,1W0,1W1\n");
  CHECK(as_torch_schedule(all, torch_format::compute_only, torch_backward::as_given) == text);
  CHECK(transfers(all).find("0RECV_B0,0B0,0RECV_B1,0B1\n") != std::string::npos);
  // What is sent between them keeps them apart, but is left out of the passes.
  const schedule sends = parse_torch_schedule("0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1I0,1SEND_B0,1W0\n", "f.csv");
  CHECK(transfers(sends).ends_with("1I0,1SEND_B0,1W0\n"));
  CHECK(as_torch_schedule(sends) == "0F0,0B0\n1F0,1B0\n");
}

TEST_CASE("the letters of older files") {
  const std::string old_passes = "0F0,0F1,0BW0,0BW1\n1F0,1B0,1F1,1B1,1W0,1W1\n";
  const std::string now = "0F0,0F1,0B0,0B1\n1F0,1I0,1F1,1I1,1W0,1W1\n";
  CHECK(parse_torch_schedule(old_passes, "f.csv", torch_letters::old) == parse_torch_schedule(now, "f.csv"));
  CHECK(refusal(old_passes) == "f.csv:1: cell 3: \"0BW0\" has the kind BW: " + old_letters);
  const std::string split = "0F0,0B0,0W0,0F1,0B1,0W1\n";
  CHECK(refusal(split) == "f.csv:1: cell 3: is a W, and no cell is an I: " + old_letters);
  CHECK(as_torch_schedule(parse_torch_schedule(split, "f.csv", torch_letters::old)) == "0F0,0B0,0F1,0B1\n");
  CHECK(refusal("0F0\n1F0,,1W0\n") == "f.csv:2: cell 3: is a W, and no cell is an I: " + old_letters);
  CHECK(refusal(now, torch_letters::old) ==
        "f.csv:2: cell 2: \"1I0\" has the kind I, which is none of the old letters");
  CHECK(refusal("0F0,0W0\n", torch_letters::old) == "f.csv:1: cell 2: is a W, and no cell is a B");
  CHECK(refusal("0F0,0B0\n", torch_letters::old) == "f.csv:1: 0W0 is missing");
}

TEST_CASE("each cell that is no action is named") {
  const std::string no_action = " is no action: write a stage, a kind and a microbatch, as in 2F0";
  for (const std::string cell : {"F0", "0", "0F0x", "0F-1", "0F0 0F1", "0F0:1", "12"}) {
    const std::string text = refusal("0F0,0F1\n1F0,," + cell + "\n");
    const bool word = cell == "0F-1";
    CHECK(text == stagecut::detail::joined({"f.csv:2: cell 3: \"", cell, "\"",
                                            word ? " has the kind \"F-\", which is none of PyTorch's" : no_action}));
  }
  CHECK(refusal("0f0\n") == "f.csv:1: cell 1: \"0f0\" has the kind \"f\", which is none of PyTorch's");
  CHECK(refusal("0OPTIMIZER\n") ==
        "f.csv:1: cell 1: \"0OPTIMIZER\" has the kind \"OPTIMIZER\", which is none of PyTorch's");
  CHECK(refusal("-1F0\n") == "f.csv:1: cell 1: \"-1F0\"" + no_action);
  CHECK(refusal("0F\n") == "f.csv:1: cell 1: \"0F\" names no microbatch");
  CHECK(refusal("0SEND_F\n") == "f.csv:1: cell 1: \"0SEND_F\" names no microbatch");
  CHECK(refusal("0UNSHARD1\n") == "f.csv:1: cell 1: \"0UNSHARD1\" names more than a stage");
  CHECK(refusal("0F0,\"0B0\n") == "f.csv:1: the quote of field 2 is not closed");
  const std::string no_overlap = "\" is no overlap of F and B, as (2F1;3B0)OVERLAP_F_B";
  for (const std::string cell : {"(0F0;1B0)", "(0F0;1B0", "(0F0)OVERLAP_F_B", "(0F0);1B0OVERLAP_F_B",
                                 "(1B0;0F0)OVERLAP_F_B", "(0F0;1I0)OVERLAP_F_B", "(0F0;1F1)OVERLAP_F_B"}) {
    CHECK(refusal(cell + ",0F0,0F0,0F0\n") == "f.csv:1: cell 1: \"" + cell + no_overlap);
  }
  for (const std::string cell : {"(0F0;1B0;2F1)OVERLAP_F_B", "(;)OVERLAP_F_B", "(0F0;)OVERLAP_F_B"}) {
    CHECK(refusal(cell + ",0F0,0F0,0F0\n") == "f.csv:1: cell 1: \"" + cell + "\"" + no_action);
  }
}

TEST_CASE("a number too large for the text is refused before anything is made of it") {
  const std::string too_short = ", for which the text is too short";
  CHECK(refusal("0F0,0B0\n1F0,9F0\n") == "f.csv:2: cell 2: \"9F0\" names number 9" + too_short);
  CHECK(refusal("0F0,0B99999999999999999999999\n") ==
        "f.csv:1: cell 2: \"0B99999999999999999999999\" names number 99999999999999999999" + too_short);
  CHECK(refusal("18446744073709551615F0\n") ==
        "f.csv:1: cell 1: \"18446744073709551615F0\" names number 18446744073709551615" + too_short);
  // Numbers for which there might be room: no table has their product.
  std::string text = "0F0";
  for (int i = 0; i < 100000; ++i) text += ',';
  CHECK(refusal(text + "99999F0\n") == "f.csv: has no stage 1, and has stage 99999");
  text += "0F99999\n";
  for (int s = 1; s < 1000; ++s) text += stagecut::detail::joined({std::to_string(s), "F0\n"});
  CHECK(refusal(text) == "f.csv:1: stage 0 has 2 F, too few for 100000 microbatches in 1 slices");
}

TEST_CASE("every rank has stages, every stage a rank, of its own, and no number is left out") {
  CHECK(refusal("") == "f.csv:1: has no op: each line holds the ops of a rank");
  CHECK(refusal("\n\n") == "f.csv:1: has no op: each line holds the ops of a rank");
  CHECK(refusal("0F0,0B0\n\n1F0,1B0\n") == "f.csv:2: is blank, and each line has the ops of a rank");
  CHECK(refusal("\n0F0,0B0\n") == "f.csv:1: is blank, and each line has the ops of a rank");
  CHECK(refusal("0F0,0B0\n,,\n") == "f.csv:2: names no op: a rank without a stage");
  CHECK(refusal("0F0,0B0\n1F0,0B0\n") == "f.csv:2: cell 2: \"0B0\" is of a stage that line 1 has");
  CHECK(refusal("0F0,0B0\n2F0,2B0\n") == "f.csv: has no stage 1, and has stage 2");
}

TEST_CASE("what is no schedule is refused with the cell") {
  CHECK(refusal("0F0,0B0\n1F0,,1F0\n") == "f.csv:2: cell 3: \"1F0\" stands on its rank twice");
  CHECK(refusal("0B0,0F0\n") == "f.csv:1: cell 1: \"0B0\" needs 0F0 before it");
  CHECK(refusal("0F0,0B0\n1F0\n") == "f.csv:2: 1B0 is missing");
  CHECK(refusal("0F0,0SEND_F0,0B0\n1F0,1B0\n") == "f.csv:1: 0RECV_B0 is missing");
  CHECK(refusal("0F0,0SEND_F0,0B0\n") == "f.csv:1: cell 2: \"0SEND_F0\" crosses no boundary between two ranks");
  CHECK(refusal("0F0,,(0F1;0B1)OVERLAP_F_B,0B0\n") ==
        "f.csv:1: cell 3: \"0F1\" is to run together with the next op, which must be B of another microbatch");
}

TEST_CASE("what PyTorch cannot run is not written") {
  const auto fails = [](const schedule& all, torch_format format) {
    CHECK_THROWS_AS((void)as_torch_schedule(all, format), stagecut::io::not_representable);
    return unwritable(all, format);
  };
  schedule all = stagecut::gpipe(2, 2);
  all.orders.emplace_back();
  CHECK(fails(all, torch_format::compute_only) == "torch-csv cannot express this schedule: rank 2 has no stage");
  all = stagecut::gpipe(2, 2);
  all.orders[0].push_back({op_kind::optimizer_step, 0});
  CHECK(fails(all, torch_format::compute_comms) ==
        "torch-comms cannot express this schedule: PyTorch has no action for an optimizer's step");
  CHECK(as_torch_schedule(all) == "0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n");
  all = stagecut::gpipe(1, 1);
  all.slices = 2;
  all.orders[0] = {{op_kind::forward, 0, 0, 0},
                   {op_kind::forward, 0, 0, 1},
                   {op_kind::backward, 0, 0, 1},
                   {op_kind::backward, 0, 0, 0}};
  CHECK(fails(all, torch_format::compute_only) ==
        "torch-csv cannot express this schedule: its microbatches have slices, which PyTorch's actions cannot name");
  all = stagecut::gpipe(2, 2);
  std::swap(all.orders[0][1], all.orders[0][2]);
  std::swap(all.orders[1][0], all.orders[1][1]);
  CHECK(unwritable(all).starts_with("schedule: deadlock: 0B0 on rank 0 waits for 1B0 on rank 1"));
  all.orders[0].pop_back();
  CHECK(unwritable(all) == "rank 0: 0B1 is missing");
}

TEST_CASE("schedules are read back as they were written") {
  random_schedules random(5);
  for (int round = 0; round < 3000; ++round) {
    schedule all = random.next();
    const std::string text = as_torch_schedule(all, torch_format::compute_only, torch_backward::as_given);
    REQUIRE(parse_torch_schedule(text, "f.csv") == all);
    REQUIRE(parse_torch_schedule(as_torch_schedule(all), "f.csv") == stagecut::merge_backward(all));
    const std::string comms = transfers(all, torch_backward::as_given);
    const schedule read = parse_torch_schedule(comms, "f.csv");
    REQUIRE(read == stagecut::lower_transfers(all));
    REQUIRE(transfers(read, torch_backward::as_given) == comms);
    REQUIRE(as_torch_schedule(read, torch_format::compute_only, torch_backward::as_given) == text);
  }
}

TEST_CASE("PyTorch 2.15 waits for every send, and for the gradients that it averages") {
  const std::string waits =
      "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0F2,0SEND_F2,0RECV_B1,0B1,0RECV_B2,0B2,0REDUCE_GRAD,0WAIT_REDUCE_GRAD,"
      "0WAIT_SEND_F0,0WAIT_SEND_F1,0WAIT_SEND_F2\n"
      "1RECV_F0,1F0,1RECV_F1,1B0,1SEND_B0,1F1,1RECV_F2,1B1,1SEND_B1,1F2,1B2,1SEND_B2,1REDUCE_GRAD,1WAIT_REDUCE_GRAD,"
      "1WAIT_SEND_B0,1WAIT_SEND_B1,1WAIT_SEND_B2\n";
  const schedule all = parse_torch_schedule(passes, "f.csv");
  CHECK(as_torch_schedule(all, torch_format::compute_comms) == waits);
  CHECK(as_torch_schedule(parse_torch_schedule(lowered, "f.csv"), torch_format::compute_comms) == waits);
  const schedule read = parse_torch_schedule(waits, "f.csv");
  CHECK(as_torch_schedule(read, torch_format::compute_comms) == waits);
  CHECK(as_torch_schedule(read) == passes);
  CHECK(transfers(read).find("WAIT") == std::string::npos);
  // A schedule that averages itself says where.
  const std::string own = "0F0,0B0,0F1,0B1,0REDUCE_GRAD,0WAIT_REDUCE_GRAD,0RESHARD\n";
  CHECK(as_torch_schedule(parse_torch_schedule(own, "f.csv"), torch_format::compute_comms) == own);
  // Waits stand where PyTorch puts them: behind the backward pass.
  CHECK(parse_torch_schedule("0F0,0SEND_F0,0RECV_B0,0B0,0WAIT_SEND_F0\n1RECV_F0,1F0,1B0,1SEND_B0,1WAIT_SEND_B0",
                             "f.csv") ==
        parse_torch_schedule("0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0", "f.csv"));
  const std::string two = "\n1RECV_F0,1F0,1B0,1SEND_B0\n";
  CHECK(refusal("0F0,0WAIT_SEND_F0,0SEND_F0,0RECV_B0,0B0" + two) ==
        "f.csv:1: cell 2: \"0WAIT_SEND_F0\" waits for no 0SEND_F0 before it");
  CHECK(refusal("0F0,0SEND_F0,0RECV_B0,0B0,0WAIT_SEND_F0,0WAIT_SEND_F0" + two) ==
        "f.csv:1: cell 6: \"0WAIT_SEND_F0\" waits for no 0SEND_F0 before it");
  CHECK(refusal("0F0,0B0,0WAIT_REDUCE_GRAD\n") ==
        "f.csv:1: cell 3: \"0WAIT_REDUCE_GRAD\" waits for no 0REDUCE_GRAD before it");
  CHECK(refusal("0F0,0WAIT_F0,0B0\n") ==
        "f.csv:1: cell 2: \"0WAIT_F0\" waits for \"F\", and PyTorch waits for SEND_F, "
        "SEND_B and REDUCE_GRAD");
  CHECK(refusal("0F0,0WAIT_SEND_F,0B0\n") == "f.csv:1: cell 2: \"0WAIT_SEND_F\" names no microbatch");
  CHECK(refusal("0F0,0B0,0REDUCE_GRAD,0WAIT_REDUCE_GRAD1\n").ends_with("names more than a stage"));
  random_schedules random(8);
  for (int round = 0; round < 1000; ++round) {
    const schedule made = random.next();
    const std::string text = as_torch_schedule(made, torch_format::compute_comms, torch_backward::as_given);
    const schedule again = parse_torch_schedule(text, "f.csv");
    REQUIRE(as_torch_schedule(again, torch_format::compute_comms, torch_backward::as_given) == text);
    for (std::size_t r = 0; r < again.ranks(); ++r) {
      // PyTorch's rule: a wait for each send, behind it; each REDUCE_GRAD is waited for before the next begins.
      std::size_t sends = 0, waited = 0, reduces = 0;
      for (const auto& op : again.orders[r]) sends += is_send(op.kind), reduces += op.kind == op_kind::reduce_gradient;
      std::size_t line = 0;
      for (std::size_t i = 0; i < r; ++i) line = text.find('\n', line) + 1;
      const std::string row = text.substr(line, text.find('\n', line) - line);
      for (std::size_t at = row.find("WAIT_SEND"); at != row.npos; at = row.find("WAIT_SEND", at + 1)) ++waited;
      REQUIRE(waited == sends);
      std::size_t stages = 0;
      for (const std::size_t rank : again.rank_of) stages += rank == r ? 1 : 0;
      if (!has_kind(made, op_kind::reduce_gradient)) REQUIRE(reduces == stages);
    }
  }
}

TEST_CASE("a text with a few other characters is read or refused with its place") {
  constexpr std::string_view characters = "0123456789FBIWSENDRCV_,;()\n\r \"ULAPHGT";
  random_schedules random(6);
  std::size_t refused = 0;
  for (int round = 0; round < 20000; ++round) {
    const schedule all = random.next();
    std::string text =
        as_torch_schedule(all, random.up_to(1) == 0 ? torch_format::compute_only : torch_format::compute_comms);
    for (std::size_t changes = 1 + random.up_to(2); changes > 0; --changes) {
      const std::size_t at = random.up_to(text.size() - 1);
      const char c = characters[random.up_to(characters.size() - 1)];
      switch (random.up_to(3)) {
        case 0: text.insert(at, 1, c); break;
        case 1: text.erase(at, 1 + random.up_to(5)); break;
        default: text[at] = c;
      }
      if (text.empty()) break;
    }
    const torch_letters letters = random.up_to(7) == 0 ? torch_letters::old : torch_letters::current;
    const std::string said = refusal(text, letters);
    if (said != "not refused") {
      REQUIRE(said.starts_with("f.csv:"));
      ++refused;
    }
  }
  CHECK(refused > 5000);
}

TEST_CASE("stages with edges are not written: PyTorch's are a chain") {
  schedule all = stagecut::gpipe(4, 2);
  all.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  for (const auto format : {torch_format::compute_only, torch_format::compute_comms}) {
    CHECK_THROWS_WITH_AS((void)as_torch_schedule(all, format), doctest::Contains("its stages have edges"),
                         stagecut::io::not_representable);
  }
}

TEST_CASE("edges that make a chain are one") {
  schedule all = stagecut::gpipe(3, 4);
  const std::string text = as_torch_schedule(all);
  all.edges = {{0, 1}, {1, 2}};
  CHECK(as_torch_schedule(all) == text);
  CHECK(as_torch_schedule(all, torch_format::compute_comms).find("SEND") != std::string::npos);
  all.edges = {{1, 2}, {0, 1}};
  CHECK_THROWS_WITH_AS((void)as_torch_schedule(all), doctest::Contains("its stages have edges"),
                       stagecut::io::not_representable);
  all.edges = {{0, 1}};
  CHECK_THROWS_WITH_AS((void)as_torch_schedule(all), doctest::Contains("its stages have edges"),
                       stagecut::io::not_representable);
}
