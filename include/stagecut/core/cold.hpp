// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A vector or a string that is usually empty, and then takes one pointer. Used as a `Container`, which it converts from
/// and to.
template <class Container>
class cold {
 public:
  /// As in the container.
  /// @{
  using value_type = typename Container::value_type;
  using iterator = typename Container::iterator;
  using const_iterator = typename Container::const_iterator;
  /// @}

  /// Empty.
  cold() noexcept = default;

  /// The same elements.
  /// @{
  cold(std::initializer_list<value_type> values) : held_(values.size() == 0 ? nullptr : new Container(values)) {}
  template <class Other>
  requires(!std::same_as<std::remove_cvref_t<Other>, cold> && std::convertible_to<Other&&, Container>)
      cold(Other&& other)  // NOLINT(google-explicit-constructor)
      : held_(new Container(std::forward<Other>(other))) {
    if (held_->empty()) clear();
  }
  cold(const cold& other) : held_(other.empty() ? nullptr : new Container(*other.held_)) {}
  cold(cold&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  cold& operator=(cold other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  /// @}

  ~cold() { delete held_; }

  /// The container.
  [[nodiscard]] const Container& get() const noexcept {
    static const Container none{};
    return held_ == nullptr ? none : *held_;
  }
  /// The container.
  operator const Container&() const noexcept { return get(); }  // NOLINT(google-explicit-constructor)
  /// The container, if it is a string.
  operator std::string_view() const noexcept  // NOLINT(google-explicit-constructor)
      requires(std::convertible_to<const Container&, std::string_view>) {
    return get();
  }

  /// The container, for its other operations.
  [[nodiscard]] Container& change() {
    if (held_ == nullptr) held_ = new Container();
    return *held_;
  }

  /// As in the container.
  /// @{
  [[nodiscard]] bool empty() const noexcept { return held_ == nullptr || held_->empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return held_ == nullptr ? 0 : held_->size(); }
  [[nodiscard]] const_iterator begin() const noexcept { return held_ == nullptr ? const_iterator() : held_->cbegin(); }
  [[nodiscard]] const_iterator end() const noexcept { return held_ == nullptr ? const_iterator() : held_->cend(); }
  [[nodiscard]] iterator begin() noexcept { return held_ == nullptr ? iterator() : held_->begin(); }
  [[nodiscard]] iterator end() noexcept { return held_ == nullptr ? iterator() : held_->end(); }
  [[nodiscard]] const value_type& operator[](std::size_t i) const { return (*held_)[i]; }
  [[nodiscard]] value_type& operator[](std::size_t i) { return (*held_)[i]; }
  [[nodiscard]] const value_type& at(std::size_t i) const { return get().at(i); }
  [[nodiscard]] value_type& at(std::size_t i) { return change().at(i); }
  [[nodiscard]] const value_type& front() const { return held_->front(); }
  [[nodiscard]] value_type& front() { return held_->front(); }
  [[nodiscard]] const value_type& back() const { return held_->back(); }
  [[nodiscard]] value_type& back() { return held_->back(); }
  void push_back(value_type value) { change().push_back(std::move(value)); }
  template <class... Arguments>
  value_type& emplace_back(Arguments&&... arguments) {
    return change().emplace_back(std::forward<Arguments>(arguments)...);
  }
  void clear() noexcept { delete std::exchange(held_, nullptr); }
  void reserve(std::size_t size) { change().reserve(size); }
  void resize(std::size_t size) { change().resize(size); }
  void pop_back() { held_->pop_back(); }
  template <class... Arguments>
  iterator insert(const_iterator at, Arguments&&... arguments) {
    const auto place = at - std::as_const(*this).begin();
    return change().insert(change().begin() + place, std::forward<Arguments>(arguments)...);
  }
  iterator erase(const_iterator at) { return held_->erase(at); }
  iterator erase(const_iterator from, const_iterator to) { return from == to ? begin() : held_->erase(from, to); }
  /// @}

  /// As in a string.
  /// @{
  [[nodiscard]] auto c_str() const noexcept requires requires(const Container& text) { text.c_str(); }
  { return get().c_str(); }
  template <class Other>
  requires requires(Container& text, const Other& more) { text += more; }
  cold& operator+=(const Other& more) {
    change() += more;
    return *this;
  }
  template <std::convertible_to<std::string_view> Other>
  requires(!std::same_as<Other, cold>) [[nodiscard]] friend Container operator+(const cold& a, const Other& b) {
    return Container(a.get()).append(std::string_view(b));
  }
  template <std::convertible_to<std::string_view> Other>
  [[nodiscard]] friend Container operator+(const Other& a, const cold& b) {
    return Container(std::string_view(a)).append(b.get());
  }
  template <class Stream>
  requires requires(Stream& out, const Container& text) { out << text; }
  friend Stream& operator<<(Stream& out, const cold& text) {
    out << text.get();
    return out;
  }
  /// @}

  /// Compares as the containers.
  /// @{
  friend bool operator==(const cold& a, const cold& b) { return a.get() == b.get(); }
  friend bool operator<(const cold& a, const cold& b) requires requires(const Container& c) { c < c; }
  { return a.get() < b.get(); }
  /// @}

 private:
  Container* held_ = nullptr;
};

}  // namespace stagecut::inline STAGECUT_ABI
