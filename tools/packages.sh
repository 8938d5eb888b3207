# shellcheck shell=bash
# Sourced by tools/demo, tools/check and tools/package: the Debian packages they need, and building without noise.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$root/build/logs

# --------------------------------------------------------------------------------------- packages

# "package" is wanted as a Debian package; "package:command/command" when none of the commands is there.
packages_demo=(
    gcc:cc/gcc
    libc6-dev
    make:ninja/make
    cmake:cmake
    pkg-config:pkg-config
    libsuitesparse-dev
    libopenblas-dev
    libcjson-dev
    libjs-dygraphs # plots of reports; built in where it is there
    libmicrohttpd-dev # the server of saltus view
    libnlopt-dev # the methods of saltus optimize
)
packages_package=(
    dpkg-dev:dpkg-shlibdeps # what shared libraries a package needs
    file:file
)
# shellcheck disable=SC2034 # by tools/check
packages_check=(
    "${packages_demo[@]}"
    "${packages_package[@]}"
    libcmocka-dev
    libsiconos-numerics-dev # tests against its contact solvers
    libgfortran-12-dev # named by openblas.pc for static linking
    python3-numpy # tests of the Python module, its fits, and of how it is installed
    python3-scipy
    python3-venv
    python3-setuptools
    python3-wheel
    chromium # tests of reports and of the view: a browser, and python that leads it
    chromium-driver
    python3-selenium
    libopenmpi-dev # saltus-mpi, and starting it
    openmpi-bin
)

have_package() # <entry>
{
    local command commands
    case $1 in
    *:*)
        IFS=/ read -ra commands <<<"${1#*:}"
        for command in "${commands[@]}"; do
            if command -v "$command" >/dev/null; then return 0; fi
        done
        return 1
        ;;
    *)
        case $(dpkg-query -W -f '${db:Status-Abbrev}\n' "$1" 2>/dev/null) in
        *ii*) return 0 ;;
        esac
        return 1
        ;;
    esac
}

# Installs what is missing; when nothing is, calls neither apt nor the network.
need_packages() # <entry...>
{
    local entry missing=() as_root=()

    for entry in "$@"; do
        if [[ $entry != *:* ]] && ! command -v dpkg-query >/dev/null; then continue; fi # not Debian: CMake will tell
        have_package "$entry" || missing+=("${entry%%:*}")
    done
    if [ ${#missing[@]} -eq 0 ]; then return 0; fi

    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
            as_root=(sudo)
        else
            cannot_install "${missing[@]}"
        fi
    fi
    command -v apt-get >/dev/null || cannot_install "${missing[@]}"

    echo "installing ${missing[*]}"
    if ! install_packages "${missing[@]}"; then
        [ ! -s "$logs/packages.log" ] || cat "$logs/packages.log" >&2
        cannot_install "${missing[@]}"
    fi
}

install_packages() # <package...>; as_root is the caller's
{
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y)

    mkdir -p "$logs"
    "${apt[@]}" update >"$logs/packages.log" 2>&1 &&
        "${apt[@]}" install --no-install-recommends "$@" >>"$logs/packages.log" 2>&1 </dev/null
}

cannot_install() # <package...>
{
    {
        echo "These Debian packages are missing and could not be installed from here. As root, run:"
        echo "    apt-get update && apt-get install --no-install-recommends $*"
    } >&2
    exit 1
}

# --------------------------------------------------------------------------------------- building

# Runs a command with its output in build/logs/<name>.log, shown only when it fails.
quietly() # <name> <command...>
{
    local log=$logs/$1.log
    shift
    mkdir -p "$logs"
    if ! "$@" >"$log" 2>&1; then
        cat "$log" >&2
        echo "failed: $*" >&2
        return 1
    fi
}

# Configures build/<name>. A folder configured for another place or generator starts afresh.
configure() # <name> <cmake option...>
{
    local name=$1 generator="Unix Makefiles" options=()
    local cache=$root/build/$name/CMakeCache.txt
    shift

    if command -v ninja >/dev/null; then generator=Ninja; fi
    generator=${CMAKE_GENERATOR:-$generator}
    if [ -f "$cache" ] && ! { grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" &&
        grep -qxF "CMAKE_GENERATOR:INTERNAL=$generator" "$cache"; }; then
        options+=(--fresh)
    fi
    quietly "$name-configure" cmake "${options[@]}" -S "$root" -B "$root/build/$name" -G "$generator" "$@"
}

build() # <name> <cmake --build option...>
{
    local name=$1
    shift
    quietly "$name-build" cmake --build "$root/build/$name" --parallel "$(jobs_at_once)" "$@"
}

jobs_at_once()
{
    nproc 2>/dev/null || echo 2
}
