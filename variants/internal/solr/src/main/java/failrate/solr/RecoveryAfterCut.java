package failrate.solr;

import com.carrotsearch.randomizedtesting.annotations.ThreadLeakScope;
import failrate.solr.LogWatch.Mark;
import java.io.File;
import java.util.List;
import java.util.Locale;
import org.apache.solr.SolrTestCaseJ4;
import org.apache.solr.client.solrj.cloud.SocketProxy;
import org.apache.solr.client.solrj.impl.CloudSolrClient;
import org.apache.solr.client.solrj.request.AbstractUpdateRequest;
import org.apache.solr.client.solrj.request.CollectionAdminRequest;
import org.apache.solr.client.solrj.request.UpdateRequest;
import org.apache.solr.cloud.AbstractFullDistribZkTestBase;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.common.cloud.Replica;
import org.apache.solr.embedded.JettySolrRunner;
import org.junit.BeforeClass;
import org.junit.Test;

/**
 * A replica with a searcher on uncommitted segments is cut off while the leader goes on, and must come back by a copy of
 * the whole index: what Solr's RecoveryAfterSoftCommitTest does, step by step, in words of its own. Here an update that
 * fails after the cut is a result and not an error, and which client sends it is a choice.
 */
@SolrTestCaseJ4.SuppressSSL
@ThreadLeakScope(ThreadLeakScope.Scope.NONE) // a proxy that was paused keeps its threads
public class RecoveryAfterCut extends AbstractFullDistribZkTestBase {
  private static final int BUFFERED = 2; // documents in memory before a flush
  private static final int KEPT = 2; // updates that a replica may miss and still replay
  private static final String SHARD = "shard1";

  private final Run run = Run.current();
  private Round round;
  private CloudSolrClient client; // the one under test
  private long cutAt; // when the cut was complete; 0 before

  public RecoveryAfterCut() {
    sliceCount = 1;
    fixShardCount(2);
  }

  @BeforeClass
  public static void shortLogAndEarlyFlush() {
    System.setProperty("solr.tests.maxBufferedDocs", String.valueOf(BUFFERED));
    System.setProperty("solr.ulog.numRecordsToKeep", String.valueOf(KEPT));
    System.setProperty("useCompoundFile", "true");
  }

  @Override
  protected boolean useTlogReplicas() {
    return false;
  }

  @Override
  public JettySolrRunner createJetty(
      File home, String data, String shards, String config, String schema, Replica.Type type) throws Exception {
    return createProxiedJetty(home, data, shards, config, schema, type);
  }

  /** As many rounds as a cluster is for. Documents of one round are not those of another. */
  @Test
  public void test() throws Exception {
    waitForRecoveriesToFinish(DEFAULT_COLLECTION, true);
    for (int i = 0; i < run.perCluster; i++) {
      round = run.ledger.begin();
      cutAt = 0;
      try {
        client = newClient(run.firstRoute);
        oneRound(10 * i);
      } finally {
        client.close();
      }
      run.ledger.end();
    }
  }

  private CloudSolrClient newClient(Clients.Route route) throws Exception {
    CloudSolrClient c =
        run.asShipped
            ? createCloudClient(DEFAULT_COLLECTION)
            : run.clients.cloud(zkServer.getZkAddress(), DEFAULT_COLLECTION, route);
    c.connect();
    for (int i = 0; i < 3; i++) { // Solr's test makes the collection and its two replicas with this client
      CollectionAdminRequest.listCollections(c);
    }
    return c;
  }

  private void oneRound(int id) throws Exception {
    int first = id;
    for (; id < first + BUFFERED + 1; id++) {
      add(id).process(client, DEFAULT_COLLECTION);
    }
    softCommit();
    Replica replica = active().get(0);
    SocketProxy proxy = getProxyForReplica(replica);
    round.metric("updates_to_leaders", client.isUpdatesToLeaders() ? 1 : 0);
    if (run.perCluster > 1) {
      Throttle.begin(getJettyOnPort(getReplicaPort(replica)), replica.getCoreName());
    }
    run.watch.restart();

    Thread closer = cut(proxy);
    Exception failed = addMore(id, id + KEPT + 1);
    if (closer != null) {
      closer.join();
    }
    describe(proxy.getListenPort());
    if (failed == null) {
      Thread.sleep(2000);
    }
    if (failed != null) {
      Failure.judge(round, failed, run.tap.last(), proxy.getListenPort()); // whatever happens to the proxy after it
    }
    long start = System.nanoTime();
    if (!run.cut.equals("none")) {
      Proxies.reopen(proxy);
    }
    if (failed == null) {
      comeBack(start);
      return;
    }
    if (run.perCluster > 1) {
      active(); // for the next round; Solr's test is over
    }
  }

