using System.Collections.Generic;
using System.Text;

namespace Hothouse {
  enum UnitKind { Using, Type, Method, Statement, Directive }

  /// A part of a cell that is compiled by itself, or with the statements beside it.
  class Unit {
    public UnitKind Kind;
    public string Text;
    /// From 1.
    public int Line;
    /// From 0.
    public int Column;
    /// Of a method.
    public string Name;
    public bool HasAwait;
    /// Whether it is an expression whose value is shown.
    public bool IsOpen;
  }

  /// Splits a cell into units. Nothing is judged here: what is no C# becomes a statement, and the compiler reports it.
  class Source {
    static readonly HashSet<string> declarations = new HashSet<string> { "class", "struct", "interface", "enum", "delegate", "namespace" };
    static readonly HashSet<string> modifiers = new HashSet<string> {
      "public", "private", "protected", "internal", "static", "abstract", "sealed", "partial", "unsafe", "readonly", "ref", "async", "virtual",
    };
    static readonly HashSet<string> noTypes = new HashSet<string> { "new", "await", "return", "throw", "else", "in", "case", "is", "as", "yield" };
    static readonly HashSet<string> continuations = new HashSet<string> { "else", "catch", "finally", "while", "." , "?", ")", ",", ";", "[", "(" };

    readonly string code;
    readonly List<Token> tokens;

    struct Token {
      public int Start;
      public int End;
      public string Text;
      public bool IsWord { get { return char.IsLetter(Text[0]) || Text[0] == '_' || Text[0] == '@'; } }
    }

    Source(string code) {
      tokens = Tokens(code);
      this.code = WithExits(code);
    }

    /// A cell's Environment.Exit ends the cell and not the session.
    string WithExits(string code) {
      var text = new StringBuilder(code);
      for (var i = 2; i < tokens.Count; i++) {
        if (tokens[i - 2].Text != "Environment" || tokens[i - 1].Text != "." || tokens[i].Text != "Exit") continue;
        text.Remove(tokens[i - 2].Start, 11).Insert(tokens[i - 2].Start, "HothouseRun");
      }
      return text.ToString();
    }

    public static List<Unit> Split(string code) {
      return new Source(code).Units();
    }

    List<Unit> Units() {
      var units = new List<Unit>();
      var first = 0;
      while (first < tokens.Count) {
        var end = EndOf(first);
        units.Add(UnitOf(first, end));
        first = end;
      }
      return units;
    }

    /// The index after the last token of the unit that begins at `first`.
    int EndOf(int first) {
      if (tokens[first].Text[0] == '#') return first + 1;
      var depth = 0;
      for (var i = first; i < tokens.Count; i++) {
        var text = tokens[i].Text;
        if (text == "(" || text == "[" || text == "{") depth++;
        else if (text == ")" || text == "]" || text == "}") depth--;
        if (depth > 0) continue;
        if (text == ";") return i + 1;
        if (text == "}" && IsEnd(first, i)) return i + 1;
        if (i + 1 < tokens.Count && tokens[i + 1].Text[0] == '#') return i + 1;
      }
      return tokens.Count;
    }

    /// Whether the brace at `i` closes the unit.
    bool IsEnd(int first, int i) {
      if (i + 1 == tokens.Count) return true;
      var next = tokens[i + 1].Text;
      // The `while` of a `do`; after any other block it begins a statement.
      if (next == "while") return tokens[first].Text != "do";
      if (next == "else" || next == "catch" || next == "finally") return false;
      if (IsBlock(first)) return true;
      return !continuations.Contains(next) && tokens[i + 1].IsWord && !IsValue(first);
    }

    bool IsBlock(int first) {
      switch (tokens[first].Text) {
        case "if": case "for": case "foreach": case "while": case "switch": case "try": case "lock": case "using": case "do": case "{":
        case "unsafe": case "checked": case "unchecked": case "fixed":
          return true;
      }
      var kind = KindOf(first, tokens.Count, out _);
      return kind == UnitKind.Type || kind == UnitKind.Method;
    }

    /// Whether an `=` or `=>` comes before the first brace: an initializer or a lambda, which an operator may follow.
    bool IsValue(int first) {
      for (var i = first; i < tokens.Count && tokens[i].Text != ";" && tokens[i].Text != "{"; i++) {
        if (tokens[i].Text == "=" || tokens[i].Text == "=>" || tokens[i].Text == "new") return true;
      }
      return false;
    }

    Unit UnitOf(int first, int end) {
      var start = tokens[first].Start;
      string name;
      var kind = KindOf(first, end, out name);
      var line = 1;
      var column = 0;
      for (var i = 0; i < start; i++) {
        column = code[i] == '\n' ? 0 : column + 1;
        if (code[i] == '\n') line++;
      }
      var text = code.Substring(start, tokens[end - 1].End - start);
      var hasAwait = kind == UnitKind.Statement && tokens.GetRange(first, end - first).Exists(token => token.Text == "await");
      var isOpen = kind == UnitKind.Statement && !text.EndsWith(";") && !IsBlock(first);
      return new Unit { Kind = kind, Text = text, Line = line, Column = column, Name = name, HasAwait = hasAwait, IsOpen = isOpen };
    }

    UnitKind KindOf(int first, int end, out string name) {
      name = null;
      if (tokens[first].Text[0] == '#') return UnitKind.Directive;
      if (tokens[first].Text == "using" && first + 1 < end && tokens[first + 1].Text != "(" && !IsUsingVariable(first + 1, end)) return UnitKind.Using;
      var i = first;
      while (i < end && tokens[i].Text == "[") i = After(i);
      while (i < end && modifiers.Contains(tokens[i].Text)) i++;
      if (i < end && declarations.Contains(tokens[i].Text)) return UnitKind.Type;
      return IsMethod(i, end, out name) ? UnitKind.Method : UnitKind.Statement;
    }

