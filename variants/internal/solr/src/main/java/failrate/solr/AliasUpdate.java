package failrate.solr;

import java.util.List;
import org.apache.solr.client.solrj.SolrQuery;
import org.apache.solr.client.solrj.impl.CloudSolrClient;
import org.apache.solr.client.solrj.request.UpdateRequest;

/** Sends an update through the alias by plain HTTP, finds the collection that took it, and takes it out again. */
final class AliasUpdate {
  private final CloudSolrClient client;
  private final Balancer balancer;

  AliasUpdate(CloudSolrClient client, Balancer balancer) {
    this.client = client;
    this.balancer = balancer;
  }

  void note(Round round, String alias, List<String> members, String id) throws Exception {
    Balancer.Answer answer =
        balancer.post(0, "/" + alias + "/update?commit=true&wt=json", "[{\"id\":\"" + id + "\"}]");
    round.metric("update_status", answer.status);
    for (String member : members) {
      if (client.query(member, new SolrQuery("id:" + id)).getResults().getNumFound() > 0) {
        round.seen(members.indexOf(member) == 0 ? "update-in-first" : "update-elsewhere");
        round.fact("update-landed-in", member);
        new UpdateRequest().deleteById(id).commit(client, member);
      }
    }
  }
}
