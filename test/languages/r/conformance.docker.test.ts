import { conformanceSuite } from '../conformance.ts';

const CLEAN = String.raw`
commands <- vapply(Sys.glob("/proc/[0-9]*/cmdline"), function(path) {
  paste(suppressWarnings(tryCatch(readLines(path, skipNul = TRUE), error = function(e) "")), collapse = " ")
}, "")
left <- file.exists("/workspace/mark.txt") || file.exists("/tmp/mark.txt") || any(grepl("3600", commands))
cat(if (left) "left\n" else "clean\n")`;

conformanceSuite({
  language: 'r',
  print: 'cat("out\\n"); message("err")',
  value: 'print.answer <- function(x, ...) cat("42\\n"); structure(1, class = "answer")',
  failing: { code: 'a <- 1\nb <- 2\nstop("it broke")', name: 'Error', text: /it broke[\s\S]*#3/ },
  broken: { code: 'x <- c(1,\n2))', name: 'ParseError' },
  echo: 'cat(readLines(file("stdin"), warn = FALSE), sep = "\\n")\nif (FALSE) 1',
  busy: 'cat("on\\n"); while (TRUE) {}',
  waiting: 'cat("on\\n"); Sys.sleep(3600)',
  flood: 'cat(strrep("x", 2e6))',
  exit: 'quit(status = 3); cat("after\\n")',
  bomb: 'all <- list(); while (TRUE) all[[length(all) + 1]] <- rnorm(1e6)',
  set: 'counter <- 10',
  get: 'cat(counter, "\\n", sep = "")',
  define: 'double <- function(n) n * 2',
  call: 'cat(double(21), "\\n", sep = "")',
  leave: 'for (f in c("/workspace/mark.txt", "/tmp/mark.txt")) writeLines("x", f)\nsystem("sleep 3600", wait = FALSE)',
  look: CLEAN,
  completion: { code: 'cat(coun', match: 'counter' },
});
