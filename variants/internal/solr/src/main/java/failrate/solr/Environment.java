package failrate.solr;

/** Settings of the test framework that come from where failrate runs us. */
final class Environment {
  private Environment() {}

  static void set(int rounds) {
    System.setProperty("tests.iters", String.valueOf(rounds));
    String seed = System.getenv("FAILRATE_SEED");
    if (seed != null) {
      System.setProperty("tests.seed", Long.toHexString(Long.parseUnsignedLong(seed)));
    }
    String temp = System.getenv("TMPDIR");
    if (temp != null) {
      System.setProperty("java.io.tmpdir", temp);
      System.setProperty("tempDir", temp);
    }
  }
}
