package failrate.solr;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.ServerSocket;
import org.apache.solr.client.solrj.cloud.SocketProxy;

/** Opens a proxy again after a cut. */
final class Proxies {
  private Proxies() {}

  private static final long PATIENCE = 5_000_000_000L; // ns in which the acceptor of before lets go of the port

  /**
   * Tries until the proxy is back: right after a cut it may not get its port, and says nothing itself when it could not
   * bind. Its socket is asked and no connection is made, as one that ends early stops a SocketProxy's acceptor.
   */
  static void reopen(SocketProxy proxy) throws IOException, InterruptedException, ReflectiveOperationException {
    Field socket = SocketProxy.class.getDeclaredField("serverSocket");
    socket.setAccessible(true);
    long end = System.nanoTime() + PATIENCE;
    for (proxy.reopen(); !((ServerSocket) socket.get(proxy)).isBound(); proxy.reopen()) {
      if (System.nanoTime() > end) {
        throw new IOException("the proxy did not come back on port " + proxy.getListenPort());
      }
      Thread.sleep(20);
    }
  }
}
