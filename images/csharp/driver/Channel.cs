using System.IO;
using System.Text;

namespace Hothouse {
  /// Lists of texts in both directions.
  class Channel {
    readonly BinaryReader reader;
    readonly Stream output;

    public Channel(Stream input, Stream output) {
      reader = new BinaryReader(new BufferedStream(input), Encoding.UTF8);
      this.output = output;
    }

    /// The next list; null at the end.
    public string[] Receive() {
      try {
        var fields = new string[reader.ReadInt32()];
        for (var i = 0; i < fields.Length; i++) fields[i] = Encoding.UTF8.GetString(reader.ReadBytes(reader.ReadInt32()));
        return fields;
      } catch (EndOfStreamException) {
        return null;
      }
    }

    public void Send(params string[] fields) {
      var message = new MemoryStream();
      var writer = new BinaryWriter(message);
      writer.Write(fields.Length);
      foreach (var field in fields) {
        var bytes = Encoding.UTF8.GetBytes(field);
        writer.Write(bytes.Length);
        writer.Write(bytes);
      }
      Streams.Flush();
      lock (output) output.Write(message.GetBuffer(), 0, (int)message.Length);
    }
  }
}
