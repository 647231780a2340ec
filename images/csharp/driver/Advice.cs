using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;

namespace Hothouse {
  /// What to do about an error that has to do with the sandbox, as one line; empty for all others.
  static class Advice {
    const string NoNetwork = "Sandboxes have no network. Put the data into the session as files, or let the user allow its host (network.policy: allow, network.allow).";
    const string NoAssembly = "A line #r \"nuget: NAME\" in a session installs a package of NuGet.";
    public const string NoPackage = "Packages are installed into sessions and environments: open a session, or create an environment with this package.";

    // Of the compiler: an unknown member of a namespace, and an unknown type or namespace.
    static readonly int[] unknown = { 234, 246 };

    public static string On(Exception error) {
      for (; error != null; error = error.InnerException)
        if (IsUnresolved(error) && !HasNetwork()) return NoNetwork;
      return "";
    }

    public static string OnCompilerError(int code, string line) {
      return unknown.Contains(code) && line.TrimStart().StartsWith("using ") ? NoAssembly : "";
    }

    static bool IsUnresolved(Exception error) {
      var socket = error as SocketException;
      if (socket != null) return socket.SocketErrorCode == SocketError.HostNotFound || socket.SocketErrorCode == SocketError.TryAgain || socket.SocketErrorCode == SocketError.NoData;
      return (error as WebException)?.Status == WebExceptionStatus.NameResolutionFailure;
    }

    /// Whether there is an interface but the sandbox's own loopback.
    static bool HasNetwork() {
      return File.ReadLines("/proc/net/dev").Any(line => line.Contains(":") && !line.TrimStart().StartsWith("lo:"));
    }
  }
}
