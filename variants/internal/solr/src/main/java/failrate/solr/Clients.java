package failrate.solr;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.solr.client.solrj.impl.CloudHttp2SolrClient;
import org.apache.solr.client.solrj.impl.CloudLegacySolrClient;
import org.apache.solr.client.solrj.impl.CloudSolrClient;
import org.apache.solr.client.solrj.impl.Http2SolrClient;

/** Makes the clients that are compared, with the time limits of Solr's own test. */
final class Clients {
  /** Which nodes a client sends updates to. */
  enum Route {
    ANY_REPLICA,
    LEADER_FIRST, // the other replicas are for when the leader cannot be reached
    LEADER_ONLY
  }

  final String kind; // jetty-h2, jetty-h1 or apache
  final String rule; // what makes the client repeat a request: see RuledClient
  final Wiretap tap;

  Clients(String kind, String rule, Wiretap tap) {
    if (kind.equals("apache") && !rule.equals("shipped")) {
      throw new IllegalArgumentException("--rule is for Jetty's client");
    }
    this.kind = kind;
    this.rule = rule;
    this.tap = tap;
  }

  CloudSolrClient cloud(String zookeeper, String collection, Route route) {
    return kind.equals("apache") ? apache(zookeeper, collection, route) : jetty(zookeeper, collection, route);
  }

  /** A builder for Jetty's client of one node, or with null of whichever node a request is for. */
  Http2SolrClient.Builder node(String url) {
    return new Http2SolrClient.Builder(url)
        .useHttp1_1(kind.equals("jetty-h1"))
        .withConnectionTimeout(30, TimeUnit.SECONDS)
        .withIdleTimeout(120, TimeUnit.SECONDS)
        .withListenerFactories(List.of(tap));
  }

  private CloudSolrClient jetty(String zookeeper, String collection, Route route) {
    CloudHttp2SolrClient.Builder b =
        new CloudHttp2SolrClient.Builder(List.of(zookeeper), Optional.empty())
            .withInternalClientBuilder(node(null))
            .withDefaultCollection(collection)
            .withParallelUpdates(false);
    switch (route) {
      case ANY_REPLICA:
        b.sendUpdatesToAnyReplica();
        break;
      case LEADER_FIRST:
        b.sendUpdatesOnlyToShardLeaders().sendDirectUpdatesToAnyShardReplica();
        break;
      case LEADER_ONLY:
        b.sendUpdatesOnlyToShardLeaders().sendDirectUpdatesToShardLeadersOnly();
        break;
    }
    return rule.equals("shipped") ? b.build() : new RuledClient(b, RuledClient.Rule.of(rule), tap);
  }

  private CloudSolrClient apache(String zookeeper, String collection, Route route) {
    CloudLegacySolrClient.Builder b =
        new CloudLegacySolrClient.Builder(List.of(zookeeper), Optional.empty())
            .withDefaultCollection(collection)
            .withParallelUpdates(false)
            .withConnectionTimeout(30000)
            .withSocketTimeout(120000);
    switch (route) {
      case ANY_REPLICA:
        b.sendUpdatesToAnyReplica();
        break;
      case LEADER_FIRST:
        b.sendUpdatesOnlyToShardLeaders().sendDirectUpdatesToAnyShardReplica();
        break;
      case LEADER_ONLY:
        b.sendUpdatesOnlyToShardLeaders().sendDirectUpdatesToShardLeadersOnly();
        break;
    }
    return b.build();
  }
}
