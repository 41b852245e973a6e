package failrate.solr;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** One measurement: what happened, and the class of a failure. The names are those of failrate's records. */
final class Round {
  private String outcome = "broken";
  private String failure = "";
  private String message = "nothing was measured";
  private final TreeSet<String> evidence = new TreeSet<>();
  private final Map<String, Double> metrics = new TreeMap<>();
  private final Map<String, String> facts = new TreeMap<>();

  Round pass() {
    outcome = "pass";
    failure = message = "";
    return this;
  }

  Round fail(String failureClass, String why) {
    outcome = "fail";
    failure = failureClass;
    message = clip(why);
    return this;
  }

  /** The round could not be run, or something else went wrong in it: it says nothing about the subject. */
  Round broken(String why) {
    outcome = "broken";
    failure = "";
    message = clip(why);
    return this;
  }

  Round seen(String mark) {
    evidence.add(mark);
    return this;
  }

  Round metric(String name, double value) {
    if (Double.isFinite(value)) {
      metrics.put(name, value);
    }
    return this;
  }

  Round fact(String name, String value) {
    facts.put(name, value);
    return this;
  }

  Map<String, Object> asMap() {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("outcome", outcome);
    if (!failure.isEmpty()) {
      m.put("class", failure);
    }
    if (!message.isEmpty()) {
      m.put("message", message);
    }
    if (!evidence.isEmpty()) {
      m.put("evidence", evidence);
    }
    if (!metrics.isEmpty()) {
      m.put("metrics", metrics);
    }
    if (!facts.isEmpty()) {
      m.put("facts", facts);
    }
    return m;
  }

  private static String clip(String s) {
    return s.length() <= 1500 ? s : s.substring(0, 1500) + "...";
  }
}
