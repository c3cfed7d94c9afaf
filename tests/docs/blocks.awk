# SPDX-License-Identifier: Apache-2.0
# -v folder=DIR FILE...: each block of these documents (four blanks more than the text around it, or between
# fences; in manual pages between .EX and .EE) as a file of DIR: FILE:LINE, its place, then its lines as a reader
# types them. The place is what the comment before it says, <!-- on: head --> or .\" on: head, else what its
# first line tells.

function place_of(line) {
    if (line ~ /^#!/) return "script"
    if (line ~ /^[#$] /) return "prompt"
    if (line ~ /^(srun|sbatch|salloc|sinfo|cluster-env) /) return "on: user"
    if (line ~ /^[A-Z][A-Za-z]+=[^ ]/) return "file: slurm.conf"
    if (line ~ /^[a-z_]+ = /) return "file: cluster-env.conf"
    if (line ~ /; .* \[cluster-env [a-z.]+\]$/) return "reason"
    if (line ~ /^(optional|required|include) /) return "file: plugstack.conf"
    return "none"
}

function put(line) {
    if (!open) {
        file = sprintf("%s/%03d", folder, ++count)
        document = FILENAME
        sub(/.*\//, "", document)
        printf "%s:%d\n%s\n", document, FNR, marker ? marker : place_of(line) >file
        open = 1
        marker = ""
    }
    # blank lines inside of a block only
    for (; blanks; blanks--) print "" >file
    print line >file
}

function end_block() {
    if (open) close(file)
    open = blanks = 0
}

# as man shows a line of the page's source
function shown(line) {
    gsub(/\\-/, "-", line)
    gsub(/\\\(aq/, "'", line)
    gsub(/\\e/, "\\", line)
    gsub(/@sbindir@/, "/usr/sbin", line)
    return line
}

FNR == 1 {
    end_block()
    between = 0
    marker = ""
    manual = FILENAME ~ /\.[1-8](\.in)?$/
}
/^ *```/ || manual && /^\.E[XE]/ { between = !between; end_block(); next }
/^ *<!-- (on|file|printed [a-z0-9 ]+|not run): .* -->$/ || manual && /^\.\\" (on|file|not run): / {
    end_block()
    marker = $0
    gsub(/^( *<!--|\.\\") | -->$/, "", marker)
    next
}
between { put(manual ? shown($0) : $0); next }
manual { next }
/^$/ { if (open) blanks++; next }
/^    / {
    if (!open) match($0, /^ +/)
    if (!open) indent = RLENGTH
    put(substr($0, indent + 1))
    next
}
{ end_block(); marker = "" }
