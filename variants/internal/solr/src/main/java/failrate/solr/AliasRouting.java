package failrate.solr;

import com.carrotsearch.randomizedtesting.annotations.ThreadLeakScope;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.solr.SolrTestCaseJ4;
import org.apache.solr.client.solrj.impl.CloudSolrClient;
import org.apache.solr.client.solrj.request.CollectionAdminRequest;
import org.apache.solr.client.solrj.request.UpdateRequest;
import org.apache.solr.cloud.MiniSolrCloudCluster;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.embedded.JettySolrRunner;
import org.junit.Test;

/**
 * A cluster with many small collections behind one alias, and a balancer that sends the same number of queries to every
 * node. Who coordinates them is what a round measures.
 */
@SolrTestCaseJ4.SuppressSSL
@ThreadLeakScope(ThreadLeakScope.Scope.NONE)
public class AliasRouting extends SolrTestCaseJ4 {
  private static final String ALIAS = "my_alias";
  private static final String ANCHOR = "alias_anchor";
  private static final String CONF = "conf";

  private final AliasRun run = AliasRun.current();
  private MiniSolrCloudCluster cluster;
  private List<JettySolrRunner> all;
  private List<JettySolrRunner> balanced; // those that the balancer sends to

  @Test
  public void test() throws Exception {
    Path conf = getFile("alias/conf").toPath();
    cluster = new MiniSolrCloudCluster.Builder(run.nodes, createTempDir()).addConfig(CONF, conf).configure();
    try {
      List<JettySolrRunner> data = List.copyOf(cluster.getJettySolrRunners()); // it is a view
      balanced = run.coordinators > 0 ? startCoordinators() : data;
      all = new ArrayList<>(data);
      all.addAll(run.coordinators > 0 ? balanced : List.of());
      List<String> members = createCollections(data);
      measure(members);
    } finally {
      cluster.shutdown();
    }
  }

  private List<JettySolrRunner> startCoordinators() throws Exception {
    List<JettySolrRunner> started = new ArrayList<>();
    System.setProperty("solr.node.roles", "coordinator:on,data:off");
    try {
      for (int i = 0; i < run.coordinators; i++) {
        started.add(cluster.startJettySolrRunner());
      }
    } finally {
      System.clearProperty("solr.node.roles");
    }
    return started;
  }

  /** Each tenant on its own few nodes, one document each, and the alias over all. Gives the alias's members in order. */
  private List<String> createCollections(List<JettySolrRunner> data) throws Exception {
    CloudSolrClient client = cluster.getSolrClient();
    List<String> members = new ArrayList<>();
    for (int i = 0; i < run.tenants; i++) {
      boolean widest = run.first.equals("widest") && i == run.tenants - 1;
      String name = "tenant_" + i;
      create(client, name, data, i, widest ? run.wide() : run.replicas);
      members.add(widest ? 0 : members.size(), name);
      UpdateRequest add = new UpdateRequest();
      SolrInputDocument d = new SolrInputDocument();
      d.addField("id", name);
      add.add(d).commit(client, name);
    }
    if (run.hasAnchor()) {
      create(client, ANCHOR, data, 0, run.nodes);
    }
    if (run.first.equals("anchor")) {
      members.add(0, ANCHOR);
    }
    CollectionAdminRequest.createAlias(ALIAS, String.join(",", members)).process(client);
    return members;
  }

  private void create(CloudSolrClient client, String name, List<JettySolrRunner> data, int from, int replicas)
      throws Exception {
    List<String> on = new ArrayList<>();
    for (int r = 0; r < replicas; r++) {
      on.add(data.get((from + r) % data.size()).getNodeName());
    }
    CollectionAdminRequest.createCollection(name, CONF, 1, replicas)
        .setCreateNodeSet(String.join(",", on))
        .process(client);
    cluster.waitForActiveCollection(name, 1, replicas);
  }

  private void measure(List<String> members) throws Exception {
    Balancer balancer =
        new Balancer(balanced.stream().map(n -> n.getBaseUrl().toString()).collect(Collectors.toList()));
    String target = run.path.equals("tenant") ? "tenant_0" : run.path.equals("anchor") ? ANCHOR : ALIAS;
    String query = "/" + target + "/select?q=*:*&rows=0&wt=json";
    RequestLog log = RequestLog.begin();
    try {
      balancer.get(query, 4 * balanced.size(), run.atOnce); // connections and compiled code
      for (int i = 0; i < run.rounds; i++) {
        Round round = run.ledger.begin();
        log.restart();
        List<Metrics> before = metrics();
        BusyThreads busy = new BusyThreads(all);
        List<Balancer.Answer> answers = balancer.get(query, run.requests, run.atOnce);
        round.metric("busy_threads_max_over_mean", busy.mostOverMean());
        List<Metrics> after = metrics();
        new RoutingJudge(run, all, balanced, members).judge(round, answers, before, after, log);
        new AliasUpdate(cluster, balancer).note(round, ALIAS, members, "update-" + i);
        run.ledger.end();
      }
    } finally {
      log.end();
    }
  }

  private List<Metrics> metrics() throws Exception {
    List<Metrics> list = new ArrayList<>();
    for (JettySolrRunner n : all) {
      list.add(Metrics.of(n));
    }
    return list;
  }
}
