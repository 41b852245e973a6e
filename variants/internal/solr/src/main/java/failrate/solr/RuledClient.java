package failrate.solr;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.apache.solr.client.solrj.SolrServerException;
import org.apache.solr.client.solrj.impl.CloudHttp2SolrClient;
import org.apache.solr.client.solrj.impl.LBHttp2SolrClient;

/**
 * Jetty's client with another answer to the question whether a failed request is repeated. The release has no way to
 * tell that a request was never sent; the wiretap has.
 */
final class RuledClient extends CloudHttp2SolrClient {
  /** When a failed request is repeated, in addition to what the release does. */
  enum Rule {
    /** When it was not committed: first at the next node, then as a whole. What SOLR-18401 made of later releases. */
    UNSENT,
    /** As a whole, when the channel was closed under it. */
    CLOSED_CHANNEL,
    /** As a whole, after every failure of input or output. */
    ALL;

    static Rule of(String word) {
      return valueOf(word.toUpperCase(java.util.Locale.ROOT).replace('-', '_'));
    }
  }

  private final Rule rule;
  private final Wiretap tap;
  private final LBHttp2SolrClient unsentGoesOn;

  RuledClient(Builder builder, Rule rule, Wiretap tap) {
    super(builder);
    this.rule = rule;
    this.tap = tap;
    this.unsentGoesOn = new UnsentGoesOn();
  }

  @Override
  public LBHttp2SolrClient getLbClient() {
    return rule == Rule.UNSENT ? unsentGoesOn : super.getLbClient();
  }

  @Override
  protected boolean wasCommError(Throwable rootCause) {
    if (super.wasCommError(rootCause)) {
      return true;
    }
    switch (rule) {
      case UNSENT:
        return unsent();
      case CLOSED_CHANNEL:
        return rootCause instanceof ClosedChannelException;
      default:
        return rootCause instanceof IOException;
    }
  }

  private boolean unsent() {
    Wiretap.Attempt last = tap.last();
    return last != null && !last.committed();
  }

  @Override
  public void close() throws IOException {
    unsentGoesOn.close();
    super.close();
  }

  /** The layer that goes from node to node: an update that was never sent goes on to the next one. */
  private final class UnsentGoesOn extends LBHttp2SolrClient {
    UnsentGoesOn() {
      super(getHttpClient());
    }

    @Override
    protected Exception doRequest(String baseUrl, Req req, Rsp rsp, boolean isNonRetryable, boolean isZombie)
        throws SolrServerException, IOException {
      try {
        return super.doRequest(baseUrl, req, rsp, isNonRetryable, isZombie);
      } catch (SolrServerException e) {
        if (!isNonRetryable || !unsent()) {
          throw e;
        }
        return isZombie ? e : makeServerAZombie(baseUrl, e);
      }
    }
  }
}
