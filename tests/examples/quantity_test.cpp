// SPDX-License-Identifier: BSL-1.0
#include "options/quantity.hpp"

#include <doctest/doctest.h>

TEST_CASE("sizes with units of 1000 and of 1024") {
  CHECK(parse_bytes("0") == 0);
  CHECK(parse_bytes("85899345920") == 85899345920.0);
  CHECK(parse_bytes("80GiB") == 85899345920.0);
  CHECK(parse_bytes("80 GB") == 80e9);
  CHECK(parse_bytes("1.5TiB") == 1.5 * 1024 * 1024 * 1024 * 1024);
  CHECK(parse_bytes("8e10") == 80e9);
  CHECK(parse_bytes("3kB") == 3000);
  CHECK(parse_bytes("3KiB") == 3072);
  for (const char* const bad : {"", "GiB", "80G", "80gib", "-1", "-0", "nan", "inf", "1e400", "80GiBs", "8 0", "0x10",
                                "1e308TiB", "5 ", " 5", "+5", "5 GB "}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_bytes(bad));
  }
}

TEST_CASE("counts are digits, of which zeros in front say nothing") {
  CHECK(parse_count("0") == 0);
  CHECK(parse_count("010") == 10);
  CHECK(parse_count("18446744073709551615") == ~std::size_t{0});
  for (const char* const bad : {"", "-1", "+5", " 5", "5 ", "1e3", "5.0", "0x10", "five", "18446744073709551616"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_count(bad));
  }
}

TEST_CASE("numbers are decimal and finite") {
  CHECK(parse_number("0.5") == 0.5);
  CHECK(parse_number("-010") == -10);
  CHECK(parse_number("1e-3") == 1e-3);
  for (const char* const bad :
       {"", "+5", " 5", "5 ", "0x10", "0x1p3", "nan", "inf", "-inf", "infinity", "1e999", "five", "5x", "1,5"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_number(bad));
  }
}

TEST_CASE("figures for a person") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(1536) == "1.5 KiB");
  CHECK(bytes_text(85899345920.0) == "80 GiB");
  CHECK(bytes_text(1e300).find("PiB") != std::string::npos);
  CHECK(seconds_text(0) == "0 s");
  CHECK(seconds_text(2.5e-7) == "0.25 us");
  CHECK(seconds_text(0.0123) == "12.3 ms");
  CHECK(seconds_text(75) == "75 s");
}

TEST_CASE("a small size without a unit is asked for one") {
  CHECK(unit_question("80") == "80 bytes? write 80GB or 80GiB, or 80B if bytes are meant");
  CHECK(unit_question("81559") == "81559 bytes? write 81559MB or 81559MiB, or 81559B if bytes are meant");
  CHECK(unit_question("0.5") == "0.5 bytes? write 0.5GB or 0.5GiB, or 0.5B if bytes are meant");
  for (const char* const clear : {"80GB", "80B", "80 B", "0", "1048576", "8e10", "85899345920", "much", "", "80gib"}) {
    CAPTURE(clear);
    CHECK(unit_question(clear).empty());
  }
}

TEST_CASE("rates in units of 1000") {
  CHECK(bandwidth_text(450e9) == "450 GB/s");
  CHECK(bandwidth_text(1.5e12) == "1.5 TB/s");
  CHECK(bandwidth_text(999) == "999 B/s");
  CHECK(bandwidth_text(0.5) == "0.5 B/s");
}

TEST_CASE("a size whose unit is cut short, or small, is answered by what was meant") {
  CHECK(no_size("40G") == "40G is no size: write 40GB or 40GiB");
  CHECK(no_size("80gib") == "80gib is no size: write 80GB or 80GiB");
  CHECK(no_size("1.5 t") == "1.5 t is no size: write 1.5TB or 1.5TiB");
  for (const char* const each : {"", "G", "fast", "5 apples", "9x", "1e308TiB", "-3G"}) {
    CHECK(no_size(each) == std::string(each) + " is no size: bytes, or 80GB, 80GiB, 1.5TiB");
  }
}
