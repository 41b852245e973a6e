# Reference values for pooled strata and for clustered rounds.
# Run from this folder: Rscript reference_strata.R
# Needs metafor and survey (Debian: r-cran-metafor, r-cran-survey).
suppressMessages({library(metafor); library(survey)})
set.seed(18530)
head <- function(call, packages) {
  versions <- sprintf('"R": "%s.%s"', R.version$major, R.version$minor)
  for (p in packages) versions <- paste0(versions, sprintf(', "%s": "%s"', p, packageVersion(p)))
  sprintf('{"call": "%s", "versions": {%s}, "cases": [\n', call, versions)
}
num <- function(x) sprintf("%.17g", as.numeric(x))
list_of <- function(x) paste0("[", paste(x, collapse = ", "), "]")

rows <- c()
for (i in 1:40) {
  s <- 2 + i %% 5
  n1 <- sample(10:150, s, TRUE); n0 <- sample(10:150, s, TRUE)
  p0 <- runif(s, 0.05, 0.6); p1 <- pmin(0.95, p0 * runif(1, 0.2, 1.5))
  a <- rbinom(s, n1, p1); c <- rbinom(s, n0, p0)
  level <- c(90, 95, 99)[1 + i %% 3]
  rd <- rma.mh(ai = a, n1i = n1, ci = c, n2i = n0, measure = "RD", level = level)
  or <- rma.mh(ai = a, n1i = n1, ci = c, n2i = n0, measure = "OR", level = level, correct = FALSE, drop00 = TRUE)
  rows <- c(rows, sprintf('{"variant_k": %s, "variant_n": %s, "base_k": %s, "base_n": %s, "level": %g, "rd": %s, "rd_low": %s, "rd_high": %s, "or": %s, "or_low": %s, "or_high": %s, "p": %s, "tarone_p": %s}',
    list_of(a), list_of(n1), list_of(c), list_of(n0), level / 100,
    num(rd$b), num(rd$ci.lb), num(rd$ci.ub), num(exp(or$b)), num(exp(or$ci.lb)), num(exp(or$ci.ub)), num(or$MHp), num(or$TAp)))
}
cat(head("metafor::rma.mh(ai, n1i, ci, n2i, measure='RD' and 'OR', correct=FALSE)", "metafor"),
    paste(rows, collapse = ",\n"), "\n]}\n", sep = "", file = "mantelhaenszel.json")

rows <- c()
while (length(rows) < 40) {
  m <- sample(c(5, 8, 15, 30, 80), 1)
  n <- if (length(rows) %% 2) rep(10, m) else sample(2:25, m, TRUE)
  p <- rbeta(m, 0.6, 2.4)
  k <- rbinom(m, n, p)
  if (sum(k) == 0 || sum(k) == sum(n)) next
  level <- sample(c(0.9, 0.95, 0.99), 1)
  d <- data.frame(trial = rep(seq_len(m), n), y = unlist(mapply(function(k, n) rep(c(1, 0), c(k, n - k)), k, n, SIMPLIFY = FALSE)))
  design <- svydesign(ids = ~trial, data = d, weights = ~1)
  r <- svyciprop(~y, design, method = "beta", level = level)
  ci <- attr(r, "ci")
  mean <- svymean(~y, design)
  rate <- as.numeric(coef(mean)); v <- as.numeric(vcov(mean)); total <- nrow(d)
  effective <- rate * (1 - rate) / v * (qt((1 - level) / 2, total - 1) / qt((1 - level) / 2, m - 1))^2
  if (effective >= total) next # survey does not cap the effective number; this package does
  rows <- c(rows, sprintf('{"k": %s, "n": %s, "level": %g, "deff": %s, "low": %s, "high": %s}',
    list_of(k), list_of(n), level, num(v * total / (rate * (1 - rate))), num(ci[1]), num(ci[2])))
}
cat(head("survey::svyciprop(~y, svydesign(ids=~trial, weights=~1), method='beta')", "survey"),
    paste(rows, collapse = ",\n"), "\n]}\n", sep = "", file = "korngraubard.json")

# The exact test of several tables; R doubles no tail but adds what is no more probable,
# so the one-sided values are compared.
rows <- c()
for (i in 1:40) {
  s <- 2 + i %% 3
  n1 <- sample(3:30, s, TRUE); n0 <- sample(3:30, s, TRUE)
  a <- rbinom(s, n1, 0.3); c <- rbinom(s, n0, 0.2)
  if (any(a + c == 0) || any(a + c == n1 + n0)) next
  t <- array(rbind(a, n1 - a, c, n0 - c), c(2, 2, s))
  less <- mantelhaen.test(t, exact = TRUE, alternative = "less")$p.value
  greater <- mantelhaen.test(t, exact = TRUE, alternative = "greater")$p.value
  rows <- c(rows, sprintf('{"variant_k": %s, "variant_n": %s, "base_k": %s, "base_n": %s, "p": %s}',
    list_of(a), list_of(n1), list_of(c), list_of(n0), num(min(1, 2 * min(less, greater)))))
}
cat(head("2*min of mantelhaen.test(t, exact=TRUE, alternative='less', 'greater')", c()),
    paste(rows, collapse = ",\n"), "\n]}\n", sep = "", file = "pooledexact.json")
