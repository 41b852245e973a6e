package failrate.solr;

import java.util.Map;
import org.apache.solr.client.solrj.SolrClient;
import org.apache.solr.client.solrj.SolrRequest;
import org.apache.solr.client.solrj.impl.Http2SolrClient;
import org.apache.solr.client.solrj.request.GenericSolrRequest;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.util.NamedList;

/** What a node's metrics say of the queries that its cores have had since it began. */
final class Metrics {
  final long coordinated; // that a core was asked for as a whole, from outside or by another node
  final long shards; // that a core was asked for as a part of one

  private Metrics(long coordinated, long shards) {
    this.coordinated = coordinated;
    this.shards = shards;
  }

  static Metrics of(Node node) throws Exception {
    try (SolrClient client = new Http2SolrClient.Builder(node.url).build()) {
      return new Metrics(sum(client, "QUERY./select.requests"), sum(client, "QUERY./select[shard].requests"));
    }
  }

  Metrics since(Metrics before) {
    return new Metrics(coordinated - before.coordinated, shards - before.shards);
  }

  private static long sum(SolrClient client, String name) throws Exception {
    ModifiableSolrParams p = new ModifiableSolrParams();
    p.set("group", "core");
    p.set("prefix", name);
    long sum = 0;
    NamedList<?> all = client.request(new GenericSolrRequest(SolrRequest.METHOD.GET, "/admin/metrics", p));
    NamedList<?> cores = (NamedList<?>) all.get("metrics");
    for (Map.Entry<String, ?> core : cores) {
      Object value = get(core.getValue(), name);
      sum += value instanceof Number ? ((Number) value).longValue() : 0;
    }
    return sum;
  }

  private static Object get(Object metrics, String name) {
    if (metrics instanceof NamedList) {
      return ((NamedList<?>) metrics).get(name);
    }
    return metrics instanceof Map ? ((Map<?, ?>) metrics).get(name) : null;
  }
}
