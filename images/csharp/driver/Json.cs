using System;
using System.Collections;
using System.Globalization;
using System.Linq;
using System.Text;

namespace Hothouse {
  /// Values as JSON.
  static class Json {
    const int MaxDepth = 64;
    const int MaxLength = 1 << 23;

    /// null for what JSON does not have, and for what is too large or too deep.
    public static string Of(object value) {
      var text = new StringBuilder();
      return Write(value, text, 0) ? text.ToString() : null;
    }

    static bool Write(object value, StringBuilder text, int depth) {
      if (depth > MaxDepth || text.Length > MaxLength) return false;
      if (value == null) text.Append("null");
      else if (value is bool) text.Append((bool)value ? "true" : "false");
      else if (value is string || value is char) Quote(value.ToString(), text);
      else if (value is IDictionary) return WriteMembers((IDictionary)value, text, depth);
      // Others may compute their items, without end.
      else if (value is Array || value is IList) return WriteItems((IList)value, text, depth);
      else return WriteNumber(value, text);
      return true;
    }

    static bool WriteNumber(object value, StringBuilder text) {
      var type = value.GetType();
      if (!type.IsPrimitive && type != typeof(decimal) || type == typeof(IntPtr) || type == typeof(UIntPtr)) return false;
      var isExact = value is double || value is float;
      if (isExact && (double.IsNaN(Convert.ToDouble(value)) || double.IsInfinity(Convert.ToDouble(value)))) return false;
      text.Append(((IFormattable)value).ToString(isExact ? "R" : null, CultureInfo.InvariantCulture));
      return true;
    }

    static bool WriteItems(IList items, StringBuilder text, int depth) {
      if ((items as Array)?.Rank > 1) return false;
      var before = '[';
      foreach (var item in items) {
        text.Append(before);
        before = ',';
        if (!Write(item, text, depth + 1)) return false;
      }
      text.Append(before == '[' ? "[]" : "]");
      return true;
    }

    static bool WriteMembers(IDictionary members, StringBuilder text, int depth) {
      if (members.Keys.Cast<object>().Any(key => !(key is string))) return false;
      var before = '{';
      foreach (DictionaryEntry member in members) {
        text.Append(before);
        before = ',';
        Quote((string)member.Key, text);
        text.Append(':');
        if (!Write(member.Value, text, depth + 1)) return false;
      }
      text.Append(before == '{' ? "{}" : "}");
      return true;
    }

    static void Quote(string value, StringBuilder text) {
      text.Append('"');
      foreach (var c in value) {
        if (c == '"' || c == '\\') text.Append('\\').Append(c);
        else if (c < ' ' || char.IsSurrogate(c)) text.AppendFormat("\\u{0:x4}", (int)c);
        else text.Append(c);
      }
      text.Append('"');
    }
  }
}
