using System.Threading;

namespace Hothouse {
  /// Ends the cell with an exit status. The session continues.
  static class Exit {
    static readonly object gate = new object();
    static Thread cell;

    /// The status that the cell has ended with; null where it has not called Exit.
    public static int? Status { get; private set; }

    public static void Begin(Thread thread) {
      lock (gate) {
        cell = thread;
        Status = null;
      }
    }

    public static void With(int status) {
      lock (gate) {
        Status = status;
        if (Thread.CurrentThread != cell) cell.Abort();
      }
      Thread.CurrentThread.Abort();
    }
  }
}

namespace System {
  /// Stands for Environment.Exit in cells, with a name of the same length, so that columns stay.
  public static class HothouseRun {
    public static void Exit(int status) { Hothouse.Exit.With(status); }
  }
}
