// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/file.hpp>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <string>
#include <string_view>
#include <system_error>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL std::string stream_text(std::istream& stream, std::string_view source, const read_limits& limits,
                                      std::size_t size) {
  if (size > limits.bytes) detail::refuse_size(source, limits);
  std::string text;
  text.reserve(size);
  std::array<char, 65536> part;
  while (stream.read(part.data(), part.size()) || stream.gcount() > 0) {
    const auto read = static_cast<std::size_t>(stream.gcount());
    if (read > limits.bytes - text.size()) detail::refuse_size(source, limits);
    text.append(part.data(), read);
  }
  if (!stream.eof() || stream.bad()) stagecut::detail::fail(invalid_input(source, "cannot be read"));
  return text;
}

STAGECUT_DECL std::string file_text(const std::string& path, const read_limits& limits) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    stagecut::detail::fail(invalid_input(path, stagecut::detail::joined({"cannot be opened: ", std::strerror(errno)})));
  std::error_code unknown;  // for something that is no regular file
  const auto size = std::filesystem::file_size(path, unknown);
  return stream_text(file, path, limits, unknown ? 0 : static_cast<std::size_t>(size));
}

}  // namespace stagecut::inline STAGECUT_ABI::io
