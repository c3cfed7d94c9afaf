# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# What three programs say of the RDMA devices, in one form, so that it can be compared:
#     PORTS    mlx5_0/1 state=4 phys_state=5 link_layer=ethernet rate_mbps=10000
#     GIDS     mlx5_0/1 gid.0=fe80::1 v2
# facts reads sysfs itself, ibv_devinfo asks the driver through libibverbs, ibstat asks libibumad.

# The lines of facts on stdin that are the ports', or with "gid" their GIDs.
ports_of_facts() {
    awk -F= -v OFS= '
        split($1, key, ".") == 4 && key[1] == "ib" && key[4] != "" { value[key[2] "/" key[3], key[4]] = $2 }
        $1 ~ /^ib\.[^.]*\.[0-9]+\.state$/ { port[key[2] "/" key[3]] }
        END { for (p in port) print p, " state=", value[p, "state"], " phys_state=", value[p, "phys_state"],
                  " link_layer=", value[p, "link_layer"], " rate_mbps=", value[p, "rate_mbps"] }' | sort
}
gids_of_facts() {
    sed -n 's/^ib\.\([^.]*\)\.\([0-9]*\)\.gid\.\([0-9]*\)=\([^ ]* [^ ]*\).*/\1\/\2 gid.\3=\4/p' | sort
}

# The output of ibv_devinfo -v on stdin.
ports_of_verbs() {
    awk -v OFS= '
        function number(text) { gsub(/.*\(|\).*/, "", text); return text }
        $1 == "hca_id:" { device = $2 }
        $1 == "port:" { port = device "/" $2 }
        $1 == "state:" { state[port] = number($0) }
        $1 == "phys_state:" { phys[port] = number($0) }
        $1 == "link_layer:" { link[port] = tolower($2) }
        $1 == "active_width:" { width[port] = $2 + 0 }
        $1 == "active_speed:" { speed[port] = $2 }
        END { for (p in state) print p, " state=", state[p], " phys_state=", phys[p], " link_layer=", link[p],
                  " rate_mbps=", width[p] * speed[p] * 1000 }' | sort
}
gids_of_verbs() {
    awk '$1 == "hca_id:" { device = $2 }
         $1 == "port:" { port = device "/" $2 }
         /GID\[/ { match($0, /[0-9]+\]/)
                   index_ = substr($0, RSTART, RLENGTH - 1)
                   sub(/.*\]:[ \t]*/, "")
                   sub(/^::ffff:/, "")
                   sub(/, RoCE v/, " v")
                   print port " gid." index_ "=" $0 }' | sort
}

# The output of ibstat on stdin.
ports_of_ibstat() {
    awk -v OFS= '
        BEGIN { states["Down"] = 1; states["Initializing"] = 2; states["Armed"] = 3; states["Active"] = 4
                states["Polling"] = 2; states["Disabled"] = 3; states["LinkUp"] = 5 }
        $1 == "CA" && split($0, name, "\047") == 3 { device = name[2] }
        $1 == "Port" && /:$/ && $2 != "GUID:" { port = device "/" $2 + 0 }
        $1 == "State:" { state[port] = states[$2] }
        $1 == "Physical" { phys[port] = states[$3] }
        $1 == "Rate:" { rate[port] = $2 * 1000 }
        $1 == "Link" { link[port] = tolower($3) }
        END { for (p in state) print p, " state=", state[p], " phys_state=", phys[p], " link_layer=", link[p],
                  " rate_mbps=", rate[p] }' | sort
}

# In the order that they stand in; libibverbs has none.
devices_of_facts() { sed -n 's/^ib\.\([^.]*\)\.vf=.*/\1/p'; }
devices_of_verbs() { awk '$1 == "hca_id:" { print $2 }' | sort -V; }
