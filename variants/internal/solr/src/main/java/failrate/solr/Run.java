package failrate.solr;

import org.apache.solr.client.solrj.impl.HttpClientUtil;

/** What one JVM measures: its choices, and what the rounds share. JUnit makes the tests, so they find it here. */
final class Run {
  private static volatile Run current;

  final String cut; // close, pause-then-close or none
  final boolean asShipped; // the client that Solr's own test makes, coins and all
  final boolean replicaFirst; // try the replica that is not the leader first
  final Clients.Route firstRoute; // of the client before the cut
  final Clients.Route secondRoute; // of a new client after it; null when there is none
  final int perCluster; // rounds
  final Wiretap tap = new Wiretap();
  final Burst burst = new Burst();
  final LogWatch watch = LogWatch.begin();
  final Clients clients;
  final Ledger ledger = new Ledger();

  Run(Options o, int rounds) {
    perCluster = o.one("cluster", "kept", "fresh").equals("kept") ? rounds : 1;
    cut = o.one("cut", "close", "pause-then-close", "none");
    String client = o.one("client", "jetty-h2", "jetty-h1", "apache", "as-shipped");
    String rule = o.one("rule", "shipped", "unsent", "closed-channel", "all");
    String route = o.one("route", "any-replica", "replica-first", "leaders-first", "leaders-only");
    System.setProperty("cloudSolrClientMaxStaleRetries", String.valueOf(o.number("cloud-retries", 5)));
    asShipped = client.equals("as-shipped");
    replicaFirst = route.equals("replica-first");
    clients = new Clients(asShipped ? "apache" : client, rule, tap);
    firstRoute = route.equals("leaders-only") ? Clients.Route.LEADER_ONLY : Clients.Route.ANY_REPLICA;
    secondRoute = route.equals("leaders-first") ? Clients.Route.LEADER_FIRST : null;
    if (clients.kind.equals("apache")) {
      HttpClientUtil.addRequestInterceptor(tap);
    }
    current = this;
  }

  static Run current() {
    return current;
  }
}
