package failrate.solr;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A load balancer in front of the nodes, and its clients: round robin, plain HTTP, a number of requests at once. */
final class Balancer {
  /** One request and its answer. */
  static final class Answer {
    final int node; // where it landed: an index of the nodes
    final int status;
    final long found; // documents; -1 when the answer does not say
    final double millis;

    Answer(int node, int status, long found, double millis) {
      this.node = node;
      this.status = status;
      this.found = found;
      this.millis = millis;
    }
  }

  private static final Pattern FOUND = Pattern.compile("\"numFound\":\\s*([0-9]+)");

  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<String> nodes; // base URLs, such as http://127.0.0.1:8983/solr

  Balancer(List<String> nodes) {
    this.nodes = nodes;
  }

  List<Answer> get(String path, int requests, int atOnce) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(atOnce);
    try {
      List<Future<Answer>> all = new ArrayList<>();
      for (int i = 0; i < requests; i++) {
        int node = i % nodes.size();
        all.add(pool.submit(() -> one(node, HttpRequest.newBuilder(URI.create(nodes.get(node) + path)).build())));
      }
      List<Answer> answers = new ArrayList<>();
      for (Future<Answer> f : all) {
        answers.add(f.get());
      }
      return answers;
    } finally {
      pool.shutdownNow();
    }
  }

  Answer post(int node, String path, String json) throws IOException, InterruptedException {
    return one(
        node,
        HttpRequest.newBuilder(URI.create(nodes.get(node) + path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .build());
  }

  private Answer one(int node, HttpRequest request) throws IOException, InterruptedException {
    long start = System.nanoTime();
    HttpResponse<String> r = http.send(request, HttpResponse.BodyHandlers.ofString());
    double millis = (System.nanoTime() - start) / 1e6;
    Matcher m = FOUND.matcher(r.body());
    return new Answer(node, r.statusCode(), m.find() ? Long.parseLong(m.group(1)) : -1, millis);
  }
}
