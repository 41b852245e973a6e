package failrate.solr;

/** What one JVM of the study solr-send measures, beside the choices that it shares with solr-recovery. */
final class SendRun {
  private static volatile SendRun current;

  final Run base;
  final int rounds;
  final int warmup; // rounds that are not counted
  final long delay; // nanoseconds between the cut and the send
  final long idle; // nanoseconds that the connection is idle before the cut
  final boolean balancer; // send through the layer that goes from node to node

  SendRun(Options o) {
    rounds = o.number("rounds", 50);
    warmup = o.number("warmup", 5);
    delay = o.nanos("delay", "0s");
    idle = o.nanos("idle", "20ms");
    balancer = o.one("through", "node", "balancer").equals("balancer");
    base = new Run(o, rounds);
    current = this;
  }

  static SendRun current() {
    return current;
  }
}
