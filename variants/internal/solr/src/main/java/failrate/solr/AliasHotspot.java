package failrate.solr;

/** The program of the study solr-alias-hotspot: one cluster, and rounds of queries through an alias. */
public final class AliasHotspot {
  private AliasHotspot() {}

  public static void main(String[] words) {
    Options o = Options.parse(words);
    AliasRun run = new AliasRun(o);
    o.done();
    System.setProperty("metricsEnabled", "true");
    JUnit.run(run.ledger, AliasRouting.class, 1);
  }
}
