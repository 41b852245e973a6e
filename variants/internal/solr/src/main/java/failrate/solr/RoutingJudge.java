package failrate.solr;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Judges a round of queries: did a few nodes coordinate for all, and was what they were sent even at all? */
final class RoutingJudge {
  private static final double HOT = 2; // the busiest node's coordination over the mean
  private static final double EVEN = 1.1;

  private final AliasRun run;
  private final List<Node> all;
  private final List<Node> balanced;
  private final Set<String> able; // nodes that may coordinate what lands on them

  /** @param hosts the nodes with a replica of the collection that decides; coordinators need none */
  RoutingJudge(AliasRun run, List<Node> all, List<Node> balanced, Set<String> hosts) {
    this.run = run;
    this.all = all;
    this.balanced = balanced;
    able = run.coordinators > 0 ? balanced.stream().map(n -> n.name).collect(Collectors.toSet()) : hosts;
  }

  void judge(Round round, List<Balancer.Answer> answers, List<Metrics> counted, List<Work> work) {
    Shares shares = new Shares(run.requests, balanced.size(), counted, work);
    shares.note(round);
    if (run.path.equals("alias")) {
      round.metric("extra_shard_requests_per_query", shares.shardRequests - run.tenants);
    }
    latencies(round, answers);
    boolean predicted = model(round, shares);
    if (shares.proxied > 0) {
      round.seen("forwarded");
    }
    String wrong = wrong(answers, counted, work);
    String numbers = "busiest node over mean " + Options.text(shares.overMean) + ", proxied share " + Options.text(shares.proxied);
    if (!wrong.isEmpty()) {
      round.broken("confounded: " + wrong);
      return;
    }
    round.seen("even-load");
    if (shares.overMean >= HOT && shares.proxied > 0) {
      round.fail(predicted ? "hotspot" : "elsewhere", numbers);
    } else if (shares.overMean <= EVEN && shares.proxied == 0) {
      round.pass();
    } else {
      round.fail("uneven", numbers);
    }
  }

  /** What makes the round say nothing; empty when it does say something. */
  private String wrong(List<Balancer.Answer> answers, List<Metrics> counted, List<Work> work) {
    long bad = answers.stream().filter(a -> a.status != 200).count();
    long found = run.path.equals("alias") ? run.tenants : run.path.equals("tenant") ? 1 : 0;
    long other = answers.stream().filter(a -> a.found != found).count();
    long total = counted.stream().mapToLong(m -> m.coordinated).sum();
    if (bad > 0) {
      return bad + " answers with another status than 200";
    }
    if (other > 0) {
      return other + " answers did not find " + found + " documents";
    }
    if (total != run.requests) {
      return total + " queries were coordinated of " + run.requests;
    }
    StringBuilder disagree = new StringBuilder();
    for (int i = 0; i < all.size(); i++) {
      if (work.get(i).coordinated != counted.get(i).coordinated) {
        disagree.append(" node " + i + " counts " + counted.get(i).coordinated + " and logs " + work.get(i).coordinated);
      }
    }
    return disagree.toString();
  }

  /** Medians of queries that landed on a node that may coordinate them, and of the others. */
  private void latencies(Round round, List<Balancer.Answer> answers) {
    Predicate<Balancer.Answer> local = a -> able.contains(balanced.get(a.node).name);
    round.metric("local_ms", median(answers.stream().filter(local).mapToDouble(a -> a.millis).sorted().toArray()));
    round.metric("proxied_ms", median(answers.stream().filter(local.negate()).mapToDouble(a -> a.millis).sorted().toArray()));
  }

  private static double median(double[] sorted) {
    return sorted.length == 0 ? Double.NaN : (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }

  /**
   * What counting predicts for N nodes of which k may coordinate: 1/k, (N-k)/N and N/k. Gives whether that share was passed
   * on, to those k nodes and no other.
   */
  private boolean model(Round round, Shares shares) {
    double nodes = balanced.size();
    double k = able.size();
    round.metric("model_max_share", 1 / k).metric("model_proxied_share", (nodes - k) / nodes).metric("model_max_over_mean", nodes / k);
    round.metric("max_share_over_model", shares.most * k).metric("proxied_share_minus_model", shares.proxied - (nodes - k) / nodes);
    Set<String> did = new TreeSet<>();
    for (int i = 0; i < all.size(); i++) {
      if (shares.coordinated[i] > 0) {
        did.add(all.get(i).name);
      }
    }
    boolean predicted = did.equals(new TreeSet<>(able)) && Math.abs(shares.proxied - (nodes - k) / nodes) < 1e-9;
    if (predicted) {
      round.seen("as-predicted");
    }
    return predicted;
  }
}
