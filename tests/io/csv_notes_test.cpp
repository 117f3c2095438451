// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/csv_notes.hpp>
#include <stagecut/io/tables/csv.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using notes_t = std::vector<std::string>;

notes_t notes_of(const std::string& text) {
  notes_t notes;
  (void)stagecut::io::parse_csv(text, "f", {}, {.notes = &notes});
  return notes;
}

const std::string no_backward = "f:1: there is no column backward: it is taken as 0";

notes_t counts(const std::string& name) {
  return {"f:1: column \"" + name +
          "\" is read as bytes: are these counts? Then name it parameter_count, else parameters_bytes"};
}

}  // namespace

TEST_CASE("there is nothing to say of a table that has all") {
  CHECK(notes_of("1\n2\n").empty());
  CHECK(notes_of("time\n1\n2\n").empty());
  CHECK(notes_of("fwd,bwd\n1,2\n").empty());
  CHECK(notes_of("fwd,dgrad,wgrad\n1,2,3\n").empty());
  CHECK(notes_of("mem\n1\n").empty());
}

TEST_CASE("what is absent, what is not read and what is taken for something") {
  CHECK(notes_of("fwd,name\n1,a\n") == notes_t{no_backward});
  CHECK(notes_of("bwd_ms\n1\n") == notes_t{"f:1: there is no column forward: it is taken as 0"});
  CHECK(notes_of("\n\ntime_ms,x\n1,2\n") == notes_t{"f:3: column \"x\" is not read",
                                                    "f:3: column \"time_ms\" is taken as the time of the forward pass",
                                                    "f:3: there is no column backward: it is taken as 0"});
  CHECK(notes_of("fwd,bwd,time,a\n1,2,3,4\n") == notes_t{"f:1: columns \"a\", \"time\" are not read"});
  CHECK(notes_of("fwd,bwd,a,b,c,d,e,f,g,h,i,\x1B\n1,2,,,,,,,,,,\n") ==
        notes_t{"f:1: columns \"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\" and 2 more are not read"});
  CHECK(notes_of("fwd,bwd,\x1B\n1,2,\n") == notes_t{"f:1: column \"\\u001b\" is not read"});
  CHECK(notes_of("bwd,fwd,n_params\n1,2,3\n") ==
        notes_t{"f:1: column \"n_params\" counts parameters, which are taken as 2 bytes each: --parameter-bytes sets "
                "another size, in C++ table_options::bytes_per_parameter"});
}

TEST_CASE("a last line with the sums of all others may be no layer") {
  const std::string told = "f:1: layer \"Total\" has the sums of all others: if it is no layer, leave it out";
  CHECK(notes_of("name,fwd,bwd,mem\na,1,2,3\nb,1,3,4\nTotal,2,5,7\n") == notes_t{told});
  CHECK(notes_of("name,fwd,bwd,mem\na,0.1,2,3\nb,0.2,3,4\nTotal,0.3,5,7\n") == notes_t{told});
  CHECK(notes_of("name,fwd,bwd,mem\na,1,2,3\nb,1,3,4\nTotal,2,6,7\n").empty());
  CHECK(notes_of("name,fwd,bwd,mem\na,1.11,2,3\nb,3.13,3,4\nTotal,4.2,5,7\n") == notes_t{told});  // rounded
  CHECK(notes_of("name,fwd,bwd,mem\na,1.11,2,3\nb,3.13,3,4\nhead,4.2,5,7\n").empty());
  CHECK(notes_of("name,fwd,bwd\na,1,2\nb,1,2\n").empty());
  CHECK(notes_of("name,fwd,bwd\nembed,0,0\na,1,2\nhead,1,2\n").empty());
  CHECK(notes_of("name,fwd,bwd\na,0,0\nb,0,0\nc,0,0\n").empty());
}

TEST_CASE("parameters without a unit are asked about where they look like counts") {
  CHECK(notes_of("fwd,bwd,params\n1,2,1001\n") == counts("params"));
  CHECK(notes_of("fwd,bwd,params\n1,2,1000\n").empty());
  CHECK(notes_of("fwd_ms,bwd_ms,params\n1,2,1000\n") == counts("params"));
  CHECK(notes_of("fwd_ms,bwd_ms,params\n1,2,1e3\n1,2,3\n1,2,0\n") == counts("params"));
  CHECK(notes_of("fwd_ms,bwd_ms,params\n1,2,0\n").empty());
  CHECK(notes_of("fwd_ms,bwd_ms,params\n1,2,3.5\n1,2,3\n").empty());
  CHECK(notes_of("fwd_ms,bwd_ms,params\n1,2,1000\n1,2,5 MB\n").empty());
  CHECK(notes_of("fwd_ms,bwd_ms,param_size\n1,2,1001\n").empty());
  CHECK(notes_of("fwd_ms,bwd_ms,params_bytes\n1,2,1001\n").empty());
  CHECK(notes_of("name,kind,forward,backward,parameters,activations,output\na,b,1,2,3,4,5\n").empty());
  CHECK(notes_of("name,kind,forward,backward,params,activations,output\na,b,1,2,3,4,5\n") == counts("params"));
}

TEST_CASE("there is nothing to say of the profiles that come with the program") {
  for (const char* const name : {"gpt2-xl", "llama-2-7b"}) {
    const std::ifstream file(std::string(STAGECUT_TEST_DATA "/../examples/models/") + name + ".csv");
    std::ostringstream text;
    text << file.rdbuf();
    REQUIRE(text.str().size() > 1000);
    CHECK(notes_of(text.str()).empty());
  }
}
