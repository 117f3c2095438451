// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/csv_columns.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace io = stagecut::io::detail;
using io::column;

namespace {

io::csv_header header_of(std::string_view line) {
  std::vector<std::string> fields;
  return io::read_header(line, "f:1", {.bytes_per_parameter = 4}, fields);
}

std::string refusal(std::string_view line) {
  try {
    (void)header_of(line);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "not refused";
}

/// What a field of a column is read as; negative: it is refused.
double value(std::string_view name, std::string_view field) {
  const io::csv_header header = header_of(name);
  try {
    return io::csv_value(field, header.columns[0], "f:2");
  } catch (const stagecut::invalid_input&) {
    return -1;
  }
}

}  // namespace

TEST_CASE("the header shows what separates fields") {
  CHECK(header_of("name,forward").separator == ',');
  CHECK(header_of("name;forward").separator == ';');
  CHECK(header_of("name\tforward").separator == '\t');
  CHECK(header_of("Layer;Time, ms;Memory, MB").columns.size() == 3);
  CHECK(header_of("name,\tforward\t").separator == ',');
  CHECK(header_of("\"name\";\"forward, (ms)\"").find(column::forward)->field == 1);
  CHECK(header_of("forward").fields == 1);
  CHECK(header_of("forward;x,y").separator == ';');
}

TEST_CASE("columns stand in any order, and others are left") {
  const io::csv_header header = header_of(",mem_mb,layer,x,y,# params,Name,fwd,time,a,b,c,d,e,f");
  CHECK(header.fields == 15);
  CHECK(header.columns.size() == 4);
  CHECK(header.find(column::activations)->field == 1);
  CHECK(header.find(column::name)->name == "Name");
  CHECK(header.find(column::parameters)->each == 4);
  CHECK(header.find(column::forward)->name == "fwd");
  CHECK(header.find(column::kind) == nullptr);
  CHECK(header.others == 11);
  CHECK(header.unread == std::vector<std::string>{"", "x", "y", "layer", "a", "b", "c", "d"});
  CHECK(header_of("latency_us,name").find(column::forward)->meaning.what == column::time);
}

TEST_CASE("headers that are refused") {
  CHECK(refusal("name,kind") ==
        "f:1: no column is a figure of a layer, as forward, backward_ms, parameters or memory_mb are");
  CHECK(refusal("1,2,3").starts_with("f:1: no column is a figure"));
  CHECK(refusal("name,\"forward") == "f:1: the quote of field 2 is not closed");
  CHECK(refusal("fwd,name,Forward (ms)") == "f:1: columns \"fwd\" and \"Forward (ms)\" are both forward");
  CHECK(refusal("memory,act,fwd") == "f:1: columns \"memory\" and \"act\" are both activations");
  CHECK(refusal("num_params,param_bytes") == "f:1: columns \"num_params\" and \"param_bytes\" are both parameters");
  CHECK(refusal("fwd,fwd") == "f:1: column \"fwd\" stands twice");
  CHECK(refusal("name,Name,fwd") == "f:1: columns \"name\" and \"Name\" are both name");
  CHECK(refusal("module,op,fwd") == "f:1: columns \"module\" and \"op\" are both name");
  CHECK(refusal("type,kind,fwd") == "not refused");
  CHECK(refusal("fwd,params_b") ==
        "f:1: column \"params_b\": bytes or billions? Call it parameters_bytes or parameter_count_bn");
  CHECK(refusal("fwd,dgrad") == "f:1: column \"dgrad\" stands without its other half");
  CHECK(refusal("bwd,time") == "f:1: column \"time\" beside \"bwd\": of the forward pass, or of both?");
  CHECK(refusal("dgrad,wgrad,time") == "f:1: column \"time\" beside \"dgrad\": of the forward pass, or of both?");
}

TEST_CASE("values and their units") {
  CHECK(value("fwd_ms", " 2.5 ") == 2.5e-3);
  CHECK(value("fwd", "2.5") == 2.5);
  CHECK(value("fwd", "2.5ms") == 2.5e-3);
  CHECK(value("fwd", "2.5 \xC2\xB5s") == 2.5 / 1e6);
  CHECK(value("fwd", "1e3 MS") == 1);
  CHECK(value("fwd", "2 MB") == -1);
  CHECK(value("fwd_ms", "2 ms") == -1);
  CHECK(value("act", "2 MB") == 2e6);
  CHECK(value("act", "2.kib") == 2048);
  CHECK(value("act_size", "2 B") == 2);
  CHECK(value("params", "2B") == -1);
  CHECK(value("params", "2M") == -1);
  CHECK(value("params", "2 MB") == 2e6);
  CHECK(value("num_params", "2") == 8);
  CHECK(value("num_params", "2 MB") == -1);
  CHECK(value("params_m", "1.5") == 6e6);
  for (const char* const field :
       {"", "ms", "-1 ms", "1 2 MB", "1 MB/", "1 /MB", "1-MB", "1 M B", "nan", "inf MB", "1,5", "1 s s", "\xC2\xB5"}) {
    CHECK_MESSAGE(value("act", field) == -1, field);
  }
  CHECK(value("act_tb", "1e300") == -1);
  CHECK(value("act", "1e300 TB") == -1);
  CHECK(value("num_params", "1e308") == -1);
  CHECK(value("fwd_ms", "1e308") == 1e305);
}
