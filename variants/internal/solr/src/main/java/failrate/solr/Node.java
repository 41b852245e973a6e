package failrate.solr;

/** Where a node of the cluster is. */
final class Node {
  final String name; // as Solr has it: 127.0.0.1:8983_solr
  final String url; // http://127.0.0.1:8983/solr

  Node(String name, String url) {
    this.name = name;
    this.url = url;
  }
}
