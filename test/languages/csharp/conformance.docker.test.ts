import { conformanceSuite } from '../conformance.ts';

const CLEAN = `
var left = File.Exists("/workspace/mark.txt") || File.Exists("/tmp/mark.txt");
foreach (var folder in Directory.GetDirectories("/proc")) {
  try { left |= File.ReadAllText(folder + "/cmdline").Contains("3600"); } catch (Exception) { }
}
Console.WriteLine(left ? "left" : "clean");`;

conformanceSuite({
  language: 'csharp',
  print: 'Console.WriteLine("out"); Console.Error.WriteLine("err");',
  value: 'var a = 6;\na * 7',
  failing: {
    code: 'var one = 1;\nvar zero = 0;\nConsole.WriteLine(one / zero);',
    name: 'DivideByZeroException',
    text: /line 3/,
  },
  broken: { code: 'var x = (1;\n', name: 'CompilationError' },
  echo: 'Console.Write(Console.In.ReadToEnd());',
  busy: 'Console.WriteLine("on"); while (true) { }',
  waiting: 'Console.WriteLine("on"); Thread.Sleep(3600000);',
  flood: "Console.Write(new string('x', 2000000));",
  exit: 'Environment.Exit(3); Console.WriteLine("after");',
  bomb: 'var all = new List<double[]>(); while (true) { all.Add(Enumerable.Repeat(1.5, 1000000).ToArray()); }',
  set: 'var counter = 10;',
  get: 'Console.WriteLine(counter);',
  state: { code: 'n += 1;', n: 2 },
  define: 'int Twice(int n) { return n * 2; }',
  call: 'Console.WriteLine(Twice(21));',
  leave:
    'foreach (var f in new[] { "/workspace/mark.txt", "/tmp/mark.txt" }) File.WriteAllText(f, "x");\nSystem.Diagnostics.Process.Start("sleep", "3600");',
  look: CLEAN,
  limitSeconds: 6,
  completion: { code: 'Console.WriteLine(coun', match: 'counter' },
});
