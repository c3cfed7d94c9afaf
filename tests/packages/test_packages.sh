#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_packages.sh BUILD: Debian packages and RPMs from what 'make dist' gives; installing, upgrading and
# purging them in a chroot that has Slurm. The packages stay in BUILD/packages, for test_admin.sh. As root; needs the packages of build-aux/needs packages.
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd -P)
top=$(cd "$here/../.." && pwd -P)
readonly here top
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../cluster/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/chroot.sh"

if [[ ${CLUSTER_ENV_OWN_MOUNTS:-} != yes ]]; then
    [[ $# -eq 1 && -e $1/config.status ]] || { echo "usage: test_packages.sh BUILD" >&2; exit 2; }
    [[ $EUID -eq 0 ]] || skip_all "a chroot needs root"
    needs dpkg-buildpackage dh lintian rpmbuild mmdebstrap
fi
enter_own_mounts "$@"
build=$(cd "$1" && pwd -P)
readonly build
mkdir "$work"/{debs,root,upper,work,rpm}

deb() { printf '%s\n' "$work/debs/$1"_*.deb; } # deb NAME: its file

# ---------------------------------------------------------------- building

make_dist() { make -C "$build" dist >"$work/dist.log" 2>&1 || { tail -n 30 "$work/dist.log"; return 1; }; }

build_debs() {
    "$top/packaging/deb" "$tarball" "$work/debs" >"$work/deb.log" 2>&1 || { tail -n 30 "$work/deb.log"; return 1; }
    rm -rf "$build/packages"
    cp -r "$work/debs" "$build/packages"
}

# Nothing of Debian's archive is to be closed by our first upload, for there is none.
run_lintian() {
    lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$work"/debs/*.changes
}

test_debs() {
    local name
    ok "make dist" make_dist
    tarball=$(echo "$build"/slurm-cluster-env-*.tar.xz)
    ok "dpkg-buildpackage makes the packages" build_debs
    for name in slurm-cluster-env "slurm-cluster-env-plugin-$series" libclusterenv1 libclusterenv-dev slurm-cluster-env-doc; do
        ok "$name is one of them" test -f "$(deb "$name")"
    done
    ok "lintian finds nothing" run_lintian
    like "$(dpkg-deb -f "$(deb "slurm-cluster-env-plugin-$series")" Depends)" \
        "slurm-wlm-basic-plugins \(>= $series~\), slurm-wlm-basic-plugins \(<< " "the plugin depends on its series of Slurm, and on no other"
    is "$(dpkg-deb --ctrl-tarfile "$(deb slurm-cluster-env)" | tar -xOf - ./conffiles | sort | xargs)" \
        "/etc/logrotate.d/cluster-env /etc/slurm/cluster-env.conf" "what admins change is a conffile"
}

# ---------------------------------------------------------------- installing

# again NAME VERSION [SED]: the package once more, under another version, with its files as SED leaves them
again() {
    local files=$work/again
    rm -rf "$files"
    dpkg-deb -R "$(deb "$1")" "$files"
    sed -i "s/^Version: .*/Version: $2/; s/\(slurm-cluster-env-plugin (= \)[^)]*/\1$2/" "$files/DEBIAN/control"
    if [[ -n ${3:-} ]]; then (cd "$files" && eval "$3"); fi
    dpkg-deb -b --root-owner-group "$files" "$work/root/tmp/$1-$2.deb" >/dev/null
}

own_packages=() # those of a node
install_all() {
    cp "${own_packages[@]}" "$work/root/tmp"
    inside sh -c 'dpkg -i /tmp/*.deb && rm /tmp/*.deb'
}

test_install() {
    own_packages=("$(deb slurm-cluster-env)" "$(deb "slurm-cluster-env-plugin-$series")" "$(deb libclusterenv1)")
    ok "they install where Slurm and the libraries are" install_all
    ok "cluster-env runs" inside cluster-env --version
    ok "the configuration that came is valid" inside cluster-env config --check
    printf 'ClusterName=test\nSlurmctldHost=localhost\nPlugStackConfig=/etc/slurm/plugstack.conf\n' >"$work/root/etc/slurm/slurm.conf"
    like "$(inside srun --help 2>&1)" "--cluster-env" "srun --help has --cluster-env, with no line in any file"
    ok "the plugin's helper finds this Slurm's library" inside ldd /usr/libexec/cluster-env/slurm-node
    unlike "$(inside ldd /usr/libexec/cluster-env/slurm-node 2>&1)" "not found" "all of it"
    ok "facts at boot: the service is there" has /lib/systemd/system/cluster-env-facts.service
    ok "and on" has /etc/systemd/system/multi-user.target.wants/cluster-env-facts.service
    ok "cluster-env facts --write works" inside cluster-env facts --write
    ok "and wrote" has /run/cluster-env/node.facts
}

# ---------------------------------------------------------------- upgrading

test_upgrade() {
    local plugin before old
    plugin=$(echo "$work"/root/usr/lib/*/slurm-wlm/cluster_env.so)
    exec 8<"$plugin"
    before=$(sha256sum </proc/self/fd/8) old=$(stat -L -c %i /proc/self/fd/8)
    echo 'mode = "drain";' >"$work/root/etc/slurm/cluster-env.conf"
    again slurm-cluster-env 0.1.0-9 'echo "# new" >>etc/slurm/cluster-env.conf'
    # shellcheck disable=SC2016 # for the folder of the package
    again "slurm-cluster-env-plugin-$series" 0.1.0-9 'echo >>"$(echo usr/lib/*/slurm-wlm/cluster_env.so)"'
    ok "they upgrade" inside sh -c 'dpkg --force-confdef --force-confold -i /tmp/*-0.1.0-9.deb && rm /tmp/*.deb'
    is "$(<"$work/root/etc/slurm/cluster-env.conf")" 'mode = "drain";' "the admin's configuration stays"
    ok "the new one lies beside it" has /etc/slurm/cluster-env.conf.dpkg-dist
    unlike "$(stat -c %i "$plugin")" "^$old\$" "the plugin is another file, put in place by rename"
    is "$(sha256sum </proc/self/fd/8)" "$before" "and who has the old one open keeps it"
    exec 8<&-
}

test_other_series() {
    again "slurm-cluster-env-plugin-$series" 0.1.0-9 \
        "sed -i 's/^Package: .*/Package: slurm-cluster-env-plugin-99.05/; s/slurm-wlm-basic-plugins (\(>=\|<<\) [^)]*)/slurm-wlm-basic-plugins (>= 99.05~)/g' DEBIAN/control"
    local said
    if said=$(inside dpkg -i "/tmp/slurm-cluster-env-plugin-$series-0.1.0-9.deb" 2>&1); then
        fail "the plugin of another Slurm does not install" "$said"
    else
        like "$said" "conflict" "the plugin of another Slurm does not install beside ours"
    fi
    rm -f "$work/root/tmp/"*.deb
}

test_purge() {
    local series_package=slurm-cluster-env-plugin-$series line=/etc/slurm/plugstack.conf.d/cluster-env.conf
    mkdir -p "$work/root/var/log/cluster-env"
    echo '{}' >"$work/root/var/log/cluster-env/health.jsonl"
    echo "optional cluster_env.so default=on" >"$work/root/$line"
    ok "they are removed" inside dpkg -r slurm-cluster-env "$series_package" libclusterenv1
    ok "the configuration stays" has /etc/slurm/cluster-env.conf
    unlike "$(inside srun --help 2>&1)" "cluster-env|srun: error" "srun works without, and says nothing of the missing plugin"
    ok "where the admin had changed Slurm's line it is kept for the next time" has "$line.removed"
    ok "they are purged" inside dpkg -P slurm-cluster-env "$series_package" libclusterenv1
    for path in /etc/slurm/cluster-env.conf "$line" "$line.removed" /etc/logrotate.d/cluster-env \
        /run/cluster-env /var/log/cluster-env /usr/libexec/cluster-env; do
        ok "after it there is no $path" has_not "$path"
    done
    is "$(cd "$work/root.upper" && find . -path ./var/lib/dpkg -prune -o -path ./tmp -prune -o -path ./var/log -prune -o -name "ld.so.cache" -o -name aux-cache -o -type f -print | sort | xargs)" \
        "./etc/slurm/slurm.conf" "and no other file"
}

# ---------------------------------------------------------------- SchedMD's own packages

# Debian's under SchedMD's names, on a copy of this machine.
fake_schedmd() {
    local files=$work/fake name
    for name in libslurm-dev:slurm-smd-dev slurm-wlm-basic-plugins:slurm-smd; do
        rm -rf "$files"
        mkdir -p "$files/DEBIAN"
        printf 'Package: %s\nVersion: %s.8-1\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: stands for it\n' \
            "${name#*:}" "$series" >"$files/DEBIAN/control"
        dpkg-deb -b "$files" "$work/host$there/${name#*:}.deb" >/dev/null
    done
    chroot "$work/host" dpkg -i "$there/slurm-smd.deb" "$there/slurm-smd-dev.deb"
}

build_schedmd() {
    mkdir "$work/host$there/out"
    cp "$tarball" "$work/host$there"
    tar -C "$work/host$there" -xf "$tarball"
    chroot "$work/host" "$there/$(basename "$tarball" .tar.xz)/packaging/deb" "$there/$(basename "$tarball")" "$there/out" >"$work/schedmd.log" 2>&1 ||
        { tail -n 30 "$work/schedmd.log"; return 1; }
}

test_schedmd() {
    local plugin
    over / host
    there=$(mktemp -d -p "$work/host/tmp")
    there=${there#"$work/host"}
    ok "a machine with SchedMD's own packages" fake_schedmd
    ok "has packages made from the release alone" build_schedmd
    plugin=$(echo "$work/host$there/out/slurm-cluster-env-plugin-$series"_*.deb)
    like "$(dpkg-deb -f "$plugin" Depends)" "slurm-smd \(>= $series~\), slurm-smd \(<< " "that depend on SchedMD's"
    unlike "$(dpkg-deb -f "$plugin" Depends)" "slurm-wlm" "and not on Debian's"
    like "$(dpkg-deb -c "$plugin")" "/usr/lib/[^/]*/slurm/cluster_env.so" "with the plugin where SchedMD's Slurm looks"
    umount -R "$work/host"
}

# ---------------------------------------------------------------- RPM

build_rpms() {
    mkdir -p "$work/rpm/SOURCES"
    cp "$tarball" "$work/rpm/SOURCES"
    rpmbuild --define "_topdir $work/rpm" --nodeps -bb "$top/packaging/rpm/slurm-cluster-env.spec" >"$work/rpm.log" 2>&1 ||
        { tail -n 30 "$work/rpm.log"; return 1; }
}

# In a copy of the chroot, whose shell runs what the packages bring for it; Debian's rpm keeps its own notes elsewhere.
rpm_there() { rpm --root "$work/rpmroot" --dbpath /var/lib/rpm "$@" 2> >(grep -v '^rpm: ' >&2); }
install_rpms() { rpm_there -i --nodeps "$@"; }
# shellcheck disable=SC2046 # each word is a package
erase_rpms() { rpm_there -e --nodeps $(rpm_there -qa); }
own_files() { rpm -qp --qf '[%{FILEUSERNAME}:%{FILEGROUPNAME} %{FILEMODES:perms} %{FILENAMES}\n]' "$@" 2>/dev/null; }
left_of_rpms() { (cd "$work/rpmroot.upper" && find . -path ./var/lib/rpm -prune -o -ipath '*cluster?env*' -print | sort | xargs); }

# What systemctl is asked for comes into a file.
stand_in_for_systemd() {
    install -m 755 /dev/stdin "$work/rpmroot/usr/bin/systemctl" <<<$'#!/bin/sh\necho "$@" >>/run/asked'
}

test_rpm_install() { # test_rpm_install RPM...
    over "$base" rpmroot
    stand_in_for_systemd
    is "$(own_files "$@" | grep -vE '^root:root ([-d]rwxr-xr-x|-rw-r--r--|lrwxrwxrwx) ' | head -n 5)" "" "all files are root's, and for root alone to write"
    ok "they install" install_rpms "$@"
    ok "every file is there as the package has it" rpm_there -V --nodeps -a
    mkdir "$work/rpmroot/run/cluster-env"
    ok "they are erased" erase_rpms
    is "$(<"$work/rpmroot/run/asked")" $'--no-reload preset cluster-env-facts.service\n--no-reload disable cluster-env-facts.service' \
        "the service at boot came and went with them"
    is "$(left_of_rpms)" "" "they leave no file and no folder"
    ok "nor what was in /run" test ! -e "$work/rpmroot/run/cluster-env"
    umount -R "$work/rpmroot"
}

test_rpms() {
    local rpms
    rpms=$work/rpm/RPMS/$(uname -m)
    ok "rpmbuild makes RPMs of the same release" build_rpms
    like "$(rpm -qpl "$rpms/slurm-cluster-env-plugin-$series"-*.rpm 2>&1)" "/slurm/cluster_env.so" "the plugin's has it where Slurm looks"
    is "$(rpm -qpc "$rpms"/slurm-cluster-env-[0-9]*.rpm 2>&1 | sort | xargs)" \
        "/etc/logrotate.d/cluster-env /etc/slurm/cluster-env.conf" "what admins change is configuration"
    like "$(rpm -qp --requires "$rpms/slurm-cluster-env-plugin-$series"-*.rpm 2>&1)" "slurm >= $series" "it wants its series of Slurm"
    test_rpm_install "$rpms"/*.rpm
}

series=$(sed -n 's/^#define SLURM_VERSION_NUMBER *0x\(..\)\(..\).*/\1 \2/p' /usr/include/slurm/slurm_version.h |
    while read -r major minor; do printf '%d.%02d' "0x$major" "0x$minor"; done)
readonly series
base=$("$top/tests/cluster/suite" bookworm libconfig9 libjansson4 libibverbs1 libhwloc15 libmunge2) ||
    skip_all "no chroot with Slurm could be made"
over "$base" root

plan 55
test_debs
if [[ $tap_failed -eq 0 ]]; then
    test_install
    test_upgrade
    test_other_series
    test_purge
    test_schedmd
    test_rpms
fi
finish
