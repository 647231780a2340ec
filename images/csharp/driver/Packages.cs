using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using Mono.CSharp;

namespace Hothouse {
  /// The packages of NuGet: those of the image, and those that were installed into this session. The engine puts the latter in
  /// folders of /packages, which only root writes.
  class Packages {
    const string OfImage = "/usr/local/lib/nuget";
    const string Root = "/packages";
    // One file for each folder that is complete.
    const string Index = Root + "/index";

    readonly Evaluator evaluator;
    readonly HashSet<string> known = new HashSet<string>();
    readonly Dictionary<string, string> files = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
    readonly Dictionary<string, string> versions = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

    public Packages(Evaluator evaluator) {
      this.evaluator = evaluator;
      // For assemblies that others require.
      AppDomain.CurrentDomain.AssemblyResolve += (_, wanted) => {
        string file;
        return files.TryGetValue(new AssemblyName(wanted.Name).Name, out file) ? Assembly.LoadFrom(file) : null;
      };
      Add(OfImage);
    }

    /// Before a cell: makes new packages usable. An assembly that is loaded already stays.
    public void Refresh() {
      if (!Directory.Exists(Index)) return;
      var added = Directory.GetFiles(Index).Select(Path.GetFileName).Where(known.Add).OrderBy(name => name, StringComparer.Ordinal);
      foreach (var name in added.ToList()) Add(Path.Combine(Root, name));
    }

    /// The version of a package; null where there is none.
    public string VersionOf(string name) {
      string version;
      return versions.TryGetValue(name, out version) ? version : null;
    }

    void Add(string folder) {
      var list = Path.Combine(folder, "list");
      if (!File.Exists(list)) return;
      foreach (var pair in File.ReadLines(list).Select(line => line.Split('@')).Where(pair => pair.Length == 2)) versions[pair[0]] = pair[1];
      var library = Path.Combine(folder, "lib");
      if (!Directory.Exists(library)) return;
      var names = Directory.GetFiles(library, "*.dll").OrderBy(file => file, StringComparer.Ordinal).ToList();
      foreach (var file in names) files[Path.GetFileNameWithoutExtension(file)] = file;
      foreach (var file in names) Load(file);
    }

    void Load(string file) {
      try {
        var name = AssemblyName.GetAssemblyName(file).Name;
        if (AppDomain.CurrentDomain.GetAssemblies().Any(loaded => loaded.GetName().Name == name)) return;
        evaluator.ReferenceAssembly(Assembly.LoadFrom(file));
      } catch (BadImageFormatException) {
        // A library of machine code, which an assembly loads itself.
      } catch (Exception error) {
        Console.Error.WriteLine("The assembly " + Path.GetFileName(file) + " of a package cannot be loaded: " + error.Message);
      }
    }
  }
}
