using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using Mono.Unix;

namespace Hothouse {
  /// The console of user code: stdout and stderr in the order of writing, and the stdin of each cell.
  static class Streams {
    static readonly UTF8Encoding utf8 = new UTF8Encoding(false);
    static int last = 1;

    public static void Install() {
      Console.SetOut(Writer(1));
      Console.SetError(Writer(2));
    }

    static TextWriter Writer(int number) {
      var writer = new StreamWriter(new Ordered(number, new UnixStream(number, false)), utf8) { AutoFlush = true };
      return TextWriter.Synchronized(writer);
    }

    public static void Flush() {
      Console.Out.Flush();
      Console.Error.Flush();
    }

    /// Descriptor 0 has the input of the next cell now.
    public static void RestartInput() {
      Console.SetIn(new StreamReader(new UnixStream(0, false), utf8));
    }

    [DllImport("libc", SetLastError = true)]
    static extern int ioctl(int descriptor, UIntPtr request, ref int value);

    static readonly UIntPtr FIONREAD = (UIntPtr)0x541B;

    /// The agent empties each pipe separately: before another one is written to, the last one must be empty.
    static void WaitFor(int number) {
      if (last == number) return;
      int unread = 0;
      while (ioctl(last, FIONREAD, ref unread) == 0 && unread > 0) Thread.Sleep(0);
      last = number;
    }

    class Ordered : Stream {
      readonly int number;
      readonly Stream inner;

      public Ordered(int number, Stream inner) {
        this.number = number;
        this.inner = inner;
      }

      public override void Write(byte[] buffer, int offset, int count) {
        WaitFor(number);
        inner.Write(buffer, offset, count);
      }

      public override void Flush() { inner.Flush(); }
      public override bool CanRead { get { return false; } }
      public override bool CanSeek { get { return false; } }
      public override bool CanWrite { get { return true; } }
      public override long Length { get { throw new NotSupportedException(); } }
      public override long Position { get { throw new NotSupportedException(); } set { throw new NotSupportedException(); } }
      public override int Read(byte[] buffer, int offset, int count) { throw new NotSupportedException(); }
      public override long Seek(long offset, SeekOrigin origin) { throw new NotSupportedException(); }
      public override void SetLength(long value) { throw new NotSupportedException(); }
    }
  }
}
