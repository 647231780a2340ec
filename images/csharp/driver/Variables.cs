using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using Mono.CSharp;

namespace Hothouse {
  /// The variables that cells have declared.
  static class Variables {
    // The compiler shows them as text only.
    static readonly FieldInfo fields = typeof(Evaluator).GetField("fields", BindingFlags.NonPublic | BindingFlags.Instance);

    /// The message with the names and values that JSON has.
    public static string[] Message(Evaluator evaluator) {
      var message = new List<string> { "state" };
      foreach (var variable in Of(evaluator).OrderBy(variable => variable.Key, StringComparer.Ordinal)) {
        var json = Json.Of(variable.Value);
        if (json != null) message.AddRange(new[] { variable.Key, json });
      }
      return message.ToArray();
    }

    static IEnumerable<KeyValuePair<string, object>> Of(Evaluator evaluator) {
      var declared = (IDictionary)fields.GetValue(evaluator);
      foreach (DictionaryEntry entry in declared) {
        var name = (string)entry.Key;
        var field = ((Tuple<FieldSpec, FieldInfo>)entry.Value).Item2;
        if (field != null && !name.StartsWith("hothouse_")) yield return new KeyValuePair<string, object>(name, field.GetValue(null));
      }
    }
  }
}
