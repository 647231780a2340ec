using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Mono.CSharp;

namespace Hothouse {
  /// What ends a cell before or between its statements.
  class CellProblem : Exception {
    public readonly string Name;
    public readonly string Details;

    public CellProblem(string name, string message, string details = "") : base(message) {
      Name = name;
      Details = details;
    }
  }

  /// A session: what cells have defined stays for later cells.
  class Session {
    const string Usings =
      "using System; using System.Collections.Generic; using System.IO; using System.Linq; using System.Text; using System.Threading; using System.Threading.Tasks;";
    const string Value = "hothouse_value";
    static readonly object NoValue = new object();
    static readonly string[] assemblies = {
      "System.Numerics", "System.Xml", "System.Xml.Linq", "System.Net.Http", "System.IO.Compression",
      "System.Runtime.Serialization", "System.Data", "Microsoft.CSharp",
    };

    readonly Runner runner;
    readonly Messages messages = new Messages();
    readonly Evaluator evaluator;
    readonly Packages packages;
    readonly HashSet<string> methods = new HashSet<string>();
    // The compiler takes the same assembly twice for two.
    readonly HashSet<string> references = new HashSet<string>(assemblies) { "mscorlib", "System", "System.Core" };
    string name;
    string code;

    public Session(Runner runner) {
      this.runner = runner;
      evaluator = new Evaluator(new CompilerContext(new CompilerSettings(), messages));
      evaluator.ReferenceAssembly(typeof(Session).Assembly);
      foreach (var assembly in assemblies) {
        try {
          evaluator.ReferenceAssembly(Assembly.Load(assembly + ", Version=4.0.0.0, Culture=neutral, PublicKeyToken=" + Token(assembly)));
        } catch (Exception) {
          // An image may have fewer.
        }
      }
      packages = new Packages(evaluator);
      evaluator.Run(Usings);
    }

    static string Token(string assembly) {
      return assembly == "Microsoft.CSharp" || assembly == "System.Net.Http" ? "b03f5f7f11d50a3a" : "b77a5c561934e089";
    }

    /// Has compiled and run what the first cell would wait for.
    public void WarmUp() {
      object value = null;
      foreach (var text in new[] { "var hothouse_warm = new List<int> { 1 };", "hothouse_warm.Select(x => x + 1).Sum()", "class HothouseWarm { public int X => 1; }" })
        Compile(text)?.Invoke(ref value);
      Formatter.Format(new[] { 1 });
      evaluator.GetCompletions("Math.", out _);
    }

    /// `given`: code that declares the variables of a run, which sends them back; null where it has none.
    public void Run(string name, string code, string given, Channel channel) {
      this.name = name;
      this.code = code;
      var end = runner.Run(() => {
        if (!string.IsNullOrEmpty(given)) Declare(given);
        Execute(channel);
      });
      var status = Exit.Status.HasValue ? Exit.Status.Value & 0xFF : (int?)null;
      var error = ErrorOf(end, status);
      if (error != null) channel.Send(error);
      if (given != null) SendState(channel);
      if (status.HasValue) channel.Send("done", status == 0 ? "ok" : "error", status.ToString());
      else channel.Send("done", end == null ? "ok" : end is ThreadAbortException ? "interrupted" : "error", "");
    }

    /// The message about what has ended the cell; null where it has ended well.
    string[] ErrorOf(Exception end, int? status) {
      if (status.HasValue) return status == 0 ? null : new[] { "error", "Exit", status.ToString(), "" };
      if (end is ThreadAbortException) return new[] { "error", "Interrupt", "The cell was interrupted.", "" };
      if (end == null) return null;
      while (end is AggregateException && ((AggregateException)end).InnerExceptions.Count == 1) end = end.InnerException;
      var problem = end as CellProblem;
      if (problem != null) return new[] { "error", problem.Name, problem.Message, problem.Details };
      var advice = Advice.On(end);
      var text = Traceback.Of(end, name, Line.Current) + (advice == "" ? "" : "\n" + advice);
      return new[] { "error", end.GetType().Name, end.Message + (advice == "" ? "" : "\n" + advice), text };
    }

    void Declare(string variables) {
      object value = null;
      var method = Compile(variables);
      if (method == null) throw new CellProblem("StateError", "The variables given to the run cannot be declared.");
      method(ref value);
    }

    void SendState(Channel channel) {
      // User code may compute items of a list.
      string[] message = { "state" };
      runner.Run(() => message = Variables.Message(evaluator));
      channel.Send(message);
    }

