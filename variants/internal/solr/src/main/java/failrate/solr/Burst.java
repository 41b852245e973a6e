package failrate.solr;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Asks failrate for load around one moment: by a file that it looks for. Without failrate nothing is asked. */
final class Burst {
  private static final long LEAD_MS = 100; // for the load to be there

  private final Path file = System.getenv("FAILRATE_BURST") == null ? null : Path.of(System.getenv("FAILRATE_BURST"));

  void begin() throws IOException, InterruptedException {
    if (file != null && !Files.exists(file)) {
      Files.createFile(file);
      Thread.sleep(LEAD_MS);
    }
  }

  void end() throws IOException {
    if (file != null) {
      Files.deleteIfExists(file);
    }
  }
}
