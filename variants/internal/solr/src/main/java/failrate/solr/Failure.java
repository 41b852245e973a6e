package failrate.solr;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.http.NoHttpResponseException;

/** Gives an update that failed its class. */
final class Failure {
  private Failure() {}

  /**
   * @param last the latest attempt; its port must be that of the cut for the failure to be about the cut
   */
  static Round judge(Round round, Throwable thrown, Wiretap.Attempt last, int cutPort) {
    return round.fail(name(thrown, last, cutPort), text(thrown));
  }

  private static String name(Throwable thrown, Wiretap.Attempt last, int cutPort) {
    List<Throwable> causes = causes(thrown);
    Throwable root = causes.get(causes.size() - 1);
    if (last == null || last.port != cutPort) {
      return "elsewhere";
    }
    if (root instanceof ConnectException) {
      return "refused";
    }
    if (causes.stream().anyMatch(t -> t instanceof NoHttpResponseException) || root instanceof SocketException) {
      return "legacy-committed"; // Apache's client: the request was written, or partly, and nobody answered
    }
    if (!last.committed()) {
      return "not-sent";
    }
    return cut(root) ? "committed" : "other";
  }

  /** Whether this is how the end of a connection shows in Jetty's client. */
  private static boolean cut(Throwable root) {
    String m = String.valueOf(root.getMessage());
    return root instanceof ClosedChannelException
        || root instanceof IOException && (m.contains("Broken pipe") || m.contains("Connection reset") || m.contains("cancel_stream_error"));
  }

  /** A throwable and its causes, the root last. */
  static List<Throwable> causes(Throwable t) {
    List<Throwable> list = new ArrayList<>();
    Set<Throwable> known = Collections.newSetFromMap(new IdentityHashMap<>());
    for (; t != null && known.add(t); t = t.getCause()) {
      list.add(t);
    }
    return list;
  }

  static String text(Throwable thrown) {
    StringBuilder b = new StringBuilder();
    for (Throwable t : causes(thrown)) {
      b.append(b.length() == 0 ? "" : " <- ").append(t.getClass().getName()).append(": ").append(t.getMessage());
    }
    return b.toString();
  }
}
