using System;
using System.Diagnostics;
using System.Linq;
using System.Text;

namespace Hothouse {
  static class Traceback {
    /// The exception with its frames in user code and libraries; the compiled cell's own frame names its line.
    public static string Of(Exception error, string cell, int line) {
      var text = new StringBuilder();
      for (var inner = error; inner != null; inner = inner.InnerException)
        text.AppendLine((inner == error ? "" : "---> ") + inner.GetType().FullName + ": " + inner.Message);
      var frames = (error.StackTrace ?? "").Split('\n').Select(frame => frame.Trim()).Where(frame => frame.StartsWith("at "));
      foreach (var frame in frames) {
        if (frame.Contains("<InteractiveExpressionClass>")) break;
        var end = frame.IndexOf(" [0x", StringComparison.Ordinal);
        var shown = (end < 0 ? frame : frame.Substring(0, end)).Replace("HothouseMethod_", "");
        if (!shown.StartsWith("at Hothouse.") && !shown.StartsWith("at Mono.CSharp.")) text.AppendLine("  " + shown);
      }
      return text.Append("  at " + cell + ", line " + line).ToString();
    }
  }
}
