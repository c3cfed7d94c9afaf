# SPDX-License-Identifier: Apache-2.0
# The messages in C sources, one a line, each as docs/troubleshooting.md has it in a heading: "..." for
# what is filled in, and only up to the first "; ", behind which stands the remedy.
#     awk -f messages.awk FILE.c...

function is_call(text) {
    return match(text, /(slurm_error|slurm_spank_log|ce_fail|ce_fail_in|ce_note|fail_at|argp_error|fprintf|tell_syslog|tell_event) ?\(/)
}

# The string literal at the start of text, its quotes gone; what follows it stays in rest.
function take_literal(text,    i, c, out) {
    for (i = 2; (c = substr(text, i, 1)) != "\""; i++) {
        if (c == "\\")
            c = substr(text, ++i, 1) == "n" ? "" : substr(text, i, 1)
        out = out c
    }
    rest = substr(text, i + 1)
    return out
}

# The text of adjacent literals and macros at the start of text: a macro is filled in, too.
function take_text(text,    out) {
    rest = text
    for (;;) {
        sub(/^[ \t\n]+/, "", rest)
        if (rest ~ /^"/)
            out = out take_literal(rest)
        else if (match(rest, /^(PRI[a-z]+[0-9]+|[A-Z][A-Z_0-9]+)/)) {
            out = out "..."
            rest = substr(rest, RLENGTH + 1)
        } else
            return out
    }
}

function normalise(text) {
    gsub(/%[-+ 0#]*[0-9]*(\.[0-9*]+)?(hh|h|ll|l|z|j)?[diouxXscp]/, "...", text)
    gsub(/%\.\.\./, "...", text)
    gsub(/%%/, "%", text)
    sub(/^cluster-env( \.\.\.)?: /, "", text)
    sub(/; .*/, "", text)
    gsub(/\.\.\.(\.\.\.)+/, "...", text)
    return text
}

# The first literal of a call is its message; a call without one hands a text on.
function message(call,    at, depth, c) {
    for (at = 1; at <= length(call); at++) {
        c = substr(call, at, 1)
        if (c == ";")
            return ""
        if (c == "\"")
            return normalise(take_text(substr(call, at)))
    }
    return ""
}

FNR == 1 { flush() }
{ sub(/^[ \t]*\/\*.*\*\/[ \t]*$/, ""); source = source $0 "\n" }
END { flush() }

function flush(    text, found) {
    text = source
    source = ""
    while (is_call(text)) {
        text = substr(text, RSTART + RLENGTH)
        found = message(text)
        if (found ~ /[a-z][a-z]/)
            print found
    }
}
