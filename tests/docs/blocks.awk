# SPDX-License-Identifier: Apache-2.0
# -v folder=DIR FILE...: each block of these documents (four blanks more than the text around it, or between
# fences) as a file of DIR: FILE:LINE, its place, then its lines as a reader types them. The place is what the
# comment before it says, <!-- on: head -->, <!-- not run: WHY -->, else what its first line tells.

function place_of(line) {
    if (line ~ /^#!/) return "script"
    if (line ~ /^[#$] /) return "prompt"
    if (line ~ /^(srun|sbatch|salloc|cluster-env) /) return "on: user"
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

FNR == 1 { end_block(); fence = 0; marker = "" }
/^ *```/ { fence = !fence; end_block(); next }
fence { put($0); next }
/^ *<!-- [a-z0-9 ]+: .* -->$/ {
    end_block()
    marker = $0
    gsub(/^ *<!-- | -->$/, "", marker)
    next
}
/^$/ { if (open) blanks++; next }
/^    / {
    if (!open) match($0, /^ +/)
    if (!open) indent = RLENGTH
    put(substr($0, indent + 1))
    next
}
{ end_block(); marker = "" }
