package failrate.solr;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** The words after a program's name: {@code --name value}, of which the last of a name counts. */
final class Options {
  private final Map<String, String> given = new TreeMap<>();
  private final TreeSet<String> asked = new TreeSet<>();

  static Options parse(String[] words) {
    Options o = new Options();
    for (int i = 0; i < words.length; i += 2) {
      if (!words[i].startsWith("--") || i + 1 == words.length) {
        throw new IllegalArgumentException("expected --name value, not \"" + words[i] + "\"");
      }
      o.given.put(words[i].substring(2), words[i + 1]);
    }
    return o;
  }

  String word(String name, String otherwise) {
    asked.add(name);
    return given.getOrDefault(name, otherwise);
  }

  /** One of some words; the first is the default. */
  String one(String name, String... known) {
    String word = word(name, known[0]);
    if (!List.of(known).contains(word)) {
      throw new IllegalArgumentException(
          "--" + name + " " + word + " is none of " + String.join(", ", known));
    }
    return word;
  }

  int number(String name, int otherwise) {
    String word = word(name, Integer.toString(otherwise));
    try {
      return Integer.parseInt(word);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("--" + name + " " + word + " is not a whole number", e);
    }
  }

  /** A time such as 50us, 1ms or 3.5s, in nanoseconds. */
  long nanos(String name, String otherwise) {
    String word = word(name, otherwise);
    String unit = word.replaceFirst("^[0-9.]+", "");
    Long one = Map.of("ns", 1L, "us", 1_000L, "ms", 1_000_000L, "s", 1_000_000_000L).get(unit);
    try {
      return Math.round(one * Double.parseDouble(word.substring(0, word.length() - unit.length())));
    } catch (NullPointerException | NumberFormatException e) {
      throw new IllegalArgumentException("--" + name + " " + word + " is not a time such as 50us", e);
    }
  }

  /** Refuses names that nothing has asked for. To be called when all options have been read. */
  void done() {
    for (String name : given.keySet()) {
      if (!asked.contains(name)) {
        throw new IllegalArgumentException("there is no --" + name + "; known are " + asked);
      }
    }
  }

  static String text(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }
}
