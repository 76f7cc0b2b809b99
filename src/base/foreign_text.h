// Reading of files that people or other programs wrote: lines, words and numbers of a text. Every piece is a
// view into the text, so that an error can name the place without any reader counting lines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/errors.h"

namespace trainyard {

class ForeignText {
 public:
  explicit ForeignText(std::shared_ptr<const SourceText> text);

  /// The next line that is not blank and no comment ('#'), without blanks at its ends; nothing at the end of
  /// the text.
  std::optional<std::string_view> next_line();
  /// The words of the next line that has some, up to a '#'; none at the end of the text.
  std::vector<std::string_view> next_words();
  /// The place behind the text.
  std::string_view end() const { return std::string_view(text_->text).substr(text_->text.size()); }

  /// Line and column of a piece of this text. Reads the text from its beginning: for errors only.
  Location where(std::string_view piece) const;
  /// The text as a whole.
  Location whole_text() const { return {text_, 0, 0}; }

  /// Throws InputError at a piece.
  [[noreturn]] void fail(std::string_view piece, std::string message, std::string help = {}) const;

  /// A whole number, also as 2e6. Otherwise: "'...' is no <what>", and which are allowed.
  std::uint64_t whole(std::string_view piece, std::string_view what, std::uint64_t least,
                      std::uint64_t most) const;
  double decimal(std::string_view piece, std::string_view what, double least, double most) const;

 private:
  std::shared_ptr<const SourceText> text_;
  std::size_t at_ = 0;
};

/// Without blanks at either end.
std::string_view trimmed(std::string_view piece);

/// What stands between separators.
std::vector<std::string_view> words_of(std::string_view piece, std::string_view separators);

/// A piece as an error quotes it: cut where it is long.
std::string quoted(std::string_view piece);

}  // namespace trainyard
