// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <istream>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/io/text.hpp>

namespace stagecut::inline v0::io::detail {

/// All that a stream still holds.
/// @throws invalid_input with the source if it cannot be read
[[nodiscard]] inline std::string stream_text(std::istream& stream, std::string_view source) {
  std::string text;
  char part[4096];
  while (stream.read(part, sizeof part) || stream.gcount() > 0) {
    text.append(part, static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.eof() || stream.bad()) fail(invalid_input(source, "cannot be read"));
  return text;
}

/// The content of a file.
/// @throws invalid_input with the path if it cannot be read
[[nodiscard]] inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(invalid_input(path, joined("cannot be opened: ", std::strerror(errno))));
  return stream_text(file, path);
}

}  // namespace stagecut::inline v0::io::detail