  private void softCommit() throws Exception {
    UpdateRequest commit = new UpdateRequest();
    commit.setAction(AbstractUpdateRequest.ACTION.COMMIT, true, true, true);
    client.request(commit);
  }

  private List<Replica> active() throws Exception {
    return ensureAllReplicasAreActive(DEFAULT_COLLECTION, SHARD, 1, 2, 30);
  }

  /** Cuts the replica off now, or, with pause-then-close, holds back what it is sent and has a thread cut it off then. */
  private Thread cut(SocketProxy proxy) throws Exception {
    run.burst.begin();
    run.tap.begin();
    if (run.cut.equals("close")) {
      proxy.close();
      cutAt = System.nanoTime();
    }
    return run.cut.equals("pause-then-close") ? PauseThenClose.begin(proxy, run.tap) : null;
  }

  /** Adds documents until one fails, and gives its failure; null when all went well. */
  private Exception addMore(int from, int to) throws Exception {
    CloudSolrClient sender = run.secondRoute == null ? client : newClient(run.secondRoute);
    try {
      for (int id = from; id < to; id++) {
        add(id).process(sender, DEFAULT_COLLECTION);
        run.burst.end();
      }
      return null;
    } catch (Exception e) {
      return e;
    } finally {
      run.tap.end();
      run.burst.end();
      if (sender != client) {
        sender.close();
      }
    }
  }

  /** With replica-first, the adds before the cut go there too, so that a connection is open when the cut comes. */
  private UpdateRequest add(int id) {
    SolrInputDocument d = new SolrInputDocument();
    d.addField("id", String.valueOf(id));
    d.addField("a_t", "text_" + id);
    UpdateRequest add = new UpdateRequest();
    add.add(d);
    if (run.replicaFirst) {
      add.setParam("shards.preference", "replica.leader:false");
    }
    return add;
  }

  /** The one thing that Solr's test asserts is that the replica becomes active again. */
  private void comeBack(long start) throws Exception {
    try {
      active();
      round.pass();
    } catch (AssertionError e) {
      if (!String.valueOf(e.getMessage()).startsWith("Didn't see all replicas")) {
        throw e;
      }
      round.fail("recovery", e.getMessage());
    }
    round.metric("recovery_ms", (System.nanoTime() - start) / 1e6);
    if (run.watch.fullCopy()) {
      round.seen("full-copy");
    }
    if (run.watch.count(Mark.PEER_SYNC) > 0) {
      round.seen("peer-sync");
    }
  }

  /** Notes what the client tried. */
  private void describe(int cutPort) {
    List<Wiretap.Attempt> tried = run.tap.attempts();
    long hits = tried.stream().filter(a -> a.port == cutPort).count();
    round.metric("tries", tried.size()).metric("retries", run.watch.count(Mark.CLOUD_RETRY));
    if (run.watch.count(Mark.CUT) > 0) {
      round.seen("cut");
    }
    if (run.watch.count(Mark.CLOUD_RETRY) > 0) {
      round.seen("cloud-retry");
    } else if (hits > 0 && tried.get(tried.size() - 1).port != cutPort) {
      round.seen("failed-over");
    }
    if (hits > 0) {
      round.seen("cut-replica-hit");
    }
    if (cutAt != 0 && !tried.isEmpty()) {
      round.metric("gap_us", (tried.get(0).nanos - cutAt) / 1e3);
    }
    System.out.println(String.format(Locale.ROOT, "tried %d requests, %d at the cut port %d", tried.size(), hits, cutPort));
  }
}
