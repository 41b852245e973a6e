package failrate.solr;

import java.util.concurrent.TimeUnit;
import org.apache.solr.client.solrj.cloud.SocketProxy;

/**
 * The cut that leaves no doubt: the proxy takes what is sent and passes nothing on, and goes when a request has been
 * written. The node never hears of a request that the client may not repeat.
 */
final class PauseThenClose {
  private PauseThenClose() {}

  static Thread begin(SocketProxy proxy, Wiretap tap) {
    proxy.pause();
    Thread t = new Thread(() -> closeWhenWritten(proxy, tap), "pause-then-close");
    t.start();
    return t;
  }

  private static void closeWhenWritten(SocketProxy proxy, Wiretap tap) {
    long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    try {
      while (System.nanoTime() < patience && (tap.last() == null || !tap.last().committed())) {
        Thread.sleep(1);
      }
      Thread.sleep(50); // for the rest of the request
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    proxy.close();
  }
}
