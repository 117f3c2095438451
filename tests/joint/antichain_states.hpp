// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <stagecut/joint/baselines/placed_layers.hpp>

namespace joint_tests {

/// A profile in PipeDream's format, and the states that its planner makes of it: sets of layers with all that they need,
/// reached one layer at a time from the first source.
class antichain_states {
 public:
  explicit antichain_states(std::istream& text) {
    for (std::string line; std::getline(text, line);) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      line[0] == ' ' || line[0] == '\t' ? read_edge(line) : read_node(line);
    }
    drop("Input", true);
    drop("__getitem__", false);
    close();
    walk();
  }

  /// Of `batch` samples, where the profile is of `profiled` ones; times in seconds.
  [[nodiscard]] stagecut::placed_layers layers(double factor) const {
    stagecut::placed_layers made;
    made.times = {0}, made.parameters = {0}, made.messages = {0};
    made.begins = {{}};
    for (const std::size_t s : order_) {
      double time = 0;
      double parameters = 0;
      double output = 0;
      for (const std::size_t v : below(states_[s])) {
        time += nodes_[v].time / 1000;
        parameters += nodes_[v].parameters;
      }
      for (const std::size_t v : states_[s]) output += nodes_[v].output;
      made.times.push_back(time * factor);
      made.parameters.push_back(parameters);
      made.messages.push_back(output * factor);
      made.begins.push_back({0});
    }
    for (std::size_t j = 0; j < order_.size(); ++j) {
      for (std::size_t i = 0; i < order_.size(); ++i) {
        if (reaches(order_[i], order_[j])) made.begins[j + 1].push_back(i + 1);
      }
    }
    return made;
  }

  [[nodiscard]] std::size_t size() const { return order_.size(); }

 private:
  struct node {
    std::string name;
    double time = 0, output = 0, parameters = 0;
    std::vector<std::size_t> out{}, in{};
    bool is_gone = false;
  };
  using antichain = std::vector<std::size_t>;

