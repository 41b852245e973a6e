package failrate.solr;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.solr.embedded.JettyConfig;
import org.apache.solr.embedded.JettySolrRunner;

/** A node that is a JVM of its own: Processes starts it, and it lives as long as the JVM that did. */
public final class AliasNode {
  private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
  private final PrintStream answers = System.out;

  private AliasNode() {}

  public static void main(String[] words) {
    AliasNode node = new AliasNode();
    System.setOut(System.err); // the log is no answer; to be done before there is one
    Thread parent = new Thread(node::listen, "parent");
    parent.setDaemon(true);
    parent.start();
    try {
      node.run(Options.parse(words));
    } catch (Throwable t) {
      t.printStackTrace();
    }
    Runtime.getRuntime().halt(1);
  }

  /** Hands on what the parent asks, and ends the JVM with the parent. */
  private void listen() {
    try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line; (line = in.readLine()) != null; ) {
        asked.add(line);
      }
    } catch (IOException e) {
      e.printStackTrace();
    }
    Runtime.getRuntime().halt(0);
  }

  private void run(Options o) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("zkHost", o.word("zookeeper", ""));
    JettySolrRunner node = new JettySolrRunner(o.word("home", ""), properties, JettyConfig.builder().setContext("/solr").build());
    o.done();
    node.start();
    answer(node.getNodeName() + " " + node.getBaseUrl());
    RequestLog log = RequestLog.begin();
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    BusyThreads busy = null;
    for (; ; ) {
      String word = asked.take();
      if (word.equals("watch")) {
        log.restart();
        threads.resetPeakThreadCount();
        busy = new BusyThreads(List.of(node));
        answer("watching");
      } else if (word.equals("work") && busy != null) {
        String name = node.getNodeName();
        answer(new Work(log.coordinated(name), log.forwarded(name), busy.means()[0], threads.getPeakThreadCount()).text());
      } else {
        throw new IllegalStateException("asked for \"" + word + "\"");
      }
    }
  }

  private void answer(String line) {
    answers.println(line);
    answers.flush();
  }
}
