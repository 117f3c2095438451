// SPDX-License-Identifier: BSL-1.0
// Included within a namespace, again and again: what a user may write, each kind of it once.

struct amount {
  int value;
  friend auto operator<=>(const amount&, const amount&) = default;
};

/// Heavy at the front: a stage costs by its place, too.
struct staged {
  std::size_t items = 8;
  [[nodiscard]] std::size_t size() const { return items; }
  int operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    int sum = static_cast<int>(stage);
    for (std::size_t i = first; i < last; ++i) sum += i == 0 ? 9 : 1 + static_cast<int>(i % 3);
    return sum;
  }
};
template <auto... Promised>
struct promising : staged {
  using axioms = stagecut::axioms<Promised...>;
};
struct interval {
  std::size_t items = 8;
  [[nodiscard]] std::size_t size() const { return items; }
  int operator()(std::size_t first, std::size_t last) const {
    return staged{items}(0, first, last) + (first == 3 ? 2 : 0);
  }
};
struct compared {
  using axioms = stagecut::axioms<stagecut::monotone>;
  std::size_t items = 8;
  [[nodiscard]] std::size_t size() const { return items; }
  amount operator()(std::size_t first, std::size_t last) const { return {staged{items}(0, first, last)}; }
};
struct summed {
  using axioms = stagecut::axioms<stagecut::monotone, stagecut::additive, stagecut::monge, stagecut::stage_invariant>;
  std::size_t items = 8;
  [[nodiscard]] std::size_t size() const { return items; }
  [[nodiscard]] std::int64_t prefix(std::size_t i) const { return staged{items}(0, 0, i); }
  std::int64_t operator()(std::size_t first, std::size_t last) const { return prefix(last) - prefix(first); }
};
struct concave {
  using axioms = stagecut::axioms<stagecut::inverse_monge>;
  std::size_t items = 8;
  [[nodiscard]] std::size_t size() const { return items; }
  double operator()(std::size_t first, std::size_t last) const {
    const int sum = staged{items}(0, first, last);
    return sum < 6 ? sum : 6;
  }
};
struct apart {
  using axioms = stagecut::axioms<stagecut::separable>;
  std::size_t items = 8;
  [[nodiscard]] std::size_t size() const { return items; }
  [[nodiscard]] int end(std::size_t stage, std::size_t last) const {
    return staged{items}(0, 0, last) + static_cast<int>((stage + last) % 2);
  }
  [[nodiscard]] int begin(std::size_t, std::size_t first) const { return staged{items}(0, 0, first); }
  int operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return end(stage, last) - begin(stage, first);
  }
};
struct speaking : staged {
  [[nodiscard]] int work(std::size_t stage, std::size_t first, std::size_t last) const {
    return staged::operator()(stage, first, last);
  }
  [[nodiscard]] int message(std::size_t boundary, std::size_t cut) const {
    return static_cast<int>((boundary + 2 * cut) % 13);
  }
  int operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    int most = work(stage, first, last);
    if (stage != 0 && most < message(stage - 1, first)) most = message(stage - 1, first);
    return last != items && most < message(stage, last) ? message(stage, last) : most;
  }
};
struct squared {
  double operator()(double sum) const { return sum * sum; }
};

/// At most four items; and no stage of two.
struct at_most_four {
  using axioms = stagecut::axioms<stagecut::hereditary, stagecut::stage_invariant>;
  bool operator()(std::size_t, std::size_t first, std::size_t last) const { return last - first <= 4; }
};
struct odd {
  using axioms = stagecut::axioms<stagecut::stage_invariant>;
  bool operator()(std::size_t, std::size_t first, std::size_t last) const { return last - first != 2; }
  [[nodiscard]] bool hopeless(std::size_t, std::size_t, std::size_t) const { return false; }
  [[nodiscard]] std::optional<stagecut::reason> obstacle(std::size_t, std::size_t) const { return std::nullopt; }
};

/// The costliest stage, in a type of one's own.
struct most {
  using axioms = stagecut::axioms<stagecut::isotone>;
  amount operator()(const amount& cost) const { return cost; }
  amount operator()(int cost) const { return {cost}; }
  amount operator()(const amount& a, const amount& b) const { return a < b ? b : a; }
};

struct pipeline {
  std::size_t items = 8;
  [[nodiscard]] std::size_t size() const { return items; }
  [[nodiscard]] double forward(std::size_t, std::size_t i) const { return staged{items}(0, i, i + 1); }
  [[nodiscard]] double backward(std::size_t, std::size_t i) const { return 2 * staged{items}(0, i, i + 1); }
  [[nodiscard]] double backward_weight(std::size_t, std::size_t i) const { return staged{items}(0, i, i + 1); }
  [[nodiscard]] double stage_forward(std::size_t s) const { return static_cast<double>(s); }
  [[nodiscard]] double stage_backward(std::size_t s) const { return static_cast<double>(2 * s); }
  [[nodiscard]] double stage_backward_weight(std::size_t s) const { return static_cast<double>(s); }
  [[nodiscard]] double sent(std::size_t cut) const { return static_cast<double>(cut % 3); }
  [[nodiscard]] double memory(std::size_t, std::size_t first, std::size_t last, std::size_t held) const {
    return static_cast<double>((last - first) * held);
  }
  [[nodiscard]] double least_memory(std::size_t, std::size_t first, std::size_t last, std::size_t held) const {
    return static_cast<double>((last - first) * held);
  }
};
