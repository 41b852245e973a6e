package failrate.solr;

/** The program of the study solr-recovery: RecoveryAfterCut, a number of rounds in one JVM. */
public final class Recovery {
  private Recovery() {}

  public static void main(String[] words) {
    Options o = Options.parse(words);
    int rounds = o.number("rounds", 5);
    Run run = new Run(o, rounds);
    o.done();
    JUnit.run(run.ledger, RecoveryAfterCut.class, rounds / run.perCluster);
  }
}
