package failrate.solr;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.io.OutputStreamWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Nodes that are each a JVM of its own: AliasNode. A node asks nothing and answers what it is asked, by lines through
 * its standard input and output. When this JVM ends, however it does, their input ends, and so do they.
 */
final class Processes implements Fleet {
  private static final String HEAP = "-Xmx256m"; // of each node

  private static final String COORDINATOR = "solr.node.roles=coordinator:on,data:off";

  private final String zooKeeper;
  private final Path home; // a folder for theirs
  private final List<Child> children = new ArrayList<>();

  Processes(String zooKeeper, Path home) {
    this.zooKeeper = zooKeeper;
    this.home = home;
  }

  @Override
  public List<Node> start(int count, boolean coordinators) throws Exception {
    List<Child> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Path own = Files.createDirectories(home.resolve("node-" + children.size()));
      Child child = new Child(command(own, coordinators));
      children.add(child);
      started.add(child);
    }
    List<Node> nodes = new ArrayList<>();
    for (Child c : started) {
      String[] place = c.answer().split(" ");
      nodes.add(new Node(place[0], place[1]));
    }
    return nodes;
  }

  /** This JVM's own flags, but for the size of its heap. */
  private List<String> command(Path own, boolean coordinator) {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (!flag.startsWith("-Xmx")) {
        command.add(flag);
      }
    }
    String classes = System.getProperty("java.class.path"); // may be relative: the folder stays the same
    command.addAll(List.of(HEAP, "-DmetricsEnabled=true", "-cp", classes));
    if (coordinator) {
      command.add("-D" + COORDINATOR);
    }
    command.addAll(List.of(AliasNode.class.getName(), "--zookeeper", zooKeeper, "--home", own.toString()));
    return command;
  }

  @Override
  public void watch() throws Exception {
    for (Child c : children) {
      c.ask("watch");
    }
    for (Child c : children) {
      c.answer();
    }
  }

  @Override
  public List<Work> work() throws Exception {
    for (Child c : children) {
      c.ask("work");
    }
    List<Work> list = new ArrayList<>();
    for (Child c : children) {
      list.add(Work.parse(c.answer()));
    }
    return list;
  }

  @Override
  public void close() throws Exception {
    for (Child c : children) {
      c.process.destroyForcibly();
    }
    for (Child c : children) {
      c.process.waitFor(10, TimeUnit.SECONDS);
    }
  }

  private static final class Child {
    private final Process process;
    private final Writer in;
    private final BufferedReader out;

    Child(List<String> command) throws IOException {
      process = new ProcessBuilder(command).directory(new File("").getAbsoluteFile()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      in = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
      out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    void ask(String word) throws IOException {
      in.write(word + "\n");
      in.flush();
    }

    String answer() throws IOException, InterruptedException {
      String line = out.readLine();
      if (line == null) {
        throw new IOException("the JVM of a node ended with status " + process.waitFor() + ": what it said is in the output");
      }
      return line;
    }
  }
}
