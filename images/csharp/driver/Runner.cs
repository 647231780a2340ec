using System;
using System.Threading;

namespace Hothouse {
  /// Runs user code on a thread of its own, so that an interrupt can abort it.
  class Runner {
    // The main thread's stack would end a deep recursion later.
    const int StackBytes = 16 << 20;
    readonly Channel channel;
    readonly object gate = new object();
    Thread thread;

    public Runner(Channel channel) {
      this.channel = channel;
    }

    /// What ended the work: null, an exception, or a ThreadAbortException after an interrupt.
    public Exception Run(Action work) {
      Exception end = null;
      var worker = new Thread(() => {
        try {
          try {
            work();
          } finally {
            lock (gate) thread = null;
          }
        } catch (ThreadAbortException aborted) {
          Thread.ResetAbort();
          end = aborted;
        } catch (Exception error) {
          end = error;
        }
      }, StackBytes) { IsBackground = true };
      lock (gate) thread = worker;
      Exit.Begin(worker);
      worker.Start();
      channel.Send("begun");
      worker.Join();
      return end;
    }

    public void Interrupt() {
      lock (gate) if (thread != null) thread.Abort();
    }
  }
}
