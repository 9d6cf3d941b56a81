using System;
using System.Collections;
using System.Reflection;

/// <summary>
/// Reads lines of two versions with a blank between them; prints -1, 0 or 1 for each with their
/// normal forms. NuGet.Versioning is a part of nuget.exe, whose path is the argument.
/// </summary>
class CompareNuget {
  static void Main(string[] arguments) {
    Assembly nuget = Assembly.LoadFrom(arguments[0]);
    Type version = nuget.GetType("NuGet.Versioning.NuGetVersion", true);
    Type comparer = nuget.GetType("NuGet.Versioning.VersionComparer", true);
    MethodInfo tryParse = version.GetMethod("TryParse", BindingFlags.Public | BindingFlags.Static);
    MethodInfo normal = version.GetMethod("ToNormalizedString", Type.EmptyTypes);
    object order = comparer.GetField("Default").GetValue(null);
    Type semantic = nuget.GetType("NuGet.Versioning.SemanticVersion", true);
    MethodInfo compare = comparer.GetMethod("Compare", new[] { semantic, semantic });
    for (string line = Console.ReadLine(); line != null; line = Console.ReadLine()) {
      string[] pair = line.Split(' ');
      object[] left = { pair[0], null };
      object[] right = { pair[1], null };
      if (!(bool)tryParse.Invoke(null, left) || !(bool)tryParse.Invoke(null, right)) {
        Console.WriteLine("none");
        continue;
      }
      int sign = Math.Sign((int)compare.Invoke(order, new[] { left[1], right[1] }));
      Console.WriteLine("{0} {1} {2}", sign, normal.Invoke(left[1], null), normal.Invoke(right[1], null));
    }
  }
}
