package failrate.solr;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.solr.client.solrj.impl.CloudSolrClient;
import org.apache.solr.client.solrj.request.CollectionAdminRequest;
import org.apache.solr.client.solrj.request.UpdateRequest;
import org.apache.solr.cloud.MiniSolrCloudCluster;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.common.cloud.Replica;
import org.apache.solr.common.cloud.ZkStateReader;

/** The collections, one document in each, and the alias over them all. */
final class Tenants {
  static final String CONF = "conf"; // their configuration's name
  static final String ALIAS = "my_alias";
  private static final String ANCHOR = "alias_anchor";
  private static final int AT_ONCE = 8; // collections that are made; most of it is waiting
  private static final long WAIT_S = 120; // for a collection on a busy machine

  private final AliasRun run;
  private final CloudSolrClient client;
  private final List<Node> data;
  private final List<String> members = new ArrayList<>(); // of the alias, in its order

  Tenants(AliasRun run, CloudSolrClient client, List<Node> data) {
    this.run = run;
    this.client = client;
    this.data = data;
  }

  List<String> members() {
    return members;
  }

  /** Each tenant on its own few nodes, from its own number on; all nodes must be known first. */
  void create(int nodes) throws Exception {
    client.connect();
    state().waitForLiveNodes(WAIT_S, TimeUnit.SECONDS, (before, now) -> now.size() == nodes);
    ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
    try {
      List<Future<?>> creating = new ArrayList<>();
      for (int i = 0; i < run.tenants; i++) {
        int number = i;
        boolean widest = run.first.equals("widest") && i == run.tenants - 1;
        String name = "tenant_" + i;
        creating.add(pool.submit(() -> createFilled(name, number, widest ? run.wide() : run.replicas)));
        members.add(widest ? 0 : members.size(), name);
      }
      if (run.hasAnchor()) {
        create(ANCHOR, 0, run.nodes);
      }
      for (Future<?> f : creating) {
        f.get();
      }
    } finally {
      pool.shutdownNow();
    }
    if (run.first.equals("anchor")) {
      members.add(0, ANCHOR);
    }
    CollectionAdminRequest.createAlias(ALIAS, String.join(",", members)).process(client);
  }

  private Void createFilled(String name, int from, int replicas) throws Exception {
    create(name, from, replicas);
    SolrInputDocument d = new SolrInputDocument();
    d.addField("id", name);
    new UpdateRequest().add(d).commit(client, name);
    return null;
  }

  private void create(String name, int from, int replicas) throws Exception {
    List<String> on = new ArrayList<>();
    for (int r = 0; r < replicas; r++) {
      on.add(data.get((from + r) % data.size()).name);
    }
    CollectionAdminRequest.createCollection(name, CONF, 1, replicas).setCreateNodeSet(String.join(",", on)).process(client);
    waitFor(name, replicas);
  }

  private void waitFor(String name, int replicas) throws Exception {
    state().waitForState(name, WAIT_S, TimeUnit.SECONDS, MiniSolrCloudCluster.expectedShardsAndActiveReplicas(1, replicas));
  }

  /** What the balancer asks for. */
  String target() {
    return run.path.equals("tenant") ? "tenant_0" : run.path.equals("anchor") ? ANCHOR : ALIAS;
  }

  /** The collection whose replica on a node lets the node handle a request itself. */
  private String deciding() {
    return target().equals(ALIAS) ? members.get(0) : target();
  }

  /** The nodes with a replica of that collection. */
  Set<String> hosts() {
    Set<String> hosts = new TreeSet<>();
    for (Replica r : replicas()) {
      hosts.add(r.getNodeName());
    }
    return hosts;
  }

  private List<Replica> replicas() {
    return state().getClusterState().getCollection(deciding()).getReplicas();
  }

  /** Gives a node that has no replica of that collection one, and takes it from the first that has. */
  void moveOne() throws Exception {
    Set<String> hosts = hosts();
    Node from = data.stream().filter(n -> hosts.contains(n.name)).findFirst().orElseThrow();
    Node to = data.stream().filter(n -> !hosts.contains(n.name)).reduce((a, b) -> b).orElseThrow();
    Replica old = replicas().stream().filter(r -> r.getNodeName().equals(from.name)).findFirst().orElseThrow();
    CollectionAdminRequest.addReplicaToShard(deciding(), "shard1").setNode(to.name).process(client);
    waitFor(deciding(), hosts.size() + 1);
    CollectionAdminRequest.deleteReplica(deciding(), "shard1", old.getName()).process(client);
    waitFor(deciding(), hosts.size());
  }

  private ZkStateReader state() {
    return ZkStateReader.from(client);
  }
}
