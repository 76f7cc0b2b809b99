"""Where C++ source can be changed by one operator, constant or condition, and into what. Read by tools/mutants.

The source is as clang-format leaves it: a binary operator has blanks on both sides, which an angle bracket of a
template, a pointer and a reference do not have.
"""
import bisect
import collections
import dataclasses
import re

PAIRS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
}
BINARY = re.compile(r"(?<= )(<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|[<>+*/-])(?=[ \n])")
MIN_MAX = re.compile(r"\bstd::(min|max)\b(?=[(<])")
STEP = re.compile(r"\+\+|--")
NUMBER = re.compile(r"(?<![\w.'])(?:0[xX][0-9a-fA-F']+|(?:[0-9][0-9']*)?\.?[0-9]+(?:\.(?![\w.]))?(?:[eE][+-]?[0-9]+)?)([uUlLfF]*)(?![\w.'])")
CONDITION = re.compile(r"\b(if|while) (?:constexpr )?\(")
# Comments, string and character literals, raw strings, lines of the preprocessor: nothing of them is code.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
# Declarations whose numbers are no behaviour, and checks at compile time.
SKIPPED = re.compile(r"\bstatic_assert\b|\btemplate <|\boperator[<>=+*/!&|-]|^\s*(?:enum|using|friend)\b|std::array<|std::bitset<")

# A member's first value in a record, which nearly every maker of it overwrites.
MEMBER = re.compile(r"^\s+(?!return|const|auto|static)[\w:<>, ]+ \w+ = [^=;]+;\s*$")


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    column: int
    begin: int  # in the text of the file
    end: int
    new: str
    original: str  # what stands there
    source: str    # the whole line, without blanks around it
    nth: int = 1   # of the same changes on that line

    @property
    def change(self):
        return f"{self.original} -> {self.new}"


def without_text(source):
    """The source with blanks in place of all that is no code; places and line ends stay."""
    return NO_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), source)


def other_number(text, suffix):
    """A constant's neighbour: one more of a whole number and of zero, twice any other; None of what is neither."""
    digits = text[: len(text) - len(suffix)].replace("'", "")
    if digits.lower().startswith("0x"):
        return hex(int(digits, 16) + 1) + suffix
    if digits.isdigit():
        if len(digits) > 1 and digits[0] == "0":
            return None
        return str(int(digits) + 1) + suffix
    value = float(digits)
    return ("1.0" if value == 0 else repr(value * 2)) + suffix


def matching(code, at):
    """The place of the parenthesis that closes the one at `at`, or None."""
    depth = 0
    for i in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[i], 0)
        if depth == 0:
            return i
    return None


def changes(code):
    """(begin, end, new) of every change, in order."""
    out = [(m.start(), m.end(), PAIRS[m[0]]) for m in BINARY.finditer(code)]
    out += [(m.start(1), m.end(1), {"min": "max", "max": "min"}[m[1]]) for m in MIN_MAX.finditer(code)]
    out += [(m.start(), m.end(), {"++": "--", "--": "++"}[m[0]]) for m in STEP.finditer(code)]
    for m in NUMBER.finditer(code):
        in_brackets = code[m.start() - 1] == "<" or code[m.end():m.end() + 1] == ">"
        new = None if in_brackets else other_number(m[0], m[1])
        if new:
            out.append((m.start(), m.end(), new))
    for m in CONDITION.finditer(code):
        end = matching(code, m.end() - 1)
        inside = code[m.end():end] if end else ""
        # A declaration in a condition, and what the compiler decides, stay as they are.
        if not inside or "constexpr" in m[0] or ";" in inside or re.search(r"[^=!<>+*/-]= ", inside):
            continue
        out.append((m.end(), end, f"!({{}})"))
        if m[1] == "if":
            out.append((m.end(), end, "true"))
    return sorted(out)


def mutants_of(file, source):
    """Every mutant of a file."""
    code = without_text(source)
    starts = [0] + [m.end() for m in re.finditer("\n", source)]
    lines = source.split("\n")
    code_lines = code.split("\n")
    out = []
    seen = collections.Counter()
    for begin, end, new in changes(code):
        row = bisect.bisect_right(starts, begin) - 1
        if SKIPPED.search(code_lines[row]) or (file.endswith(".h") and MEMBER.match(code_lines[row])):
            continue
        original = source[begin:end]
        if '"' in (source[:begin].rstrip()[-1:], source[end:].lstrip()[:1]):
            continue  # texts put together
        new = new.replace("{}", original)
        seen[row, original, new] += 1
        out.append(Mutant(file, row + 1, begin - starts[row] + 1, begin, end, new, original, lines[row].strip(),
                          seen[row, original, new]))
    return out


def mutated(source, mutant):
    return source[: mutant.begin] + mutant.new + source[mutant.end:]


def self_test():
    def found(source):
        return [(m.original, m.new) for m in mutants_of("a.cpp", source)]

    assert found("x = a < b;") == [("<", "<=")]
    assert found("std::vector<int> a(n); // a < b") == []
    assert found('s = "a < b" + c; t = a + b;') == [("+", "-")]
    assert found("auto&& x = y && z;") == [("&&", "||")]
    assert found("double* p = a * b;") == [("*", "/")]
    assert found("#include <a>\n#define A 1 + \\\n  2\n") == []
    assert found("std::array<int, 3> a;") == []
    assert found("f<3>(2);") == [("2", "3")]
    assert found("x = std::min(a, 2.5);") == [("min", "max"), ("2.5", "5.0")]
    assert found("x = 0.0 + 1e3 + 10'000U + 0x10;")[::2] == [("0.0", "1.0"), ("1e3", "2000.0"), ("10'000U", "10001U"),
                                                              ("0x10", "0x11")]
    assert found("++i;") == [("++", "--")]
    assert found("if (a(b)) c();") == [("a(b)", "!(a(b))"), ("a(b)", "true")]
    assert found("while (a) c();") == [("a", "!(a)")]
    assert found("if (const auto x = f()) c();") == []
    assert found("if constexpr (a) c();") == []
    assert found("char c = '<'; f(R\"(a + b)\");") == []
    assert found("static_assert(a == 1);") == []
    assert found("template <class T>\nx = a <= b;") == [("<=", "<")]
    assert found("return a -\n       b;") == [("-", "+")]
    assert mutants_of("a.h", "struct A {\n  double b = 0;  // c\n};\n") == []
    source = "int f() {\n  return a + 12;\n}\n"
    plus = mutants_of("a.cpp", source)[0]
    assert (plus.line, plus.column, plus.source) == (2, 12, "return a + 12;")
    assert [m.nth for m in mutants_of("a.cpp", "return a + b + 1 + 2;") if m.original == "+"] == [1, 2, 3]
    assert mutated(source, plus) == "int f() {\n  return a - 12;\n}\n"
