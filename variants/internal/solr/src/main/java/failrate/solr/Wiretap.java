package failrate.solr;

import java.util.ArrayList;
import java.util.List;
import org.apache.http.HttpHost;
import org.apache.http.HttpRequest;
import org.apache.http.HttpRequestInterceptor;
import org.apache.http.protocol.HttpContext;
import org.apache.http.protocol.HttpCoreContext;
import org.apache.solr.client.solrj.impl.HttpListenerFactory;
import org.eclipse.jetty.client.api.Request;

/**
 * What a client tried to send, in order: to which port, when, and whether it was committed, which is Jetty's word for a
 * request whose headers were written to the local socket. It listens to one thread, between begin and end.
 */
final class Wiretap implements HttpListenerFactory, HttpRequestInterceptor {
  /** One request to one node. */
  static final class Attempt {
    final int port;
    final long nanos = System.nanoTime();
    private volatile boolean committed;
    private HttpContext apache; // null for Jetty

    Attempt(int port) {
      this.port = port;
    }

    boolean committed() {
      return apache == null ? committed : Boolean.TRUE.equals(apache.getAttribute(HttpCoreContext.HTTP_REQ_SENT));
    }
  }

  private final List<Attempt> attempts = new ArrayList<>();
  private volatile Thread owner; // whose requests count; null outside begin and end

  synchronized void begin() {
    attempts.clear();
    owner = Thread.currentThread();
  }

  void end() {
    owner = null;
  }

  synchronized List<Attempt> attempts() {
    return List.copyOf(attempts);
  }

  /** The latest attempt; null before the first. */
  synchronized Attempt last() {
    return attempts.isEmpty() ? null : attempts.get(attempts.size() - 1);
  }

  private synchronized Attempt add(int port) {
    Attempt a = new Attempt(port);
    attempts.add(a);
    return a;
  }

  @Override
  public RequestResponseListener get() {
    return new RequestResponseListener() {
      @Override
      public void onQueued(Request request) {
        if (Thread.currentThread() == owner) {
          Attempt a = add(request.getPort());
          request.onRequestCommit(r -> a.committed = true);
        }
      }
    };
  }

  @Override
  public void process(HttpRequest request, HttpContext context) {
    if (Thread.currentThread() == owner) {
      Object target = context.getAttribute(HttpCoreContext.HTTP_TARGET_HOST);
      add(target instanceof HttpHost ? ((HttpHost) target).getPort() : -1).apache = context;
    }
  }
}
