#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The alert rules and the Grafana dashboard of docs/examples: Prometheus takes their expressions, each alert is
# raised by what it is for, and they name metrics, labels and words that are written. TAP.
set -u
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
rules=$top/docs/examples/cluster-env.rules.yml
dashboard=$top/docs/examples/grafana-dashboard.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What a run writes, of a node with a fault: names, and name{label="value"}, one a line.
printf 'format=1\nhost.name=n1\nib.mlx5_0.type=MT4129\nib.mlx5_0.1.state=1\nib.mlx5_0.1.link_layer=infiniband\nend=1\n' >"$work/facts"
written=$(./cli/cluster-env check --prometheus --facts="$work/facts" 2>/dev/null)
# Those of tests are in no such run: they are where they are written.
source=$top/lib/report/run_metrics.c
metrics=$({ sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' <<<"$written"; sed -n 's/.*describe(out, "\([a-z_]*\)".*/cluster_env_\1/p' "$source"; } | sort -u)
labels=$({ grep -oE '[a-z]+="' <<<"$written"; grep -oE '[a-z]+=\\"' "$source"; echo instance; } | tr -d '=\\"' | sort -u)

# The dashboard's expressions, one a line, with something in place of its variables.
expressions() {
    jq -r '.panels[].targets[].expr' "$dashboard" | sed 's/\$[a-z]*/.*/g'
}

# The names of metrics in both files.
named() { { expressions; cat "$rules"; jq -r '.templating.list[].query | tostring' "$dashboard"; } | grep -oE 'cluster_env_[a-z_]+' | sort -u; }

# Labels that expressions of both files compare or group by.
used_labels() {
    { expressions; sed -n '/expr:/,/severity:/p' "$rules"; } | tee "$work/expr" |
        grep -oE '[a-z]+(=~|!~|!=|=)"' | sed 's/[=!~"]*$//'
    grep -oE ' by \([a-z, ]+\)' "$work/expr" | sed 's/ by (//; s/[),]/ /g' | tr -s ' ' '\n' | grep .
    grep -oE 'labels\.[a-z]+' "$rules" | sed 's/.*\.//'
}

# Words of a label's values in docs/monitoring.md's table.
unknown_words() {
    grep -ohE '(verdict|response|done|mode|phase|what)(=~|!~|!=|=)"[^"$]*"' "$work/expr" | sed -E 's/(=~|!~|!=|=)"/ /; s/"//' |
        while read -r label values; do
            for value in ${values//|/ }; do grep -qE "\`$value\`" "$top/docs/monitoring.md" || echo "$label=$value"; done
        done
}

lacking() { comm -23 <(sort -u) <(sort -u <<<"$1"); }

is "a run writes metrics" "$([[ $(wc -l <<<"$metrics") -ge 7 ]] && echo yes)" yes
is "the rules and the dashboard name some" "$([[ $(named | wc -l) -ge 7 ]] && echo yes)" yes
empty "and none that is not written" "$(named | lacking "$metrics")"
empty "nor labels that they do not have" "$(used_labels | lacking "$labels")"
empty "nor words for their values that docs/monitoring.md lacks" "$(unknown_words)"
empty "docs/monitoring.md has every alert, and every metric" "$({
    sed -n 's/^ *- alert: //p' "$rules"; printf '%s\n' "$metrics"; } | while read -r name; do
        grep -qF "\`$name\`" "$top/docs/monitoring.md" || echo "$name"; done)"

is "the dashboard is JSON, with a title and panels" "$(jq -r '(.title | length > 0) and (.panels | length > 8)' "$dashboard")" true
empty "each panel has a number, a place, a title, words on it and its data source" "$(jq -r '
    (.panels | group_by(.id)[] | select(length > 1) | .[0].title),
    (.panels[] | select((.gridPos | .x + .w > 24) or .title == "" or (.description | length < 20)
        or .datasource.uid != "${datasource}" or (.targets | length) == 0) | .title)' "$dashboard")"
empty "and none covers another" "$(jq -r '[.panels[] | {title} + .gridPos] | . as $all | $all[] as $a | $all[] as $b
    | select($a.title < $b.title and $a.x < $b.x + $b.w and $b.x < $a.x + $a.w and $a.y < $b.y + $b.h and $b.y < $a.y + $a.h)
    | "\($a.title), \($b.title)"' "$dashboard")"
empty "and each variable that they use is defined" "$(jq -r '.panels[].targets[].expr' "$dashboard" | grep -oE '\$[a-z]+' | tr -d '$' |
    lacking "$(jq -r '.templating.list[].name' "$dashboard")")"

if ! command -v promtool >/dev/null; then
    for name in "promtool takes the rules" "each alert is raised by what it is for" "promtool takes the dashboard's expressions"; do
        skip "$name" "prometheus is not installed"
    done
else
    ok "promtool takes the rules" promtool check rules "$rules"
    sed "s|- cluster-env.rules.yml|- $rules|" "$top/tests/docs/alerts.test.yml" >"$work/alerts.yml"
    ok "each alert is raised by what it is for" promtool test rules "$work/alerts.yml"
    { echo 'groups: [{name: dashboard, rules: ['; expressions | jq -R '{record: "dashboard:panel", expr: .}' | sed 's/^}$/},/'; echo ']}]'; } >"$work/panels.yml"
    ok "promtool takes the dashboard's expressions" promtool check rules "$work/panels.yml"
fi
empty "every alert has a case that raises it" "$(sed -n 's/^ *- alert: //p' "$rules" | while read -r name; do
    grep -A2 "alertname: $name\$" "$top/tests/docs/alerts.test.yml" | grep -q 'exp_labels' || echo "$name"; done)"
finish
