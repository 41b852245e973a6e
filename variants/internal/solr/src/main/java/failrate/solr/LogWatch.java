package failrate.solr;

import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/**
 * Reads along in the log for the lines that show what happened after a cut. A new replica recovers too, so lines from
 * before the cut must not count: what is seen before restart is forgotten.
 */
final class LogWatch extends AbstractAppender {
  /** A line that means something, by how it begins. In the order in which a recovery by a full copy shows them. */
  enum Mark {
    CUT("Closing "),
    RECOVERY("Starting recovery process. recoveringAfterStartup=false"),
    NO_PEER_SYNC("PeerSync Recovery was not successful - trying replication."),
    REPLICATION("Starting Replication Recovery."),
    DOWNLOAD("Starting download (fullCopy="),
    REPLICATED("Replication Recovery was successful."),
    // and what is no step of it
    PEER_SYNC("PeerSync stage of recovery was successful."),
    IN_SYNC("Follower in sync with leader."),
    CLOUD_RETRY("Request to collection ");

    private final String start;

    Mark(String start) {
      this.start = start;
    }

    private boolean of(String line) {
      return line.startsWith(start) && (this != CUT || line.contains(" connections to: ")) && (this != CLOUD_RETRY || line.endsWith("- retrying"));
    }
  }

  private static final String[] SOURCES = {"SocketProxy", "RecoveryStrategy", "IndexFetcher", "CloudSolrClient"};

  private final List<Mark> seen = new ArrayList<>();

  private LogWatch() {
    super("failrate", null, null, true, Property.EMPTY_ARRAY);
  }

  static LogWatch begin() {
    LogWatch w = new LogWatch();
    w.start();
    ((Logger) LogManager.getRootLogger()).addAppender(w);
    return w;
  }

  void end() {
    ((Logger) LogManager.getRootLogger()).removeAppender(this);
    stop();
  }

  synchronized void restart() {
    seen.clear();
  }

  synchronized int count(Mark mark) {
    return (int) seen.stream().filter(m -> m == mark).count();
  }

  /** Whether the log shows that a replica came back by a full copy and nothing shorter: each step after the one before. */
  synchronized boolean fullCopy() {
    int from = 0;
    for (Mark step : new Mark[] {Mark.CUT, Mark.RECOVERY, Mark.NO_PEER_SYNC, Mark.REPLICATION, Mark.DOWNLOAD, Mark.REPLICATED}) {
      int at = seen.subList(from, seen.size()).indexOf(step);
      if (at < 0) {
        return false;
      }
      from += at + 1;
    }
    return true;
  }

  @Override
  public void append(LogEvent event) {
    String name = event.getLoggerName();
    for (String source : SOURCES) {
      if (name.endsWith(source)) {
        note(event.getMessage().getFormattedMessage());
        return;
      }
    }
  }

  private synchronized void note(String line) {
    for (Mark m : Mark.values()) {
      if (m.of(line)) {
        seen.add(m);
        return;
      }
    }
  }
}