    /// `using var x = …;` and `using Stream x = …;`
    bool IsUsingVariable(int i, int end) {
      return i + 2 < end && tokens[i].IsWord && tokens[i].Text != "static" && tokens[i + 1].IsWord && tokens[i + 2].Text == "=";
    }

    /// `Type Name(…) {`, `Type Name<T>(…) =>`: the type comes before the name, and a body after the parameters.
    bool IsMethod(int i, int end, out string name) {
      name = null;
      if (i >= end || !(tokens[i].IsWord || tokens[i].Text == "(") || noTypes.Contains(tokens[i].Text)) return false;
      for (; i + 2 < end; i++) {
        var text = tokens[i].Text;
        if (text == "=" || text == "{" || text == ";" || text == "=>") return false;
        if (text == "(") {
          // A tuple as the type.
          i = After(i) - 1;
          if (i + 2 >= end) return false;
          text = ")";
        }
        if (!tokens[i + 1].IsWord || noTypes.Contains(tokens[i + 1].Text)) continue;
        if (!(tokens[i].IsWord || text == ">" || text == "]" || text == "?" || text == ")")) continue;
        if (noTypes.Contains(text)) return false;
        var open = tokens[i + 2].Text == "<" ? AfterTypes(i + 2, end) : i + 2;
        if (open >= end || tokens[open].Text != "(") continue;
        var body = After(open);
        if (body >= end) return false;
        var next = tokens[body].Text;
        if (next != "{" && next != "=>" && next != "where") return false;
        name = tokens[i + 1].Text;
        return true;
      }
      return false;
    }

    /// The index after the bracket that closes the one at `i`.
    int After(int i) {
      var depth = 0;
      for (; i < tokens.Count; i++) {
        var text = tokens[i].Text;
        if (text == "(" || text == "[" || text == "{") depth++;
        else if (text == ")" || text == "]" || text == "}") depth--;
        if (depth == 0) return i + 1;
      }
      return i;
    }

    int AfterTypes(int i, int end) {
      var depth = 0;
      for (; i < end; i++) {
        if (tokens[i].Text == "<") depth++;
        else if (tokens[i].Text == ">") depth--;
        if (depth == 0) return i + 1;
      }
      return i;
    }

    static List<Token> Tokens(string code) {
      var tokens = new List<Token>();
      var i = 0;
      while (i < code.Length) {
        var start = i;
        i = Skip(code, i);
        if (i > start) continue;
        i = EndOfToken(code, i);
        tokens.Add(new Token { Start = start, End = i, Text = code.Substring(start, i - start) });
      }
      return tokens;
    }

    /// The offset after white space or a comment at `i`.
    static int Skip(string code, int i) {
      if (char.IsWhiteSpace(code[i])) return i + 1;
      if (string.CompareOrdinal(code, i, "//", 0, 2) == 0) return Found(code, '\n', i);
      if (string.CompareOrdinal(code, i, "/*", 0, 2) == 0) {
        var end = code.IndexOf("*/", i + 2, System.StringComparison.Ordinal);
        return end < 0 ? code.Length : end + 2;
      }
      return i;
    }

    static int Found(string code, char wanted, int from) {
      var found = code.IndexOf(wanted, from);
      return found < 0 ? code.Length : found;
    }

    static int EndOfToken(string code, int i) {
      var c = code[i];
      if (c == '#') return Found(code, '\n', i);
      if (char.IsLetter(c) || c == '_') return EndOfWord(code, i);
      if (char.IsDigit(c)) return EndOfWord(code, i);
      if (c == '@' && i + 1 < code.Length && (char.IsLetter(code[i + 1]) || code[i + 1] == '_')) return EndOfWord(code, i + 1);
      if (c == '"' || c == '\'') return EndOfString(code, i + 1, c, false, false);
      if (c == '$' || c == '@') {
        var j = i;
        while (j < code.Length && (code[j] == '$' || code[j] == '@')) j++;
        if (j < code.Length && code[j] == '"') {
          var prefix = code.Substring(i, j - i);
          return EndOfString(code, j + 1, '"', prefix.Contains("@"), prefix.Contains("$"));
        }
      }
      if (string.CompareOrdinal(code, i, "=>", 0, 2) == 0) return i + 2;
      if (c == '=' || c == '!' || c == '<' || c == '>') return i + 1 < code.Length && code[i + 1] == '=' ? i + 2 : i + 1;
      return i + 1;
    }

    static int EndOfWord(string code, int i) {
      while (i < code.Length && (char.IsLetterOrDigit(code[i]) || code[i] == '_')) i++;
      return i;
    }

    static int EndOfString(string code, int i, char quote, bool isVerbatim, bool hasHoles) {
      for (; i < code.Length; i++) {
        var c = code[i];
        if (hasHoles && c == '{') {
          if (i + 1 < code.Length && code[i + 1] == '{') i++;
          else i = EndOfHole(code, i + 1);
        } else if (c == '\\' && !isVerbatim) i++;
        else if (c == quote) {
          if (!isVerbatim || i + 1 >= code.Length || code[i + 1] != quote) return i + 1;
          i++;
        } else if (c == '\n' && !isVerbatim) return i;
      }
      return code.Length;
    }

    /// The offset of the brace that closes a hole of an interpolated string.
    static int EndOfHole(string code, int i) {
      for (var depth = 1; i < code.Length; ) {
        var start = i;
        i = Skip(code, i);
        if (i > start) continue;
        if (code[i] == '{') depth++;
        else if (code[i] == '}' && --depth == 0) return i;
        i = EndOfToken(code, i);
      }
      return code.Length;
    }
  }
}
