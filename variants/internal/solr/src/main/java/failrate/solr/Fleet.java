package failrate.solr;

import java.util.List;

/** The nodes of one cluster, and a look at each from inside. */
interface Fleet extends AutoCloseable {
  /** Starts nodes at the same time and waits for them. Coordinators hold no data. */
  List<Node> start(int count, boolean coordinators) throws Exception;

  /** Begins to watch all nodes. */
  void watch() throws Exception;

  /** Ends the watch, and gives what each node did, in the order in which they were started. */
  List<Work> work() throws Exception;
}
