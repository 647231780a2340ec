using System;
using System.Collections;
using System.Globalization;
using System.Linq;
using System.Text;

namespace Hothouse {
  /// Values as C# would write them.
  static class Formatter {
    const int MaxItems = 100;
    const int MaxLength = 1 << 20;
    const int MaxDepth = 4;

    public static string Format(object value) {
      var text = Format(value, 0);
      return text.Length <= MaxLength ? text : text.Substring(0, MaxLength) + "…";
    }

    static string Format(object value, int depth) {
      if (value == null) return "null";
      var text = value as string;
      if (text != null) return Quoted(text, '"');
      if (value is char) return Quoted(value.ToString(), '\'');
      if (value is bool) return (bool)value ? "true" : "false";
      var items = value as IEnumerable;
      if (items != null && depth < MaxDepth && !HasOwnText(value)) return TypeName(value.GetType()) + " " + Items(items, depth);
      var formattable = value as IFormattable;
      return formattable != null ? formattable.ToString(null, CultureInfo.InvariantCulture) : value.ToString() ?? "";
    }

    static bool HasOwnText(object value) {
      var method = value.GetType().GetMethod("ToString", Type.EmptyTypes);
      return method != null && method.DeclaringType != typeof(object) && method.DeclaringType != typeof(ValueType);
    }

    static string Items(IEnumerable items, int depth) {
      var text = new StringBuilder("{ ");
      var count = 0;
      foreach (var item in items) {
        if (count > 0) text.Append(", ");
        if (count++ == MaxItems) {
          text.Append("…");
          break;
        }
        text.Append(Item(item, depth + 1));
      }
      return count == 0 ? "{ }" : text.Append(" }").ToString();
    }

    static string Item(object item, int depth) {
      if (item is DictionaryEntry) {
        var entry = (DictionaryEntry)item;
        return "{ " + Format(entry.Key, depth) + ", " + Format(entry.Value, depth) + " }";
      }
      var type = item?.GetType();
      if (type != null && type.IsGenericType && type.GetGenericTypeDefinition() == typeof(System.Collections.Generic.KeyValuePair<,>))
        return "{ " + Format(type.GetProperty("Key").GetValue(item), depth) + ", " + Format(type.GetProperty("Value").GetValue(item), depth) + " }";
      return Format(item, depth);
    }

    static string TypeName(Type type) {
      if (type.IsArray) return Short(type.GetElementType()) + "[" + new string(',', type.GetArrayRank() - 1) + "]";
      return Short(type);
    }

    static string Short(Type type) {
      if (!type.IsGenericType) return Keyword(type) ?? type.Name;
      var name = type.Name.Contains("`") ? type.Name.Substring(0, type.Name.IndexOf('`')) : type.Name;
      return name + "<" + string.Join(", ", type.GetGenericArguments().Select(Short)) + ">";
    }

    static string Keyword(Type type) {
      switch (Type.GetTypeCode(type)) {
        case TypeCode.Boolean: return "bool";
        case TypeCode.Byte: return "byte";
        case TypeCode.Char: return "char";
        case TypeCode.Decimal: return "decimal";
        case TypeCode.Double: return "double";
        case TypeCode.Int32: return type.IsEnum ? null : "int";
        case TypeCode.Int64: return type.IsEnum ? null : "long";
        case TypeCode.Single: return "float";
        case TypeCode.String: return "string";
      }
      return type == typeof(object) ? "object" : null;
    }

    static string Quoted(string text, char quote) {
      var quoted = new StringBuilder().Append(quote);
      foreach (var c in text) {
        switch (c) {
          case '\n': quoted.Append("\\n"); break;
          case '\r': quoted.Append("\\r"); break;
          case '\t': quoted.Append("\\t"); break;
          case '\\': quoted.Append("\\\\"); break;
          case '\0': quoted.Append("\\0"); break;
          default: quoted.Append(c == quote ? "\\" + c : c.ToString()); break;
        }
      }
      return quoted.Append(quote).ToString();
    }
  }
}
