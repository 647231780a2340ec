# Runs cells in the global environment, as R's own prompt would. relay.py describes the messages.
local({
  commands <- file("/proc/self/fd/3", open = "rb", raw = TRUE)
  messages <- file("/proc/self/fd/4", open = "wb", raw = TRUE)
  plots <- "/tmp/.hothouse-plots"

  receive <- function() {
    count <- readBin(commands, "integer", 1L, endian = "little")
    if (length(count) == 0L) return(NULL)
    vapply(seq_len(count), function(i) {
      size <- readBin(commands, "integer", 1L, endian = "little")
      text <- if (size == 0L) "" else rawToChar(readBin(commands, "raw", size))
      Encoding(text) <- "UTF-8"
      text
    }, "")
  }

  is_muted <- FALSE
  bytes <- function(field) if (is.raw(field)) field else charToRaw(enc2utf8(field))

  send <- function(...) {
    if (is_muted) return(invisible())
    fields <- lapply(list(...), bytes)
    size <- function(n) writeBin(as.integer(n), raw(), endian = "little")
    parts <- lapply(fields, function(field) c(size(length(field)), field))
    flush(stdout())
    writeBin(c(size(length(fields)), unlist(parts)), messages)
    flush(messages)
  }

  # What `q()` and `quit()` end the cell with; the session continues.
  quit_cell <- function(save = "default", status = 0, runLast = TRUE) {
    condition <- structure(list(message = "quit", call = NULL, status = as.integer(status)), class = c("hothouseQuit", "condition"))
    signalCondition(condition)
    stop("q() works in a cell only", call. = FALSE)
  }

  # The cell's stdin is descriptor 0, a file of its own. A connection reads ahead, so that all share one.
  input <- NULL
  open_input <- function() {
    if (is.null(input)) input <<- file("stdin", open = "r")
    input
  }
  close_input <- function() {
    if (!is.null(input)) try(close(input), silent = TRUE)
    input <<- NULL
  }
  read_line <- function(prompt = "") {
    cat(prompt)
    line <- readLines(open_input(), n = 1L, warn = FALSE)
    if (length(line) == 0L) "" else line
  }

  replace_in <- function(name, value, where) {
    environment <- as.environment(where)
    unlockBinding(name, environment)
    assign(name, value, environment)
    lockBinding(name, environment)
  }
  replace_in("q", quit_cell, baseenv())
  replace_in("quit", quit_cell, baseenv())
  replace_in("readline", read_line, baseenv())
  replace_in("stdin", function() open_input(), baseenv())

  # Plots are pictures, one for each page.
  opened <- NULL
  open_device <- function(...) {
    dir.create(plots, showWarnings = FALSE)
    grDevices::png(file.path(plots, "%04d.png"), width = 1200, height = 900, res = 150, type = "cairo")
    opened <<- grDevices::dev.cur()
  }
  options(device = open_device, bitmapType = "cairo", menu.graphics = FALSE, keep.source = TRUE, warn = 0L)

  show_plots <- function() {
    if (is.null(opened)) return(invisible())
    if (opened %in% grDevices::dev.list()) grDevices::dev.off(opened)
    opened <<- NULL
    for (path in sort(list.files(plots, full.names = TRUE))) {
      content <- readBin(path, "raw", file.size(path))
      # A page that nothing was drawn on has no file.
      if (length(content) > 0L) send("display", "image/png", content)
    }
    unlink(plots, recursive = TRUE)
  }

  one_line <- function(call) {
    text <- tryCatch(deparse(call, nlines = 1L)[1L], error = function(e) "?")
    if (nchar(text) > 120L) paste0(substr(text, 1L, 119L), "\u2026") else text
  }

  place <- function(call, name) {
    reference <- attr(call, "srcref")
    if (is.null(reference)) return("")
    file <- attr(reference, "srcfile")$filename
    sprintf(" at %s#%d", if (is.null(file)) name else file, reference[[1L]])
  }

  # The reference of the expression of the cell that is evaluated.
  current <- NULL

  # As R's traceback(): the latest call first, with its line.
  trace_of <- function(calls, name) {
    if (length(calls) == 0L) return(character())
    attr(calls[[1L]], "srcref") <- current
    texts <- vapply(calls, one_line, "")
    rev(sprintf("%d: %s%s", seq_along(calls), texts, vapply(calls, place, "", name)))
  }

  # The call that a condition names; the driver's own stands for none.
  call_of <- function(condition) {
    call <- conditionCall(condition)
    if (identical(call, quote(eval(expressions[[i]], globalenv())))) NULL else call
  }

  heading <- function(condition) {
    call <- call_of(condition)
    if (is.null(call)) "Error: " else sprintf("Error in %s : ", one_line(call))
  }

  # Whether there is an interface but the sandbox's own loopback.
  has_network <- function() {
    lines <- grep(":", readLines("/proc/net/dev", warn = FALSE), value = TRUE, fixed = TRUE)
    any(!grepl("^ *lo:", lines))
  }

  package_advice <- function(name) {
    paste0("Sessions of R get packages from their environment: create one with the apt package r-cran-", tolower(name), ".")
  }

  # What to do about an error that has to do with the sandbox, as a line.
  advice_on <- function(condition) {
    if (inherits(condition, "packageNotFoundError")) return(paste0("\n", package_advice(condition$package)))
    # Of install.packages(), as the folders of the image cannot be written to.
    if (conditionMessage(condition) == "unable to install packages") return(paste0("\n", package_advice("name")))
    call <- one_line(conditionCall(condition))
    is_network <- grepl("cannot open (the connection to|URL) '(https?|ftp)://|resolve host", conditionMessage(condition)) ||
      startsWith(call, "socketConnection(")
    if (!is_network || has_network()) return("")
    "\nSandboxes have no network. Put the data into the session as files, or let the user allow its host (network.policy: allow, network.allow); packages come with the environment."
  }

  # Whether a warning is of a file that a view refuses to make or to change.
  is_refused_by_view <- function(text) {
    path <- regmatches(text, regexec("'([^']+)'.*Permission denied", text))[[1L]][2L]
    !is.na(path) && startsWith(if (startsWith(path, "/")) path else paste0(getwd(), "/", path), "/view/")
  }

  name_of <- function(condition) {
    name <- class(condition)[1L]
    if (name %in% c("simpleError", "error")) "Error" else name
  }

  warnings_of_cell <- list()
  report_warnings <- function() {
    found <- warnings_of_cell
    warnings_of_cell <<- list()
    if (length(found) == 0L) return(invisible())
    calls <- lapply(found, call_of)
    texts <- vapply(found, conditionMessage, "")
    line <- function(call, text) if (is.null(call)) text else sprintf("In %s : %s", one_line(call), text)
    lines <- mapply(line, calls, texts)
    if (length(lines) == 1L) {
      message("Warning message:\n", lines)
    } else {
      message("Warning messages:\n", paste0(seq_along(lines), ": ", lines, collapse = "\n"))
    }
    # What install.packages() says where it can write.
    name <- regmatches(texts, regexec("^package .([A-Za-z0-9.]+). is not available for this version of R", texts))
    for (match in name) if (length(match) == 2L) message(package_advice(match[[2L]]))
    if (any(vapply(texts, is_refused_by_view, NA))) message(
      "The folder of the notebook is a read-only view here. Write to /workspace, and save from there by Save to Workspace."
    )
  }
  on_warning <- function(condition) {
    # As at the prompt: reported when the expression has ended. With another level R does what it says.
    if (getOption("warn", 0L) != 0L) return(invisible())
    if (length(warnings_of_cell) < 50L) warnings_of_cell[[length(warnings_of_cell) + 1L]] <<- condition
    tryInvokeRestart("muffleWarning")
  }

  print_value <- function(value) if (isS4(value)) methods::show(value) else print(value)

  show_value <- function(value) {
    text <- sub("\n+$", "", paste(utils::capture.output(print_value(value)), collapse = "\n"))
    if (nzchar(text)) send("result", "text/plain", text)
  }

  evaluate <- function(expressions) {
    references <- attr(expressions, "srcref")
    for (i in seq_along(expressions)) {
      current <<- references[[i]]
      found <- withVisible(eval(expressions[[i]], globalenv()))
      if (found$visible) {
        replace_in(".Last.value", found$value, baseenv())
        if (i == length(expressions)) show_value(found$value) else print_value(found$value)
      }
      report_warnings()
    }
  }

  parse_cell <- function(name, code) {
    source <- srcfilecopy(name, strsplit(code, "\n", fixed = TRUE)[[1L]])
    fail <- function(condition) {
      stop(structure(list(message = conditionMessage(condition), call = NULL), class = c("ParseError", "error", "condition")))
    }
    tryCatch(parse(text = code, srcfile = source, keep.source = TRUE, encoding = "UTF-8"), error = fail)
  }

  quote_json <- function(texts) {
    texts <- enc2utf8(texts)
    for (pair in list(c("\\", "\\\\"), c("\"", "\\\""), c("\n", "\\n"), c("\r", "\\r"), c("\t", "\\t"))) {
      texts <- gsub(pair[1L], pair[2L], texts, fixed = TRUE)
    }
    paste0("\"", gsub("[[:cntrl:]]", "", texts), "\"")
  }

  number_json <- function(values) {
    short <- sprintf("%.15g", values)
    ifelse(as.numeric(short) == values, short, sprintf("%.17g", values))
  }

  # The value as JSON; NULL for what JSON does not have.
  json_of <- function(value) {
    if (is.null(value)) return("null")
    if (is.object(value) || !is.null(dim(value))) return(NULL)
    if (is.list(value)) {
      parts <- lapply(value, json_of)
      if (any(vapply(parts, is.null, NA))) return(NULL)
      parts <- unlist(parts)
    } else if (is.character(value)) {
      parts <- quote_json(value)
    } else if (is.logical(value)) {
      parts <- ifelse(value, "true", "false")
    } else if (is.numeric(value) && !any(is.nan(value) | is.infinite(value))) {
      parts <- number_json(value)
    } else {
      return(NULL)
    }
    if (!is.list(value)) parts[is.na(value)] <- "null"
    if (!is.null(names(value))) return(paste0("{", paste0(quote_json(names(value)), ":", parts, collapse = ","), "}"))
    if (length(value) == 1L && !is.list(value)) return(parts)
    paste0("[", paste(parts, collapse = ","), "]")
  }

  send_state <- function() {
    names <- ls(globalenv())
    texts <- lapply(names, function(name) tryCatch(json_of(get(name, globalenv())), error = function(e) NULL))
    has <- !vapply(texts, is.null, NA)
    do.call(send, c(list("state"), rbind(as.list(names[has]), texts[has])))
  }

  run_cell <- function(name, code, given = NULL) {
    end <- list("ok", "")
    trace <- character()
    error <- NULL
    on_error <- function(condition) {
      error <<- condition
      # Without the driver's calls: before, eval and withVisible; after, the handler.
      calls <- sys.calls()
      first <- which(vapply(calls, function(call) identical(call[[1L]], quote(evaluate)), NA))[1L] + 4L
      last <- length(calls) - if (inherits(condition, "simpleError")) 2L else 1L
      trace <<- if (is.na(first) || last < first) character() else trace_of(calls[first:last], name)
    }
    tryCatch({
      allowInterrupts({
        send("begun")
        if (!is.null(given)) eval(parse(text = given, encoding = "UTF-8"), globalenv())
        expressions <- parse_cell(name, code)
        withCallingHandlers(evaluate(expressions), error = on_error, warning = on_warning)
      })
    }, error = function(condition) {
      end[[1L]] <<- "error"
      if (is.null(error)) error <<- condition
    }, interrupt = function(condition) {
      end[[1L]] <<- "interrupted"
      error <<- condition
    }, hothouseQuit = function(condition) {
      status <- condition$status %% 256L
      end <<- list(if (status == 0L) "ok" else "error", as.character(status))
      if (status != 0L) error <<- condition
    })
    finish(end, error, trace, !is.null(given))
  }

  finish <- function(end, error, trace, has_state) {
    while (sink.number() > 0L) sink()
    tryCatch({
      report_warnings()
      show_plots()
    }, error = function(condition) NULL)
    close_input()
    if (inherits(error, "interrupt")) {
      send("error", "Interrupt", "The cell was interrupted.", "")
    } else if (inherits(error, "hothouseQuit")) {
      send("error", "Quit", as.character(error$status), "")
    } else if (!is.null(error)) {
      text <- paste0(conditionMessage(error), advice_on(error))
      send("error", name_of(error), text, paste(c(paste0(heading(error), text), trace), collapse = "\n"))
    }
    if (has_state) send_state()
    send("done", end[[1L]], end[[2L]])
  }

  units <- function(text) sum(ifelse(utf8ToInt(text) > 65535L, 2L, 1L))

  # The text before the offset, which counts UTF-16 code units.
  before <- function(code, offset) {
    points <- utf8ToInt(code)
    intToUtf8(points[cumsum(ifelse(points > 65535L, 2L, 1L)) <= offset])
  }

  complete <- function(code, cursor) {
    nothing <- function(condition) list(cursor, character())
    found <- tryCatch(allowInterrupts({
      send("begun")
      line <- sub(".*\n", "", before(code, cursor))
      utils:::.assignLinebuffer(line)
      utils:::.assignEnd(nchar(line))
      token <- utils:::.guessTokenFromLine()
      utils:::.completeToken()
      list(cursor - units(token), utils:::.retrieveCompletions())
    }), error = nothing, interrupt = nothing)
    do.call(send, c(list("completions", as.character(found[[1L]]), as.character(cursor)), as.list(found[[2L]])))
  }

  # What the first cell would wait for: R compiles what runs for the second time.
  is_muted <- TRUE
  for (code in c("1", "stop()", "1")) run_cell("", code)
  is_muted <- FALSE

  send("ready")
  suspendInterrupts(repeat {
    command <- receive()
    if (is.null(command)) break
    if (command[[1L]] == "complete") {
      complete(command[[2L]], as.integer(command[[3L]]))
    } else {
      # An interrupt that came after the last cell.
      tryCatch(allowInterrupts(Sys.sleep(0.0005)), interrupt = function(condition) NULL)
      run_cell(command[[2L]], command[[3L]], if (length(command) > 4L) command[[5L]])
      if (command[[4L]] == "once") break
    }
  })
})
