package failrate.solr;

import com.carrotsearch.randomizedtesting.annotations.ThreadLeakScope;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.solr.SolrTestCaseJ4;
import org.apache.solr.cloud.MiniSolrCloudCluster;
import org.junit.Test;

/**
 * A cluster with many small collections behind one alias, and a balancer that sends the same number of queries to every
 * node. Who coordinates them is what a round measures.
 */
@SolrTestCaseJ4.SuppressSSL
@ThreadLeakScope(ThreadLeakScope.Scope.NONE)
public class AliasRouting extends SolrTestCaseJ4 {
  private final AliasRun run = AliasRun.current();
  private MiniSolrCloudCluster cluster;
  private Fleet fleet;
  private final List<Node> all = new ArrayList<>();
  private List<Node> balanced; // those that the balancer sends to
  private Tenants tenants;
  private double startMillis;
  private double createMillis;

  @Test
  public void test() throws Exception {
    Path conf = getFile("alias/conf").toPath();
    cluster = new MiniSolrCloudCluster.Builder(0, createTempDir()).addConfig(Tenants.CONF, conf).configure();
    fleet = run.processes ? new Processes(cluster.getZkServer().getZkAddress(), createTempDir()) : new OneJvm(cluster);
    try {
      long began = System.nanoTime();
      List<Node> data = fleet.start(run.nodes, false);
      balanced = run.coordinators > 0 ? fleet.start(run.coordinators, true) : data;
      all.addAll(data);
      all.addAll(run.coordinators > 0 ? balanced : List.of());
      startMillis = millisSince(began);
      began = System.nanoTime();
      tenants = new Tenants(run, cluster.getSolrClient(), data);
      tenants.create(all.size());
      createMillis = millisSince(began);
      measure();
    } finally {
      fleet.close();
      cluster.shutdown();
    }
  }

  private static double millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1e6;
  }

  private void measure() throws Exception {
    Balancer balancer = new Balancer(balanced.stream().map(n -> n.url).collect(Collectors.toList()));
    String query = "/" + tenants.target() + "/select?q=*:*&rows=0&wt=json";
    for (int i = 0; i < run.rounds; i++) {
      Round round = run.ledger.begin();
      if (i > 0 && run.move) {
        tenants.moveOne();
      }
      if (i == 0 || run.move) {
        balancer.get(query, 4 * balanced.size(), run.atOnce); // connections, compiled code, news of what moved
      }
      List<Metrics> before = metrics();
      fleet.watch();
      List<Balancer.Answer> answers = balancer.get(query, run.requests, run.atOnce);
      List<Work> work = fleet.work();
      List<Metrics> counted = new ArrayList<>();
      List<Metrics> after = metrics();
      for (int n = 0; n < all.size(); n++) {
        counted.add(after.get(n).since(before.get(n)));
      }
      round.fact("alias-first", tenants.members().get(0));
      round.metric("startup_ms", startMillis).metric("collections_ms", createMillis);
      new RoutingJudge(run, all, balanced, tenants.hosts()).judge(round, answers, counted, work);
      new AliasUpdate(cluster.getSolrClient(), balancer).note(round, Tenants.ALIAS, tenants.members(), "update-" + i);
      run.ledger.end();
    }
  }

  private List<Metrics> metrics() throws Exception {
    List<Metrics> list = new ArrayList<>();
    for (Node n : all) {
      list.add(Metrics.of(n));
    }
    return list;
  }
}
