package failrate.solr;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** How the nodes shared out the work of a round's queries. */
final class Shares {
  private static final int SHOWN = 10; // nodes that have a metric of their own

  final double[] coordinated; // each node's share of the queries
  final double most; // of those
  final double overMean; // the busiest node's, over the mean of the nodes that were sent to
  final double proxied; // share of the queries that were passed on
  final double shardRequests; // for each query
  private final List<Work> work;

  Shares(int requests, int sentTo, List<Metrics> counted, List<Work> work) {
    double all = requests;
    this.work = work;
    coordinated = counted.stream().mapToDouble(m -> m.coordinated / all).toArray();
    long busiest = counted.stream().mapToLong(m -> m.coordinated).max().orElse(0);
    most = busiest / all;
    overMean = busiest * (double) sentTo / all; // in whole numbers until here, for the rules that compare it
    proxied = work.stream().mapToLong(w -> w.forwarded).sum() / all;
    shardRequests = counted.stream().mapToLong(m -> m.shards).sum() / all;
  }

  void note(Round round) {
    round.metric("max_share", most).metric("max_over_mean", overMean).metric("proxied_share", proxied);
    round.metric("top_4_share", top(4)).metric("shard_requests_per_query", shardRequests);
    round.metric("busy_threads_max_over_mean", mostOverMean(w -> w.busyThreads));
    round.metric("peak_threads_max_over_mean", mostOverMean(w -> w.threads)); // none when all nodes are one JVM
    for (int i = 0; i < Math.min(SHOWN, coordinated.length); i++) {
      round.metric("share_node_" + i, coordinated[i]);
    }
    Arrays.stream(coordinated).skip(SHOWN).max().ifPresent(x -> round.metric("share_most_of_further_nodes", x));
  }

  private double top(int nodes) {
    double[] sorted = coordinated.clone();
    Arrays.sort(sorted);
    return Arrays.stream(sorted).skip(Math.max(0, sorted.length - nodes)).sum();
  }

  private double mostOverMean(ToDoubleFunction<Work> of) {
    double most = work.stream().mapToDouble(of).max().orElse(Double.NaN);
    return most / work.stream().mapToDouble(of).average().orElse(Double.NaN);
  }
}
