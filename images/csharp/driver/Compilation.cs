using System.Collections.Generic;
using System.Linq;
using System.Text;
using Mono.CSharp;

namespace Hothouse {
  /// What the compiler has said about a text, with lines and columns of the cell.
  class Messages : ReportPrinter {
    public readonly List<AbstractMessage> Found = new List<AbstractMessage>();

    public override void Print(AbstractMessage message, bool showFullPath) {
      base.Print(message, showFullPath);
      Found.Add(message);
    }

    public bool HasErrors { get { return Found.Any(message => !message.IsWarning); } }

    public void Clear() {
      Found.Clear();
      Reset();
    }
  }

  /// A text for the compiler: its lines are those of the cell. Marks before statements say which line runs.
  class Text {
    // Mono.CSharp reads a space before its input.
    const int Shift = 1;
    readonly StringBuilder text = new StringBuilder();
    readonly List<KeyValuePair<int, int>> insertions = new List<KeyValuePair<int, int>>();
    int line = 1;
    int column;

    public void Add(Unit unit) {
      MoveTo(unit);
      Append(unit.Text);
    }

    public void AddMarked(Unit unit, string before = "", string after = "") {
      MoveTo(unit);
      Insert("global::Hothouse.Line.Current=" + unit.Line + ";" + before);
      Append(unit.Text);
      Insert(after);
    }

    public void Insert(string inserted) {
      if (inserted == "") return;
      insertions.Add(new KeyValuePair<int, int>(line, inserted.Length));
      Append(inserted);
    }

    void MoveTo(Unit unit) {
      while (line < unit.Line) Append("\n");
      while (column < unit.Column) Append(" ");
    }

    void Append(string added) {
      text.Append(added);
      foreach (var c in added) {
        column = c == '\n' ? 0 : column + 1;
        if (c == '\n') line++;
      }
    }

    /// The column in the cell, from 1, of one that the compiler reports.
    public int ColumnOf(int row, int reported) {
      var inserted = insertions.Where(insertion => insertion.Key == row).Sum(insertion => insertion.Value);
      var shift = row == 1 ? Shift : 0;
      return System.Math.Max(1, reported - inserted - shift);
    }

    public override string ToString() { return text.ToString(); }
  }

  /// The line of the cell that runs; compiled code sets it before each statement.
  public static class Line {
    public static int Current;
  }
}
