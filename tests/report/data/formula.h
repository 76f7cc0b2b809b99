// Evaluates the formulas that `--explain` prints, so that a test can hold them against the values.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

namespace trainyard::test {

/// Plain arithmetic with + - * / ( ), floor(), ceil(), max(,) and dotted names.
class Formula {
 public:
  using Lookup = std::function<double(const std::string&)>;

  Formula(std::string text, Lookup lookup) : text_(std::move(text)), lookup_(std::move(lookup)) {}

  double value() {
    const double v = sum();
    skip_blanks();
    if (at_ != text_.size()) throw std::runtime_error("trailing text: " + text_.substr(at_));
    return v;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) throw std::runtime_error(std::string("expected ") + c + " in " + text_);
  }
  double sum() {
    double v = product();
    for (;;) {
      if (take('+')) {
        v += product();
      } else if (take('-')) {
        v -= product();
      } else {
        return v;
      }
    }
  }
  double product() {
    double v = factor();
    for (;;) {
      if (take('*')) {
        v *= factor();
      } else if (take('/')) {
        v /= factor();
      } else {
        return v;
      }
    }
  }
  double factor() {
    if (take('(')) {
      const double v = sum();
      expect(')');
      return v;
    }
    skip_blanks();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) return literal();
    return named();
  }
  double literal() {
    double v = 0;
    const auto [end, code] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), v);
    if (code != std::errc{}) throw std::runtime_error("number expected");
    at_ = static_cast<std::size_t>(end - text_.data());
    return v;
  }
  double named() {
    std::string name;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.')) {
      name += text_[at_++];
    }
    if (!take('(')) return lookup_(name);
    const double first = sum();
    double result = name == "floor" ? std::floor(first) : name == "ceil" ? std::ceil(first) : first;
    if (name == "max") {
      expect(',');
      result = std::max(first, sum());
    }
    expect(')');
    return result;
  }

  std::string text_;
  Lookup lookup_;
  std::size_t at_ = 0;
};

}  // namespace trainyard::test
