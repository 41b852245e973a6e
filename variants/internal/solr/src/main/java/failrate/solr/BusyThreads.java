package failrate.solr;

import java.lang.reflect.Field;
import java.util.List;
import org.apache.solr.embedded.JettySolrRunner;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** The mean number of threads of each node's web server that do work, looked at every few milliseconds. */
final class BusyThreads implements AutoCloseable {
  private static final long EVERY_MS = 5;

  private final QueuedThreadPool[] pools;
  private final double[] sums;
  private final Thread sampler = new Thread(this::sample, "busy-threads");
  private long samples;

  BusyThreads(List<JettySolrRunner> nodes) throws ReflectiveOperationException {
    pools = new QueuedThreadPool[nodes.size()];
    sums = new double[nodes.size()];
    Field server = JettySolrRunner.class.getDeclaredField("server");
    server.setAccessible(true);
    for (int i = 0; i < pools.length; i++) {
      pools[i] = (QueuedThreadPool) ((Server) server.get(nodes.get(i))).getThreadPool();
    }
    sampler.setDaemon(true);
    sampler.start();
  }

  private void sample() {
    try {
      for (; ; samples++) {
        for (int i = 0; i < pools.length; i++) {
          sums[i] += Math.max(0, pools[i].getUtilizedThreads());
        }
        Thread.sleep(EVERY_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the sampling and gives each node's mean; NaN when nothing was seen. */
  double[] means() throws InterruptedException {
    close();
    double[] means = new double[sums.length];
    for (int i = 0; i < means.length; i++) {
      means[i] = sums[i] / samples;
    }
    return means;
  }

  @Override
  public void close() throws InterruptedException {
    sampler.interrupt();
    sampler.join();
  }
}
