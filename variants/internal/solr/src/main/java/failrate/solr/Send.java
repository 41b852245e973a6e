package failrate.solr;

/** The program of the study solr-send. */
public final class Send {
  private Send() {}

  public static void main(String[] words) {
    Options o = Options.parse(words);
    SendRun run = new SendRun(o);
    o.done();
    JUnit.run(run.base.ledger, SendAfterCut.class, 1);
  }
}
