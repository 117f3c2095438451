// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/names.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "output/command_tree.hpp"
#include "output/documents.hpp"
#include "output/exit_status.hpp"
#include "output/manual_prose.hpp"

// Manual pages in the language of man(7).

/// Escapes a text for roff: every character prints as itself.
inline std::string roff(std::string_view text) {
  constexpr stagecut::named<std::string_view> signs[] = {{"\\", "\\e"},  {"-", "\\-"},   {"'", "\\(aq"}, {"\"", "\\(dq"},
                                                        {"^", "\\(ha"}, {"~", "\\(ti"}, {"`", "\\(ga"}};
  std::string result;
  for (const char character : text) {
    const auto* const sign = stagecut::find_name(signs, std::string_view(&character, 1));
    if (sign != nullptr) {
      result += sign->value;
    } else {
      if (character == '.' && (result.empty() || result.back() == '\n')) result += "\\&";
      result += character;
    }
  }
  return result;
}

/// Roff lines of at most 78 characters; no line begins with a dot.
inline std::string roff_lines(std::string_view text) {
  std::string result;
  std::size_t width = 0;
  for (const std::string_view each : split(text, ' ')) {
    const std::string word = roff(each);
    const bool fits = width != 0 && width + 1 + word.size() <= 78;
    if (width != 0) result += fits ? ' ' : '\n';
    width = fits ? width + 1 + word.size() : word.size();
    result += word;
  }
  return result + '\n';
}

/// A sentence with its final dot, which help mostly omits.
inline std::string sentence(const std::string& text) { return text.ends_with('.') ? text : text + '.'; }

/// The text after a name: without the final dot.
inline std::string phrase(const std::string& text) {
  const bool dot = text.ends_with('.') && !text.ends_with("..");
  return text.substr(0, text.size() - (dot ? 1 : 0));
}

/// The possible values of an option, if its description does not list them.
inline std::string values_text(const option_description& option) {
  const auto& words = option.known.words;
  const auto named = [&](const std::string& word) { return option.says.find(word) != std::string::npos; };
  if (words.empty() || std::all_of(words.begin(), words.end(), named)) return "";
  const char* const begin = option.known.how == known_values::kind::only   ? "One of"
                            : option.known.how == known_values::kind::list ? "A list of"
                                                                           : "Known are";
  return fmt::format(" {} {}.", begin, fmt::join(words, ", "));
}

/// An option or an argument with its description.
inline std::string roff_option(const option_description& option, bool placed) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\f{}{}\\fR", names.empty() ? "" : ", ", placed ? 'I' : 'B', roff(name));
  }
  if (!placed && !option.value.empty()) names += fmt::format(" \\fI{}\\fR", roff(option.value));
  const std::string end = option.required && !placed ? " Required." : "";
  const std::string more = option.repeated && !placed ? " May be given several times." : "";
  return fmt::format(".TP\n{}\n{}", names, roff_lines(sentence(option.says) + values_text(option) + more + end));
}

/// The options in their groups; the first group has no heading.
inline std::string roff_options(const command_description& command) {
  std::string text;
  std::vector<std::string> groups;
  for (const option_description& description : command.options) {
    if (std::find(groups.begin(), groups.end(), description.group) == groups.end()) groups.push_back(description.group);
  }
  for (const std::string& group : groups) {
    text += &group == &groups.front() ? ".SH OPTIONS\n" : fmt::format(".SS {}\n", roff(group));
    for (const option_description& description : command.options) {
      if (description.group == group) text += roff_option(description, false);
    }
  }
  return text;
}

/// `stagecut plan [OPTIONS] FILE`, as in the usage.
inline std::string roff_synopsis(const command_description& command) {
  std::string text = fmt::format(".SH SYNOPSIS\n\\fB{}\\fR [\\fIOPTIONS\\fR]", roff(command.name()));
  for (const option_description& description : command.arguments)
    text += fmt::format(" \\fI{}\\fR", roff(description.usage()));
  if (!command.commands.empty()) text += command.needs_command ? " \\fISUBCOMMAND\\fR" : " [\\fISUBCOMMAND\\fR]";
  return text + '\n';
}

/// The description of the command, its subcommands and its arguments.
inline std::string roff_description(const command_description& command, std::string_view prose) {
  std::string text = ".SH DESCRIPTION\n";
  for (const std::string_view line : split(prose, '\n')) {
    text += (line.data() == prose.data() ? "" : ".PP\n") + roff_lines(line);
  }
  if (!command.commands.empty()) text += ".SH COMMANDS\n";
  for (const command_description& description : command.commands) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}", roff(description.path.back()),
                        roff_lines(fmt::format("{}: see {}(1).", description.says, description.name("-"))));
  }
  if (!command.arguments.empty()) text += ".SH ARGUMENTS\n";
  for (const option_description& description : command.arguments) text += roff_option(description, true);
  return text;
}

/// Statuses, examples, and the files installed with the program.
inline std::string roff_rest(const command_description& command, std::string_view examples) {
  std::string text = ".SH EXIT STATUS\n";
  for (const status_meaning& meaning : status_meanings) {
    const bool all = *meaning.of == '\0', program = command.path.size() == 1;
    if (!all && !program && std::string_view(meaning.of).find(command.path.back()) == std::string_view::npos) continue;
    const std::string of = all || !program ? "" : fmt::format(" Returned by {}.", meaning.of);
    text += fmt::format(".TP\n\\fB{}\\fR\n{}", static_cast<int>(meaning.status), roff_lines(meaning.means + of));
  }
  text += ".SH EXAMPLES\n";
  for (const std::string_view line : split(examples, '\n')) {
    const std::size_t tab = line.find('\t');
    text += line.data() == examples.data() ? "" : ".PP\n";
    text +=
        fmt::format("{}.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", roff_lines(line.substr(0, tab)), roff(line.substr(tab + 1)));
  }
  text += ".SH FILES\nFrom the folder of the program:\n";
  for (const auto& [name, says] : documents) {
    text += fmt::format(".TP\n\\fI{}/{}\\fR\n{}", roff(documents_folder), roff(name), roff_lines(says));
  }
  return text;
}

/// The manual page of a command.
inline std::string manual_page(const command_description& command, const command_description& program) {
  std::string title = command.name("-");
  const auto* const known = stagecut::find_name(manual_prose, command.name());
  const page_prose prose = known == nullptr ? page_prose() : known->value;
  std::string others;
  for (const command_description* const description : all_of(program)) {
    if (description == &command) continue;
    others += fmt::format("{}\n.BR {} (1)", others.empty() ? "" : " ,", roff(description->name("-")));
  }
  std::string text = fmt::format(".SH NAME\n{} \\- {}", roff(title), roff_lines(phrase(command.says)));
  text += roff_synopsis(command) + roff_description(command, prose.text) + roff_options(command) +
          roff_rest(command, prose.examples) + ".SH SEE ALSO" + others + '\n';
  for (char& character : title) character = static_cast<char>(std::toupper(static_cast<unsigned char>(character)));
  return fmt::format(".\\\" Made by `stagecut manual`.\n.TH {} 1 \"\" \"{}\" \"User Commands\"\n{}", roff(title),
                     roff(command.version), text);
}