  static double figure(const std::string& line, const std::string& key) {
    const std::size_t at = line.find(key + "=") + key.size() + 1;
    if (line[at] != '[') return std::strtod(line.c_str() + at, nullptr);
    double sum = 0;
    std::istringstream list(line.substr(at + 1, line.find(']', at) - at - 1));
    for (std::string each; std::getline(list, each, ';');) sum += std::strtod(each.c_str(), nullptr);
    return sum;
  }
  void read_node(const std::string& line) {
    const std::size_t end = line.find(" -- ");
    ids_[line.substr(0, end)] = nodes_.size();
    node made;
    made.name = line.substr(end + 4, line.find(" -- ", end + 4) - end - 4);
    made.time = figure(line, "forward_compute_time") + figure(line, "backward_compute_time");
    made.output = figure(line, "activation_size");
    made.parameters = figure(line, "parameter_size");
    nodes_.push_back(made);
  }
  void read_edge(const std::string& line) {
    std::istringstream words(line);
    std::string from, dashes, to;
    words >> from >> dashes >> to;
    nodes_[ids_.at(from)].out.push_back(ids_.at(to));
    nodes_[ids_.at(to)].in.push_back(ids_.at(from));
  }
  void drop(const std::string& prefix, bool sources) {
    std::vector<std::size_t> gone;
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
      const auto& ends = sources ? nodes_[v].in : nodes_[v].out;
      if (!nodes_[v].is_gone && ends.empty() && nodes_[v].name.rfind(prefix, 0) == 0) gone.push_back(v);
    }
    for (const std::size_t v : gone) {
      nodes_[v].is_gone = true;
      for (node& each : nodes_) {
        for (auto* list : {&each.out, &each.in}) list->erase(std::remove(list->begin(), list->end(), v), list->end());
      }
    }
  }
  void close() {
    const auto reach = [&](auto member) {
      std::vector<std::set<std::size_t>> found(nodes_.size());
      std::vector<bool> done(nodes_.size());
      const std::function<void(std::size_t)> visit = [&](std::size_t v) {
        if (done[v]) return;
        done[v] = true;
        for (const std::size_t u : nodes_[v].*member) {
          visit(u);
          found[v].insert(u);
          found[v].insert(found[u].begin(), found[u].end());
        }
      };
      for (std::size_t v = 0; v < nodes_.size(); ++v) visit(v);
      return found;
    };
    before_ = reach(&node::in);
    after_ = reach(&node::out);
  }
  /// Adds the predecessors that also feed operators outside their member's predecessors.
  [[nodiscard]] antichain augmented(const antichain& of) const {
    std::set<std::size_t> extra;
    for (const std::size_t v : of) {
      for (const std::size_t u : before_[v]) {
        for (const std::size_t w : nodes_[u].out) {
          if (before_[v].count(w) == 0 && w != v) extra.insert(u);
        }
      }
    }
    antichain made(extra.begin(), extra.end());
    made.insert(made.end(), of.begin(), of.end());
    return made;
  }
  [[nodiscard]] antichain reduced(const antichain& of) const {
    antichain made;
    for (const std::size_t v : of) {
      bool keeps = std::find(made.begin(), made.end(), v) == made.end();
      for (const std::size_t w : of) keeps = keeps && after_[v].count(w) == 0;
      if (keeps) made.push_back(v);
    }
    return made;
  }
  [[nodiscard]] std::set<std::size_t> below(const antichain& of) const {
    std::set<std::size_t> made(of.begin(), of.end());
    for (const std::size_t v : of) made.insert(before_[v].begin(), before_[v].end());
    return made;
  }
  void walk() {
    std::size_t source = 0;
    while (nodes_[source].is_gone || !nodes_[source].in.empty()) ++source;
    std::map<antichain, std::size_t> known;
    std::vector<antichain> queue;
    const auto number_of = [&](const antichain& of) {
      antichain key = of;
      std::sort(key.begin(), key.end());
      const auto [at, is_new] = known.emplace(key, states_.size());
      if (is_new) {
        states_.push_back(augmented(of));
        next_.emplace_back();
        queue.push_back(of);
        names_.push_back(nodes_[of[0]].name);
      }
      return at->second;
    };
    number_of({source});
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const antichain at = queue[i];
      const antichain wide = states_[i];
      for (const std::size_t v : wide) {
        for (const std::size_t w : nodes_[v].out) {
          if (std::find(at.begin(), at.end(), w) != at.end()) continue;
          bool is_next = true;
          for (const std::size_t u : after_[w])
            is_next = is_next && std::find(wide.begin(), wide.end(), u) == wide.end();
          if (!is_next) continue;
          antichain moved = wide;
          std::replace(moved.begin(), moved.end(), v, w);
          const std::size_t next = number_of(reduced(moved));
          next_[i].push_back(next);
        }
      }
    }
    sort_states();
  }
  /// By depth, those with smaller names first, as PipeDream's planner numbers them.
  void sort_states() {
    std::vector<bool> done(states_.size());
    const auto sorted = [&](std::vector<std::size_t> of) {
      std::stable_sort(of.begin(), of.end(), [&](std::size_t a, std::size_t b) { return names_[a] < names_[b]; });
      return of;
    };
    const std::function<void(std::size_t)> visit = [&](std::size_t s) {
      if (done[s]) return;
      done[s] = true;
      for (const std::size_t t : sorted(next_[s])) visit(t);
      order_.insert(order_.begin(), s);
    };
    std::vector<std::size_t> all(states_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    for (const std::size_t s : sorted(all)) visit(s);
    reach_.assign(states_.size(), std::vector<bool>(states_.size()));
    for (std::size_t i = order_.size(); i-- > 0;) {
      const std::size_t s = order_[i];
      for (const std::size_t t : next_[s]) {
        reach_[s][t] = true;
        for (std::size_t u = 0; u < states_.size(); ++u) reach_[s][u] = reach_[s][u] || reach_[t][u];
      }
    }
  }
  [[nodiscard]] bool reaches(std::size_t from, std::size_t to) const { return reach_[from][to]; }

  std::map<std::string, std::size_t> ids_;
  std::vector<node> nodes_;
  std::vector<std::set<std::size_t>> before_, after_;
  std::vector<antichain> states_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::size_t>> next_;
  std::vector<std::size_t> order_;
  std::vector<std::vector<bool>> reach_;
};

}  // namespace joint_tests
