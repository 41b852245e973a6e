package failrate.solr;

/** The round that is under way. Each is written once, whatever becomes of it. */
final class Ledger {
  private final Records records = new Records();
  private Round round; // null between rounds

  synchronized Round begin() {
    round = new Round();
    return round;
  }

  /** Writes the round that is under way; nothing without one. */
  synchronized void end() {
    if (round != null) {
      records.add(round);
      round = null;
    }
  }

  /** Ends the round that is under way, or that should have been, by what went wrong in it. */
  synchronized void broken(String why) {
    records.add((round == null ? new Round() : round).broken(why));
    round = null;
  }
}
