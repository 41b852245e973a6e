package failrate.solr;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.solr.cloud.MiniSolrCloudCluster;
import org.apache.solr.embedded.JettySolrRunner;

/** Nodes in this JVM. */
final class OneJvm implements Fleet {
  private final MiniSolrCloudCluster cluster;
  private final List<JettySolrRunner> runners = new ArrayList<>();
  private final RequestLog log = RequestLog.begin();
  private BusyThreads busy; // null when nothing is watched

  OneJvm(MiniSolrCloudCluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public List<Node> start(int count, boolean coordinators) throws Exception {
    if (coordinators) {
      System.setProperty("solr.node.roles", "coordinator:on,data:off");
    }
    ExecutorService pool = Executors.newFixedThreadPool(count);
    try {
      List<Future<JettySolrRunner>> starting = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        starting.add(pool.submit(() -> cluster.startJettySolrRunner()));
      }
      List<Node> started = new ArrayList<>();
      for (Future<JettySolrRunner> f : starting) {
        JettySolrRunner runner = f.get();
        runners.add(runner);
        started.add(new Node(runner.getNodeName(), runner.getBaseUrl().toString()));
      }
      return started;
    } finally {
      pool.shutdown();
      System.clearProperty("solr.node.roles");
    }
  }

  @Override
  public void watch() throws Exception {
    log.restart();
    busy = new BusyThreads(runners);
  }

  @Override
  public List<Work> work() throws Exception {
    double[] threads = busy.means();
    List<Work> list = new ArrayList<>();
    for (int i = 0; i < runners.size(); i++) {
      String name = runners.get(i).getNodeName();
      list.add(new Work(log.coordinated(name), log.forwarded(name), threads[i], 0));
    }
    return list;
  }

  /** Ends the watch alone: the nodes are the cluster's. */
  @Override
  public void close() throws Exception {
    log.end();
    if (busy != null) {
      busy.close();
    }
  }
}
