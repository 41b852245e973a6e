package failrate.solr;

import com.carrotsearch.randomizedtesting.annotations.ThreadLeakScope;
import java.io.File;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.solr.SolrTestCaseJ4;
import org.apache.solr.client.solrj.SolrClient;
import org.apache.solr.client.solrj.cloud.SocketProxy;
import org.apache.solr.client.solrj.impl.Http2SolrClient;
import org.apache.solr.client.solrj.impl.HttpSolrClient;
import org.apache.solr.client.solrj.impl.LBHttp2SolrClient;
import org.apache.solr.client.solrj.impl.LBHttpSolrClient;
import org.apache.solr.client.solrj.impl.LBSolrClient;
import org.apache.solr.client.solrj.request.UpdateRequest;
import org.apache.solr.cloud.AbstractFullDistribZkTestBase;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.common.cloud.Replica;
import org.apache.solr.embedded.JettySolrRunner;
import org.junit.Test;

/**
 * One update straight to a replica whose proxy has just been cut, by a client that has a connection to it; many rounds
 * in one cluster, each with a client of its own.
 */
@SolrTestCaseJ4.SuppressSSL
@ThreadLeakScope(ThreadLeakScope.Scope.NONE) // a proxy that was paused keeps its threads
public class SendAfterCut extends AbstractFullDistribZkTestBase {
  private final SendRun run = SendRun.current();

  public SendAfterCut() {
    sliceCount = 1;
    fixShardCount(2);
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

  @Test
  public void test() throws Exception {
    waitForRecoveriesToFinish(DEFAULT_COLLECTION, true);
    for (int i = -run.warmup; i < run.rounds; i++) {
      Round round = run.base.ledger.begin();
      Replica replica = ensureAllReplicasAreActive(DEFAULT_COLLECTION, "shard1", 1, 2, 30).get(0);
      Replica leader = getShardLeader(DEFAULT_COLLECTION, "shard1", 30000);
      try (Sender sender = new Sender(replica, leader)) {
        oneRound(round, sender, getProxyForReplica(replica), i);
      }
      if (i >= 0) {
        run.base.ledger.end();
      }
    }
  }

  private void oneRound(Round round, Sender sender, SocketProxy proxy, int i) throws Exception {
    for (int k = 0; k < 3; k++) { // a connection that has been used
      sender.send(document("warm-" + i + "-" + k));
    }
    run.base.watch.restart();
    LockSupport.parkNanos(run.idle);
    run.base.burst.begin();
    run.base.tap.begin();
    Thread closer = null;
    long cutAt = System.nanoTime();
    if (run.base.cut.equals("pause-then-close")) {
      closer = PauseThenClose.begin(proxy, run.base.tap);
    } else if (run.base.cut.equals("close")) {
      proxy.close();
      cutAt = System.nanoTime();
      pause(cutAt + run.delay);
    }
    Exception failed = null;
    try {
      sender.send(document("cut-" + i));
    } catch (Exception e) {
      failed = e;
    }
    long took = System.nanoTime() - cutAt;
    run.base.tap.end();
    run.base.burst.end();
    if (closer != null) {
      closer.join();
    }
    judge(round, failed, proxy.getListenPort(), cutAt);
    round.metric("took_us", took / 1e3);
    if (!run.base.cut.equals("none")) {
      Proxies.reopen(proxy);
    }
  }

  private void judge(Round round, Exception failed, int cutPort, long cutAt) {
    Wiretap.Attempt first = run.base.tap.attempts().isEmpty() ? null : run.base.tap.attempts().get(0);
    if (failed == null) {
      round.pass();
      if (run.base.tap.last() != null && run.base.tap.last().port != cutPort) {
        round.seen("failed-over");
      }
    } else {
      Failure.judge(round, failed, run.base.tap.last(), cutPort);
    }
    if (first != null) {
      round.metric("delay_us", (first.nanos - cutAt) / 1e3);
    }
    if (run.base.watch.count(LogWatch.Mark.CUT) > 0) {
      round.seen("cut");
    }
  }

  /** Waits until a time. Short waits are spun, as a sleep would be longer than they are. */
  private static void pause(long until) {
    long left = until - System.nanoTime();
    if (left > TimeUnit.MILLISECONDS.toNanos(1)) {
      LockSupport.parkNanos(left - 200_000);
    }
    while (System.nanoTime() < until) {
      Thread.onSpinWait();
    }
  }

  private static SolrInputDocument document(String id) {
    SolrInputDocument d = new SolrInputDocument();
    d.addField("id", id);
    d.addField("a_t", "text of " + id);
    return d;
  }

  /** A client of one node, or with --through balancer of two: the replica, and the leader for when it refuses. */
  private final class Sender implements AutoCloseable {
    private final SolrClient node;
    private final LBSolrClient balancer; // null: straight
    private final Replica replica;
    private final Replica leader;

    Sender(Replica replica, Replica leader) {
      this.replica = replica;
      this.leader = leader;
      boolean apache = run.base.clients.kind.equals("apache");
      if (apache) {
        node = new HttpSolrClient.Builder(replica.getCoreUrl()).withConnectionTimeout(30000).withSocketTimeout(120000).build();
      } else {
        node = run.base.clients.node(replica.getCoreUrl()).build();
      }
      if (!run.balancer) {
        balancer = null;
      } else if (apache) {
        balancer = new LBHttpSolrClient.Builder().build();
      } else {
        balancer = new LBHttp2SolrClient((Http2SolrClient) node);
      }
    }

    void send(SolrInputDocument document) throws Exception {
      UpdateRequest add = new UpdateRequest();
      add.add(document);
      if (balancer == null) {
        add.process(node);
      } else {
        balancer.request(new LBSolrClient.Req(add, List.of(replica.getCoreUrl(), leader.getCoreUrl())));
      }
    }

    @Override
    public void close() throws Exception {
      if (balancer != null) {
        balancer.close();
      }
      node.close();
    }
  }
}
