# Reference values for the Clopper-Pearson and Jeffreys intervals.
# Run from this folder: Rscript reference_rates.R

counts <- list(
  c(0, 1), c(1, 1), c(0, 2), c(1, 2), c(2, 2), c(0, 10), c(1, 10), c(5, 10), c(9, 10), c(10, 10),
  c(0, 100), c(1, 100), c(2, 100), c(16, 100), c(50, 100), c(84, 100), c(99, 100), c(100, 100),
  c(3, 52), c(7, 20), c(1, 1000), c(16, 1000), c(1, 1e6), c(5, 1e6), c(123456, 1e6),
  c(0, 1e9), c(1, 1e9), c(1000, 1e9), c(1e8, 1e9), c(5e8, 1e9), c(1e9 - 1, 1e9), c(1e9, 1e9))
levels <- c(0.5, 0.8, 0.9, 0.95, 0.99, 0.9999)

# The ends at k = 0 and k = n as Clopper and Pearson 1934, and Brown, Cai and DasGupta
# 2001, set them.
write <- function(file, call, lower, upper) {
  rows <- c()
  for (c in counts) for (level in levels) {
    k <- c[1]; n <- c[2]; tail <- (1 - level) / 2
    low <- if (k > 0) lower(k, n, tail) else 0
    high <- if (k < n) upper(k, n, tail) else 1
    rows <- c(rows, sprintf('{"k": %.0f, "n": %.0f, "level": %.4g, "low": %.17g, "high": %.17g}', k, n, level, low, high))
  }
  head <- sprintf('{"call": "%s", "versions": {"R": "%s.%s"}, "cases": [\n', call, R.version$major, R.version$minor)
  cat(head, paste(rows, collapse = ",\n"), "\n]}\n", sep = "", file = file)
}

write("clopper-pearson.json", "qbeta(t, k, n-k+1), qbeta(t, k+1, n-k, lower.tail=FALSE)",
      function(k, n, t) qbeta(t, k, n - k + 1),
      function(k, n, t) qbeta(t, k + 1, n - k, lower.tail = FALSE))
write("jeffreys.json", "qbeta(t, k+.5, n-k+.5), qbeta(t, k+.5, n-k+.5, lower.tail=FALSE)",
      function(k, n, t) qbeta(t, k + 0.5, n - k + 0.5),
      function(k, n, t) qbeta(t, k + 0.5, n - k + 0.5, lower.tail = FALSE))
