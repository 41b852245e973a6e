package failrate.solr;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.noggit.JSONUtil;

/** The rounds as JSON lines, in the file that failrate names, or on standard output without one. */
final class Records {
  private final String file = System.getenv("FAILRATE_RECORDS");

  void add(Round round) {
    try {
      String line = JSONUtil.toJSON(round.asMap(), -1) + "\n";
      System.out.print("round: " + line);
      if (file != null) {
        Files.write(Path.of(file), line.getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