    void Execute(Channel channel) {
      packages.Refresh();
      var units = Source.Split(code);
      foreach (var unit in units.Where(unit => unit.Kind == UnitKind.Directive)) Obey(unit);
      foreach (var unit in units.Where(unit => unit.Kind == UnitKind.Using)) Define(unit);
      // Types and methods may come after what uses them, and may use variables of the cell.
      var late = units.Where(IsDefinition).Where(unit => !TryDefine(unit, units)).ToList();
      var statements = new List<Unit>();
      foreach (var unit in units) {
        if (unit.Kind == UnitKind.Statement) statements.Add(unit);
        else if (late.Contains(unit)) {
          RunStatements(statements, channel);
          statements.Clear();
          Define(unit);
        }
      }
      RunStatements(statements, channel);
    }

    static bool IsDefinition(Unit unit) {
      return unit.Kind == UnitKind.Type || unit.Kind == UnitKind.Method;
    }

    // Definitions

    bool TryDefine(Unit unit, List<Unit> units) {
      // One that uses a later variable of the cell must not get an earlier one of another cell.
      if (units.Any(other => other.Kind == UnitKind.Statement && other.Line < unit.Line && Declares(other, unit))) return false;
      try {
        Define(unit);
        return true;
      } catch (CellProblem) {
        return false;
      }
    }

    /// Whether the statement may declare a name that the definition uses.
    static bool Declares(Unit statement, Unit definition) {
      var equals = statement.Text.IndexOf('=');
      if (equals <= 0) return false;
      var word = statement.Text.Substring(0, equals).TrimEnd().Split(' ', '\t', '\n').Last();
      return word != "" && definition.Text.Contains(word);
    }

    void Define(Unit unit) {
      var text = new Text();
      if (unit.Kind == UnitKind.Method) {
        // A class of its own for each name: another cell replaces it.
        text.Insert("public static class HothouseMethod_" + unit.Name + "{public static ");
        text.Add(new Unit { Text = WithoutModifiers(unit.Text), Line = unit.Line, Column = unit.Column });
        text.Insert("}");
      } else {
        // Variables of cells are public, and so their types must be.
        if (unit.Text.StartsWith("delegate ")) text.Insert("public ");
        text.Add(unit);
      }
      CompileOrFail(text);
      if (unit.Kind == UnitKind.Method && methods.Add(unit.Name)) evaluator.Run("using static HothouseMethod_" + unit.Name + ";");
    }

    static string WithoutModifiers(string method) {
      foreach (var modifier in new[] { "public ", "private ", "internal ", "static " })
        if (method.StartsWith(modifier)) return WithoutModifiers(method.Substring(modifier.Length).TrimStart());
      return method;
    }

    void Obey(Unit unit) {
      var parts = unit.Text.Split(new[] { ' ', '\t' }, 2, StringSplitOptions.RemoveEmptyEntries);
      var argument = parts.Length > 1 ? parts[1].Trim().TrimEnd(';').Trim('"') : "";
      if (parts[0] == "#r") Reference(argument, unit.Line);
      else if (parts[0] == "#i") throw Refused(unit.Line, "The index of NuGet is set by the option packages.nugetIndex.");
      else if (parts[0] == "#load") throw Refused(unit.Line, "#load is not supported. Paste the code of the file into a cell.");
    }

    void Reference(string assembly, int line) {
      if (assembly.StartsWith("nuget:", StringComparison.OrdinalIgnoreCase)) {
        RequirePackage(assembly.Substring("nuget:".Length), line);
        return;
      }
      if (!references.Add(assembly)) return;
      try {
        evaluator.ReferenceAssembly(assembly.EndsWith(".dll") ? Assembly.LoadFrom(Path.GetFullPath(assembly)) : LoadByName(assembly));
      } catch (Exception error) {
        throw Refused(line, "The assembly " + assembly + " cannot be loaded: " + error.Message);
      }
    }

    /// A run without a session gets here: what a session lacks was installed before the cell.
    void RequirePackage(string reference, int line) {
      var parts = reference.Split(new[] { ',' }, 2);
      var id = parts[0].Trim();
      var wanted = parts.Length > 1 ? parts[1].Trim() : "";
      var version = packages.VersionOf(id);
      if (version == null) throw Refused(line, "The package " + id + " is not there. " + Advice.NoPackage);
      var isVersion = wanted != "" && char.IsDigit(wanted[0]) && !wanted.Contains("*");
      if (isVersion && wanted != version) throw Refused(line, "The package " + id + " is there in version " + version + ", not " + wanted + ". " + Advice.NoPackage);
    }

    static Assembly LoadByName(string name) {
#pragma warning disable 618
      return Assembly.LoadWithPartialName(name) ?? throw new FileNotFoundException("the image does not have it.");
#pragma warning restore 618
    }

    CellProblem Refused(int line, string message) {
      return new CellProblem("DirectiveError", message, name + ", line " + line + ": " + message);
    }

