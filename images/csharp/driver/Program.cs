using System;
using System.Collections.Generic;
using System.Threading;
using Mono.Unix;

namespace Hothouse {
  /// The driver of C#: takes requests from descriptor 3 and answers on descriptor 4, as relay.py describes.
  static class Program {
    static readonly Channel channel = new Channel(new UnixStream(3, false), new UnixStream(4, false));
    static readonly Runner runner = new Runner(channel);

    static void Main() {
      Streams.Install();
      var session = new Session(runner);
      session.WarmUp();
      channel.Send("ready");
      var requests = new Queue<string[]>();
      // Interrupts arrive while a cell runs, so another thread reads.
      var reader = new Thread(() => Read(requests)) { IsBackground = true };
      reader.Start();
      string[] request;
      while ((request = Next(requests)) != null) {
        if (request[0] == "complete") {
          channel.Send(session.Complete(request[1], int.Parse(request[2])));
          continue;
        }
        Streams.RestartInput();
        session.Run(request[1], request[2], request.Length > 4 ? request[4] : null, channel);
        // The process ends as a program does: when its last foreground thread has ended.
        if (request[3] == "once") return;
      }
      Environment.Exit(0);
    }

    static void Read(Queue<string[]> requests) {
      while (true) {
        var request = channel.Receive();
        if (request != null && request[0] == "interrupt") {
          runner.Interrupt();
          continue;
        }
        lock (requests) {
          requests.Enqueue(request);
          Monitor.Pulse(requests);
        }
        if (request == null) return;
      }
    }

    static string[] Next(Queue<string[]> requests) {
      lock (requests) {
        while (requests.Count == 0) Monitor.Wait(requests);
        return requests.Dequeue();
      }
    }
  }
}
