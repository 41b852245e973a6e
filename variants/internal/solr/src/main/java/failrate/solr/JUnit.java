package failrate.solr;

import org.junit.runner.JUnitCore;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Runs a test a number of times; then ends the JVM. */
final class JUnit extends RunListener {
  private final Ledger ledger;

  private JUnit(Ledger ledger) {
    this.ledger = ledger;
  }

  static void run(Ledger ledger, Class<?> test, int times) {
    Environment.set(times);
    JUnitCore core = new JUnitCore();
    core.addListener(new JUnit(ledger));
    core.run(test);
    System.out.flush();
    Runtime.getRuntime().halt(0); // what the cluster left must not decide how the trial ends
  }

  /** A failure is the harness's: what a round is about is a result that the test notes. */
  @Override
  public void testFailure(Failure failure) {
    failure.getException().printStackTrace(System.out);
    ledger.broken(failrate.solr.Failure.text(failure.getException()));
  }

  @Override
  public void testAssumptionFailure(Failure failure) {
    testFailure(failure);
  }
}
