// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/csv_fields.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace io = stagecut::io::detail;
using fields_t = std::vector<std::string>;

TEST_CASE("a line is split at its separators, but in quotes") {
  fields_t fields{"of", "a", "line", "before"};
  CHECK(io::csv_split("a,\"b, \"\"c\"\"\" ,", ',', fields).empty());
  CHECK(fields == fields_t{"a", "b, \"c\"", ""});
  CHECK(io::csv_split("a,b;\"c;d\"\te", ';', fields) == "text after the closing quote of field 2");
  CHECK(io::csv_split("a,b;\"c;d\"\t", ';', fields).empty());
  CHECK(fields == fields_t{"a,b", "c;d"});
  CHECK(io::csv_split("a b\t\"c\td\"\t", '\t', fields).empty());
  CHECK(fields == fields_t{"a b", "c\td", ""});
}

TEST_CASE("blanks around a field without quotes do not count") {
  fields_t fields;
  CHECK(io::csv_split(" a b , \" c \" ,\t", ',', fields).empty());
  CHECK(fields == fields_t{"a b", " c ", ""});
}

TEST_CASE("quotes that are not closed are refused with the place") {
  fields_t fields;
  CHECK_THROWS_WITH_AS(io::csv_fields("a;\"b", ';', "f:3", fields), "f:3: the quote of field 2 is not closed",
                       stagecut::invalid_input);
}
