package failrate.solr;

import java.util.Map;
import java.util.TreeMap;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** Counts the queries that each node coordinated, by Solr's own request log: all, and those that another node passed on. */
final class RequestLog extends AbstractAppender {
  private final Map<String, Integer> coordinated = new TreeMap<>();
  private final Map<String, Integer> forwarded = new TreeMap<>();

  private RequestLog() {
    super("failrate-requests", null, null, true, Property.EMPTY_ARRAY);
  }

  static RequestLog begin() {
    RequestLog w = new RequestLog();
    w.start();
    ((Logger) LogManager.getRootLogger()).addAppender(w);
    return w;
  }

  void end() {
    ((Logger) LogManager.getRootLogger()).removeAppender(this);
    stop();
  }

  synchronized void restart() {
    coordinated.clear();
    forwarded.clear();
  }

  synchronized int coordinated(String node) {
    return coordinated.getOrDefault(node, 0);
  }

  synchronized int forwarded(String node) {
    return forwarded.getOrDefault(node, 0);
  }

  @Override
  public void append(LogEvent event) {
    if (!event.getLoggerName().endsWith("SolrCore.Request")) {
      return;
    }
    String line = event.getMessage().getFormattedMessage();
    if (!line.contains("path=/select") || line.contains("isShard=true")) {
      return;
    }
    String node = String.valueOf(event.getContextData().<String>getValue("node_name"));
    count(coordinated, node);
    if (line.contains("_forwardedCount=")) {
      count(forwarded, node);
    }
  }

  private synchronized void count(Map<String, Integer> by, String node) {
    by.merge(node, 1, Integer::sum);
  }
}
