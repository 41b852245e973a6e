# Reference values for numeric metrics: Mann-Whitney and Hodges-Lehmann.
# Run from this folder: Rscript reference_numeric.R
set.seed(18530)
head <- function(call) sprintf('{"call": "%s", "versions": {"R": "%s.%s"}, "cases": [\n', call, R.version$major, R.version$minor)
num <- function(x) sprintf("%.17g", as.numeric(x))
list_of <- function(x) paste0("[", paste(num(x), collapse = ", "), "]")

rows <- c()
for (i in 1:45) {
  m <- sample(c(3, 5, 8, 20, 49, 60, 120), 1); n <- sample(c(3, 5, 8, 20, 49, 60, 120), 1)
  x <- rexp(m, 1 / 40) + runif(1, 0, 20); y <- rexp(n, 1 / 40)
  if (i %% 3 == 0) { x <- round(x, -1); y <- round(y, -1) } else { x <- round(x, 6); y <- round(y, 6) }
  w <- suppressWarnings(wilcox.test(x, y))
  rows <- c(rows, sprintf('{"a": %s, "b": %s, "p": %s}', list_of(x), list_of(y), num(w$p.value)))
}
cat(head("wilcox.test(a, b)"), paste(rows, collapse = ",\n"), "\n]}\n", sep = "", file = "mannwhitney.json")

rows <- c()
for (i in 1:40) {
  m <- sample(4:49, 1); n <- sample(4:49, 1)
  x <- round(rexp(m, 1 / 40) + runif(1, 0, 20), 6); y <- round(rexp(n, 1 / 40), 6)
  level <- sample(c(0.8, 0.9, 0.95), 1)
  w <- wilcox.test(x, y, conf.int = TRUE, conf.level = level)
  if (attr(w$conf.int, "conf.level") != level) next # too few values for the level
  rows <- c(rows, sprintf('{"variant": %s, "base": %s, "level": %g, "shift": %s, "low": %s, "high": %s}',
                          list_of(x), list_of(y), level, num(w$estimate), num(w$conf.int[1]), num(w$conf.int[2])))
}
cat(head("wilcox.test(variant, base, conf.int=TRUE)"), paste(rows, collapse = ",\n"), "\n]}\n", sep = "", file = "hodgeslehmann.json")
