#!/usr/bin/env bash
# In a bare Debian, from bare.sh: installs the packages that are beside this file, uses them, removes them.
set -euo pipefail
cd /try
export DEBIAN_FRONTEND=noninteractive

fail()
{
    echo "inside.sh: $*" >&2
    exit 1
}

quietly()
{
    "$@" >/try/log 2>&1 </dev/null || { cat /try/log >&2; fail "failed: $*"; }
}

install()
{
    quietly apt-get -q -y install --no-install-recommends "$@"
}

user=(setpriv --reuid=user --regid=user --clear-groups env HOME=/home/user) # somebody who owns nothing but a folder
as_user() # <command...>
{
    "${user[@]}" "$@"
}

named_saltus() # paths, outside of this folder and the user's
{
    find / -xdev \( -path /try -o -path /home -o -path /proc -o -path /sys \) -prune -o -name '*saltus*' -print
}

expect() # <what> <found> <expected>
{
    [ "$2" = "$3" ] || fail "$1: found '$2', expected '$3'"
}

quietly apt-get -q update
quietly useradd --create-home user
chmod 755 /try
[ -z "$(named_saltus)" ] || fail "not bare: $(named_saltus)"
scenes=/usr/share/saltus/scenes

# The library alone, with what it needs.
version=$(dpkg-deb -f ./saltus_*.deb Version)
install ./libsaltus0_*.deb
[[ $(ldconfig -p) == *libsaltus.so.0* ]] || fail "the loader does not know the library"

# The command.
install ./saltus_*.deb
cd /home/user
expect version "$(as_user saltus --version)" "saltus ${version%-*}"
as_user saltus run $scenes/five_bar.json --output out >run.txt
grep -q ' 9 floor' run.txt || fail "the five-bar does not bounce nine times"
expect files "$(ls out | tr '\n' ' ')" "events.csv states.csv summary.json "
as_user saltus verify $scenes/five_bar_impact.json >verify.txt || fail "derivatives are not confirmed"
quietly as_user saltus report $scenes/five_bar_impact.json -o report.html
grep -q Dygraph report.html || fail "a report has no plots"
quietly as_user saltus draw $scenes/four_bar.json -o four_bar.svg
install man-db bash-completion
quietly as_user man saltus
quietly as_user man saltus-run
quietly as_user man 5 saltus-scene
as_user bash -ic '
    source /usr/share/bash-completion/bash_completion
    _completion_loader saltus
    complete_words() # <word...>
    {
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMPREPLY=()
        compopt() { :; }
        _saltus
        echo "${COMPREPLY[*]}"
    }
    complete_words saltus eq
    complete_words saltus run --dur
    complete_words saltus run '$scenes'/five_bar.json --set L0
    complete_words saltus sens '$scenes'/five_bar.json --wrt L01,L
    complete_words saltus run --form p
    complete_words saltus types spr
    complete_words saltus run '$scenes'/five_bar_f
' >completed.txt 2>/dev/null
expect completion "$(cat completed.txt)" "equilibrium
--duration
L01= L02=
L01,L01 L01,L02
penalty
spring
$scenes/five_bar_friction.json"

# The live view answers.
install python3
"${user[@]}" saltus view $scenes/five_bar.json --no-browser >view.txt 2>&1 &
view=$!
for _ in $(seq 100); do
    ! grep -q http view.txt || break
    sleep 0.1
done
address=$(grep -o 'http://[^ ]*' view.txt | head -1)
as_user python3 -c '
import sys, urllib.request
page = urllib.request.urlopen(sys.argv[1], timeout=10).read()
assert b"<html" in page and len(page) > 10000' "$address" || fail "the view does not answer at $address"
kill $view
wait $view || [ $? -eq 130 ] || fail "the view does not end"

# Python, first with the packaged module, then with one that pip installed in an environment of its own.
cd /try
install ./python3-saltus_*.deb
try_python() # <python> <where the module is>
{
    as_user "$1" -c '
import sys, saltus
assert saltus.__file__.startswith(sys.argv[2]), saltus.__file__
assert "libsaltus.so.0" in saltus.library
scene = saltus.load(sys.argv[1])
r = scene.run(wrt=["L01"])
assert len(r.events) == 9 and abs(r.events[0].t - 0.283982415582) < 1e-9
print(saltus.__version__)' $scenes/five_bar.json "$2"
}
expect module "$(try_python python3 /usr/lib/python3/dist-packages)" "${version%-*}"
python3 -c 'import saltus' # as root: what is compiled must go with the package
quietly apt-get -q -y purge python3-saltus
[ ! -e /usr/lib/python3/dist-packages/saltus ] || fail "the module left $(find /usr/lib/python3/dist-packages/saltus)"
install python3-venv python3-pip python3-setuptools python3-wheel
cp -r python /home/user/module
chown -R user: /home/user
cd /home/user
quietly as_user python3 -m venv --system-site-packages environment
quietly as_user environment/bin/pip install --no-build-isolation --no-deps ./module
expect "module by pip" "$(try_python environment/bin/python /home/user/environment)" "${version%-*}"

# Programs in C: by CMake and by pkg-config, shared and static; a joint of one's own.
cd /try
install ./libsaltus-dev_*.deb gcc libc6-dev make cmake pkg-config libgfortran-12-dev
cp -r consumer /home/user/consumer
chown -R user: /home/user/consumer
cd /home/user
quietly as_user cmake -S consumer -B consumer/build
quietly as_user cmake --build consumer/build
for program in consumer consumer_static; do
    expect $program "$(as_user consumer/build/$program)" "${version%-*}"
done
quietly as_user sh -c 'cc consumer/main.c -o program $(pkg-config --cflags --libs saltus)'
expect pkg-config "$(as_user ./program)" "${version%-*}"
quietly as_user saltus new joint halves
quietly as_user sh -c 'cc -std=c17 -shared -fPIC halves.c -o halves.so $(pkg-config --cflags saltus)'
quietly as_user saltus verify test_halves.json --plugin ./halves.so

# Many runs over MPI, where there is such a package.
if ls /try/saltus-mpi_*.deb >/dev/null 2>&1; then
    install /try/saltus-mpi_*.deb
    quietly as_user mpirun -n 2 saltus-mpi sweep $scenes/five_bar.json --over L01=2.2:2.3:4 --output swept
    expect cases "$(grep -c '^[0-9]' swept/sweep.csv)" 4
    quietly as_user man saltus-mpi
    quietly apt-get -q -y purge saltus-mpi
fi

# Removed, and nothing is left.
quietly apt-get -q -y purge libsaltus-dev saltus libsaltus0
left=$(named_saltus)
[ -z "$left" ] || fail "after removing there is still $left"
[[ $(ldconfig -p) != *saltus* ]] || fail "the loader still knows the library"
expect audit "$(dpkg --audit)" ""
