package failrate.solr;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.ServerSocket;
import org.apache.solr.client.solrj.cloud.SocketProxy;

/** Opens a proxy again after a cut. */
final class Proxies {
  private Proxies() {}

  /**
   * Fails when the proxy is not back: it says nothing itself when it could not bind. Its socket is asked and no
   * connection is made, as one that ends early stops a SocketProxy's acceptor.
   */
  static void reopen(SocketProxy proxy) throws IOException, ReflectiveOperationException {
    proxy.reopen();
    Field socket = SocketProxy.class.getDeclaredField("serverSocket");
    socket.setAccessible(true);
    if (!((ServerSocket) socket.get(proxy)).isBound()) {
      throw new IOException("the proxy did not come back on port " + proxy.getListenPort());
    }
  }
}
