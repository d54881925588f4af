# A Debian system in a directory, of the release and from the mirror that apt uses here, and packages in it; tools/test-packages and
# tools/container-image source this file. What fails prints why, in lines that begin with two blanks.
# shellcheck shell=bash

# make_packages BUILD RELEASE DIR [CPACK-OPTION...]: makes the Debian packages of a build, with little compression, into DIR.
make_packages() {
  local build=$1 release=$2 to=$3 place
  shift 3
  mkdir -p "$to" && place=$(mktemp -d) || return 1
  if ! cpack -G DEB --config "$build/CPackConfig.cmake" -B "$place" -D CPACK_DEBIAN_PACKAGE_RELEASE="$release" \
    -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip "$@" >"$place/log" 2>&1; then
    tail -n 20 "$place/log" | sed 's/^/  /'
    rm -rf "$place"
    return 1
  fi
  mv "$place"/*.deb "$to/" && rm -rf "$place"
}

# debian_root DIR: makes a small Debian system in DIR, unless one is there. Needs root and debootstrap.
debian_root() {
  local codename mirror
  [ ! -e "$1/etc/debian_version" ] || return 0
  # shellcheck disable=SC1091
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  # shellcheck disable=SC2016 # apt expands these
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' 'Component: main' |
    awk -v codename="$codename" '$2 == codename { print $1; exit }')
  [ -n "$mirror" ] || { echo "  apt has no mirror here"; return 1; }
  rm -rf --one-file-system "$1"
  mkdir -p "$(dirname "$1")"
  if ! debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus "$codename" "$1.new" "$mirror" >"$1.log" 2>&1; then
    tail -n 3 "$1.log" | sed 's/^/  /'
    rm -rf --one-file-system "$1.new"
    return 1
  fi
  rm "$1.log"
  mv "$1.new" "$1"
}

# satisfy DIR DEPENDENCIES: installs what the list, of the form of a package's Depends, names.
satisfy() {
  local log
  log=$(mktemp) || return 1
  if ! chroot "$1" sh -c "apt-get satisfy -y -qq --no-install-recommends '$2' ||
      { apt-get update -qq && apt-get satisfy -y -qq --no-install-recommends '$2'; }" >"$log" 2>&1; then
    tail -n 5 "$log" | sed 's/^/  /'
    rm "$log"
    return 1
  fi
  rm "$log"
  chroot "$1" apt-get clean
}

# dependencies_of FILE...: of these packages, as one list.
dependencies_of() { for deb; do dpkg-deb -f "$deb" Depends; done | grep . | paste -sd,; }
