package failrate.solr;

import java.lang.reflect.Field;
import org.apache.solr.cloud.ActionThrottle;
import org.apache.solr.core.SolrCore;
import org.apache.solr.embedded.JettySolrRunner;
import org.apache.solr.update.DefaultSolrCoreState;

/**
 * Solr lets ten seconds pass between two recoveries of a core. In a new cluster that outlasts the cut, so no recovery
 * begins before its end. In a cluster that is used again a shorter wait does the same.
 */
final class Throttle {
  private static final long WAIT_MS = 2500; // the cut lasts 2 s

  private Throttle() {}

  /** Has the core's next recovery begin WAIT_MS from now. */
  static void begin(JettySolrRunner node, String core) throws ReflectiveOperationException {
    Field throttle = DefaultSolrCoreState.class.getDeclaredField("recoveryThrottle");
    Field wait = ActionThrottle.class.getDeclaredField("minMsBetweenActions");
    throttle.setAccessible(true);
    wait.setAccessible(true);
    try (SolrCore c = node.getCoreContainer().getCore(core)) {
      ActionThrottle t = (ActionThrottle) throttle.get(c.getSolrCoreState());
      wait.set(t, WAIT_MS);
      t.markAttemptingAction();
    }
  }
}
