package failrate.solr;

/** The choices of one JVM of the study solr-alias-hotspot. JUnit makes the test, so it finds them here. */
final class AliasRun {
  private static volatile AliasRun current;

  final String first; // what the alias begins with: tenant, anchor or widest
  final String path; // what is asked: the alias, or the first tenant itself
  final int nodes; // that hold data
  final int tenants; // collections of one shard
  final int replicas; // of each tenant
  final int coordinators; // further nodes without data, which the balancer then uses instead
  final int requests; // of a round
  final int rounds;
  final int atOnce; // requests that are under way
  final Ledger ledger = new Ledger();

  AliasRun(Options o) {
    first = o.one("first", "tenant", "anchor", "widest");
    path = o.one("path", "alias", "tenant", "anchor");
    nodes = o.number("nodes", 8);
    tenants = o.number("tenants", 35);
    replicas = o.number("replicas", 3);
    coordinators = o.number("coordinators", 0);
    requests = o.number("requests", 160);
    rounds = o.number("rounds", 3);
    atOnce = o.number("at-once", 4);
    if (replicas > nodes || requests % balanced() != 0) {
      throw new IllegalArgumentException("at most as many replicas as nodes, and a whole number of requests for each node");
    }
    current = this;
  }

  static AliasRun current() {
    return current;
  }

  /** How many nodes the balancer sends to. */
  int balanced() {
    return coordinators > 0 ? coordinators : nodes;
  }

  boolean hasAnchor() {
    return first.equals("anchor") || path.equals("anchor");
  }

  /** Replicas of the collection whose local replica decides where a request is handled. */
  int deciding() {
    if (hasAnchor()) {
      return nodes;
    }
    return first.equals("widest") ? wide() : replicas;
  }

  /** Replicas of the widest tenant, which is the last one, where the alias begins with it. */
  int wide() {
    return Math.max(replicas, nodes - 2);
  }
}
