package failrate.solr;

/** What a node did while it was watched, as it shows from inside. */
final class Work {
  final int coordinated; // queries in its request log that are no part of another one
  final int forwarded; // of those, passed on by another node
  final double busyThreads; // mean number of threads of its web server that do work
  final int threads; // most threads of its JVM; 0 when the nodes share one

  Work(int coordinated, int forwarded, double busyThreads, int threads) {
    this.coordinated = coordinated;
    this.forwarded = forwarded;
    this.busyThreads = busyThreads;
    this.threads = threads;
  }

  /** One line, which parse reads. */
  String text() {
    return coordinated + " " + forwarded + " " + busyThreads + " " + threads;
  }

  static Work parse(String text) {
    String[] w = text.split(" ");
    return new Work(Integer.parseInt(w[0]), Integer.parseInt(w[1]), Double.parseDouble(w[2]), Integer.parseInt(w[3]));
  }
}