    // Statements

    void RunStatements(List<Unit> statements, Channel channel) {
      if (statements.Count == 0) return;
      var last = statements[statements.Count - 1];
      var awaits = statements.Any(unit => unit.HasAwait);
      var method = TryCompile(Marked(statements));
      // The value of an awaited expression is not that of the compiled method, which is a task. And `a * b` alone declares a
      // pointer to the compiler.
      if (last.IsOpen && (awaits || method == null)) {
        var kept = TryCompile(Marked(statements, "var " + Value + "=", ";"));
        if (kept != null) {
          Invoke(kept, awaits);
          Show(Invoke(Compile(Value), false), channel);
          return;
        }
      }
      var value = Invoke(method ?? CompileOrFail(Marked(statements)), awaits);
      if (last.IsOpen) Show(value, channel);
    }

    /// The statements, with texts around the last one.
    static Text Marked(List<Unit> statements, string before = "", string after = "") {
      var text = new Text();
      foreach (var unit in statements.Take(statements.Count - 1)) text.AddMarked(unit);
      text.AddMarked(statements[statements.Count - 1], before, after);
      return text;
    }

    /// The value of the method's last expression, or `NoValue`.
    static object Invoke(CompiledMethod method, bool awaits) {
      object value = NoValue;
      method(ref value);
      if (!awaits) return value;
      (value as Task)?.GetAwaiter().GetResult();
      return NoValue;
    }

    static void Show(object value, Channel channel) {
      if (value != NoValue) channel.Send("result", "text/plain", Formatter.Format(value));
    }

    // The compiler

    CompiledMethod Compile(string text) {
      CompiledMethod method;
      var rest = evaluator.Compile(text, out method);
      return rest == null ? method : null;
    }

    /// null where the text has errors.
    CompiledMethod TryCompile(Text text) {
      try {
        return CompileOrFail(text);
      } catch (CellProblem) {
        return null;
      }
    }

    CompiledMethod CompileOrFail(Text text) {
      messages.Clear();
      CompiledMethod method;
      string rest;
      try {
        rest = evaluator.Compile(text.ToString(), out method);
      } catch (ThreadAbortException) {
        throw;
      } catch (Exception error) {
        throw new CellProblem("CompilationError", "The compiler failed: " + error.Message);
      }
      if (messages.HasErrors) throw Failure(text);
      if (rest != null) throw new CellProblem("CompilationError", "The code ends in the middle of a statement.", name + ": the code ends in the middle of a statement.");
      foreach (var warning in messages.Found.Where(IsOfUser)) Console.Error.WriteLine(Describe(warning, text));
      return method;
    }

    static bool IsOfUser(AbstractMessage warning) {
      return warning.Code != 105 && !warning.Text.Contains("hothouse");
    }

    CellProblem Failure(Text text) {
      var errors = messages.Found.Where(message => !message.IsWarning).ToList();
      var lines = code.Split('\n');
      var details = new StringBuilder();
      foreach (var error in errors) {
        details.AppendLine(name + Describe(error, text));
        var row = error.Location.Row;
        if (row < 1 || row > lines.Length) continue;
        details.AppendLine("    " + lines[row - 1]);
        details.AppendLine("    " + new string(' ', text.ColumnOf(row, error.Location.Column) - 1) + "^");
      }
      var advice = Advice.OnCompilerError(errors[0].Code, lines.ElementAtOrDefault(errors[0].Location.Row - 1) ?? "");
      if (advice != "") advice = "\n" + advice;
      return new CellProblem("CompilationError", Describe(errors[0], text) + advice, details.ToString().TrimEnd() + advice);
    }

    static string Describe(AbstractMessage message, Text text) {
      var row = message.Location.Row;
      var kind = message.IsWarning ? "warning" : "error";
      return string.Format("({0},{1}): {2} CS{3:D4}: {4}", row, text.ColumnOf(row, message.Location.Column), kind, message.Code, message.Text);
    }

    // Completions

    /// The message with the completions at `cursor`.
    public string[] Complete(string text, int cursor) {
      var start = cursor;
      var matches = new string[0];
      runner.Run(() => {
        var before = text.Substring(0, cursor);
        var unit = Source.Split(before).LastOrDefault();
        string prefix = null;
        var found = unit == null ? null : evaluator.GetCompletions(unit.Text, out prefix);
        prefix = prefix ?? "";
        start = cursor - prefix.Length;
        matches = found == null ? matches : found.Select(rest => prefix + rest).ToArray();
      });
      messages.Clear();
      return new[] { "completions", start.ToString(), cursor.ToString() }.Concat(matches).ToArray();
    }
  }
}
