package failrate.solr;

import java.util.List;
import java.util.function.Predicate;
import org.apache.solr.embedded.JettySolrRunner;

/** Judges a round of queries: did a few nodes coordinate for all, and was what they were sent even at all? */
final class RoutingJudge {
  private static final double HOT = 2; // the busiest node's coordination over the mean
  private static final double EVEN = 1.1;

  private final AliasRun run;
  private final List<JettySolrRunner> all;
  private final List<JettySolrRunner> balanced;
  private final List<String> members;

  RoutingJudge(AliasRun run, List<JettySolrRunner> all, List<JettySolrRunner> balanced, List<String> members) {
    this.run = run;
    this.all = all;
    this.balanced = balanced;
    this.members = members;
  }

  void judge(Round round, List<Balancer.Answer> answers, List<Metrics> before, List<Metrics> after, RequestLog log) {
    long total = 0;
    long most = 0;
    long shards = 0;
    String disagree = "";
    for (int i = 0; i < all.size(); i++) {
      Metrics m = after.get(i).since(before.get(i));
      total += m.coordinated;
      most = Math.max(most, m.coordinated);
      shards += m.shards;
      int logged = log.coordinated(all.get(i).getNodeName());
      if (logged != m.coordinated) {
        disagree += " node " + i + " counts " + m.coordinated + " and logs " + logged;
      }
    }
    int n = run.requests;
    double proxied = log.forwarded() / (double) n;
    double overMean = most * (double) balanced.size() / n;
    round.metric("max_share", most / (double) n).metric("max_over_mean", overMean).metric("proxied_share", proxied);
    round.metric("shard_requests_per_query", shards / (double) n);
    latencies(round, answers);
    model(round);
    String wrong = wrong(answers, total, disagree);
    if (proxied > 0) {
      round.seen("forwarded");
    }
    if (wrong.isEmpty()) {
      round.seen("even-load");
    }
    String numbers = "busiest node over mean " + Options.text(overMean) + ", proxied share " + Options.text(proxied);
    if (!wrong.isEmpty()) {
      round.broken("confounded: " + wrong);
    } else if (overMean > HOT && proxied > 0) {
      round.fail("hotspot", numbers);
    } else if (overMean <= EVEN && proxied == 0) {
      round.pass();
    } else {
      round.fail("uneven", numbers);
    }
  }

  /** What makes the round say nothing; empty when it does say something. */
  private String wrong(List<Balancer.Answer> answers, long total, String disagree) {
    long bad = answers.stream().filter(a -> a.status != 200).count();
    long found = run.path.equals("alias") ? run.tenants : run.path.equals("tenant") ? 1 : 0;
    long other = answers.stream().filter(a -> a.found != found).count();
    if (bad > 0) {
      return bad + " answers with another status than 200";
    }
    if (other > 0) {
      return other + " answers did not find " + found + " documents";
    }
    if (total != run.requests) {
      return total + " queries were coordinated of " + run.requests;
    }
    return disagree;
  }

  /** Medians of queries that landed on a node with a replica of the collection that decides, and of the others. */
  private void latencies(Round round, List<Balancer.Answer> answers) {
    boolean everywhere = run.deciding() >= run.nodes || run.coordinators > 0;
    Predicate<Balancer.Answer> local = a -> everywhere || hosts(a.node);
    round.metric("local_ms", median(answers.stream().filter(local).mapToDouble(a -> a.millis).sorted().toArray()));
    round.metric("proxied_ms", median(answers.stream().filter(local.negate()).mapToDouble(a -> a.millis).sorted().toArray()));
  }

  /** Whether a node has a replica of the deciding collection: tenant i is on the nodes from i on. */
  private boolean hosts(int node) {
    int from = run.first.equals("widest") && !run.path.equals("tenant") ? run.tenants - 1 : 0;
    int replicas = run.path.equals("tenant") ? run.replicas : run.deciding();
    return Math.floorMod(node - from, run.nodes) < replicas;
  }

  private static double median(double[] sorted) {
    return sorted.length == 0 ? Double.NaN : (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }

  /** What counting predicts for N nodes of which k have the deciding collection: 1/k, (N-k)/N and N/k. */
  private void model(Round round) {
    double nodes = balanced.size();
    double k = run.coordinators > 0 ? nodes : run.path.equals("tenant") ? run.replicas : run.deciding();
    round.metric("model_max_share", 1 / k).metric("model_proxied_share", (nodes - k) / nodes).metric("model_max_over_mean", nodes / k);
    round.fact("alias-first", members.get(0));
  }
}
