package failrate.solr;

/** The choices of one JVM of the study solr-alias-hotspot. JUnit makes the test, so it finds them here. */
final class AliasRun {
  private static final String PROCESSES = "-processes";
  private static volatile AliasRun current;

  final String first; // what the alias begins with: tenant, anchor or widest
  final String path; // what is asked: the alias, or the first tenant itself
  final boolean processes; // every node is a JVM of its own
  final int nodes; // that hold data
  final int tenants; // collections of one shard
  final int replicas; // of each tenant
  final int coordinators; // further nodes without data, which the balancer then uses instead
  final int requests; // of a round
  final int rounds;
  final boolean move; // one replica of what the alias begins with goes to another node before each further round
  final int atOnce; // requests that are under way
  final Ledger ledger = new Ledger();

  AliasRun(Options o) {
    first = o.one("first", "tenant", "anchor", "widest");
    path = o.one("path", "alias", "tenant", "anchor");
    String size = o.word("nodes", "8");
    processes = size.endsWith(PROCESSES);
    nodes = Integer.parseInt(processes ? size.substring(0, size.length() - PROCESSES.length()) : size);
    tenants = o.number("tenants", 35);
    replicas = o.number("replicas", 3);
    coordinators = o.number("coordinators", 0);
    requests = o.number("requests", balanced() * Math.max(10, (160 + balanced() - 1) / balanced()));
    rounds = o.number("rounds", 3);
    move = o.one("move", "no", "yes").equals("yes");
    atOnce = o.number("at-once", 4);
    if (replicas > nodes || move && replicas == nodes || requests % balanced() != 0) {
      throw new IllegalArgumentException(
          "at most as many replicas as nodes (one less to move one), and a whole number of requests for each node");
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

  /** Replicas of the widest tenant, which is the last one, where the alias begins with it. */
  int wide() {
    return Math.max(replicas, nodes - 2);
  }
}
