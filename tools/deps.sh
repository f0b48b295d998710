#!/usr/bin/env bash
# Installs the Debian packages of tools/packages.txt that are missing.
#
#   tools/deps.sh [SECTION...]    only those of these sections, such as `build libraries`
#
# When nothing is missing it only asks dpkg, in a fraction of a second. Otherwise it needs root or
# sudo. Where there is no dpkg it says so and leaves the packages to you.
# Exit codes: 0 all there, 2 no such section, anything else: could not install.
set -euo pipefail

list=$(dirname "$0")/packages.txt

# wanted SECTION: its packages, one a line ("": those of all sections); fails when there are none.
wanted() {
  awk -v section="$1" '
    /^#/ { here = $2; sub(/[^a-z].*/, "", here); next }
    NF && (section == "" || section == here) { print $1; found = 1 }
    END { exit !found }' "$list"
}

# missing PACKAGE...: those that are not installed, one a line.
missing() {
  local status="\${db:Status-Status} \${Package}\n"
  comm -23 <(printf '%s\n' "$@" | sort) \
    <(dpkg-query --show --showformat "$status" "$@" 2>/dev/null | sed -n 's/^installed //p' | sort)
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    echo "deps: neither root nor sudo; let root run: apt-get install ${need[*]}" >&2
    return 1
  fi
}

packages=()
for section in "${@:-}"; do
  if ! names=$(wanted "$section"); then
    echo "deps: $list has no section '$section'" >&2
    exit 2
  fi
  mapfile -t -O "${#packages[@]}" packages <<<"$names"
done

if ! command -v dpkg-query >/dev/null; then
  echo "deps: this is no Debian; needed is what there is called ${packages[*]}" >&2
  exit 0
fi

mapfile -t need < <(missing "${packages[@]}")
[[ ${#need[@]} -gt 0 ]] || exit 0

exec 9<"$list"
flock 9 # one installation at a time
echo "deps: installing ${need[*]}"
as_root apt-get -qq update </dev/null
as_root apt-get -qq --yes --no-install-recommends -o Dpkg::Use-Pty=0 install "${need[@]}" </dev/null
