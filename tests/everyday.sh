#!/usr/bin/env bash
# The command in everyday use, from outside: everyday.sh SALTUS SCENES. Streams and files that cannot be written, scenes
# from stdin, settings by expressions, columns on demand, the final state as a scene, JSON, quiet, progress.
set -u
saltus=$1
scenes=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

same() { # same WHAT FOUND EXPECTED
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        printf 'FAILED %s: %s, expected %s\n' "$1" "$2" "$3"
        failed=$((failed + 1))
    fi
}
expect() { # expect WHAT CODE COMMAND...: its streams go to out and err
    local what=$1 code=$2
    shift 2
    "$@" >out 2>err
    same "exit code of $what" $? "$code"
}
says() { # says FILE TEXT
    same "$1 says '$2'" "$(grep -cF -- "$2" "$1" | sed 's/^[1-9][0-9]*$/yes/')" yes
}
none_left() { # none_left WHAT: of files that are not complete
    same "unfinished files after $1" "$(find . -name '*.part' | wc -l | tr -d ' ')" 0
}

# -------------------------------------------------------------------------------- what cannot be written

five=$scenes/five_bar_impact.json
commands=("run $five" "run $five --json" "sens $five" "sens $five --json" "verify $scenes/pendulum.json --duration 0.02"
    "verify $scenes/pendulum.json --duration 0.02 --json" "cycle $scenes/clock.json" "cycle $scenes/clock.json --json"
    "cycle $scenes/clock.json --follow kick=0.2:0.201" "check $five" "check $five --json" "assemble $five"
    "equilibrium $five" "equilibrium $five --json" "modes $five" "modes $five --json" "draw $five -o -"
    "plot $five --series y(P2) -o -" "report $five -o -" "types" "types bar" "types --schema" "--help" "--version"
    "run --help" "draw --help")
for command in "${commands[@]}"; do
    # shellcheck disable=SC2086
    "$saltus" $command >/dev/full 2>err
    same "exit code of $command on a full device" $? 6
    says err "saltus: cannot write to stdout: "
    # shellcheck disable=SC2086
    "$saltus" $command >&- 2>err
    same "exit code of $command without stdout" $? 6
done
expect "help on a full device" 6 bash -c '"$1" --help >/dev/full' - "$saltus"
says err "No space left on device"
mkfifo gone
exec 3<>gone 4>gone 3>&- # a pipe that was read from, and is no more
"$saltus" types >&4 2>err
same "exit code where nobody reads" $? 6
exec 4>&-
same "and no words about it" "$(wc -c <err | tr -d ' ')" 0
expect "a file on a full device" 6 "$saltus" draw "$five" -o /dev/full
says err "cannot write '/dev/full': No space left on device"
same "which is still there" "$([ -c /dev/full ] && echo device)" device
expect "results that do not fit" 6 bash -c 'ulimit -f 16; exec "$@"' - "$saltus" run "$five" --output large
says err "large/states.csv': File too large"
same "nothing of them" "$(ls -A large)" ""
expect "without stdout and with files" 6 bash -c '"$@" >&-' - "$saltus" run "$five" --output closed
same "the first line of a table" "$(head -c 12 closed/states.csv)" "t,segment,x("

# ---------------------------------------------------------------------------------- links, pipes, devices

mkfifo pipe.svg
cat pipe.svg >from_pipe.svg &
expect "into a pipe" 0 "$saltus" draw "$five" -o pipe.svg
wait
same "which stays one" "$([ -p pipe.svg ] && tail -1 from_pipe.svg)" "</svg>"
echo mine >target.svg
ln -s target.svg link.svg
expect "in place of a link" 0 "$saltus" draw "$five" -o link.svg
same "what it led to" "$(cat target.svg)" mine
same "what is there now" "$([ -L link.svg ] || tail -1 link.svg)" "</svg>"
expect "to stdout by its name" 0 "$saltus" draw "$five" -o /dev/stdout
same "the picture alone" "$(tail -1 out)" "</svg>"
echo victim >victim
for suffix in .part .tmp; do ln -s victim "trap.svg$suffix"; done
expect "with links that wait" 0 "$saltus" draw "$five" -o trap.svg
same "nobody goes through them" "$(cat victim)" victim
echo old >kept.svg
chmod 640 kept.svg
expect "over a file" 0 "$saltus" draw "$five" -o kept.svg
same "its permissions" "$(stat -c %a kept.svg)" 640
umask 027
expect "a new file" 0 "$saltus" draw "$five" -o new.svg
same "its permissions" "$(stat -c %a new.svg)" 640
umask 022
rm -f trap.svg.part trap.svg.tmp
"$saltus" run "$scenes/pendulum.json" --duration 1e7 --output stopped >out 2>err &
pid=$!
sleep 0.5
kill -TERM "$pid"
sleep 0.1
kill -TERM "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
none_left "a second signal"

# -------------------------------------------------------------------------------- stdin and settings

expect "a scene from stdin" 0 bash -c '"$1" run - --json <"$2"' - "$saltus" "$scenes/pendulum.json"
says out '"status":	"done"'
expect "a wrong one" 3 bash -c 'echo "{" | "$1" check -' - "$saltus"
says err "stdin:2:1: "
expect "no stdin" 3 bash -c '"$1" check - <&-' - "$saltus"
says err "stdin cannot be read"
expect "assemble from stdin" 0 bash -c '"$1" assemble - --set L01=2.2 <"$2"' - "$saltus" "$scenes/five_bar.json"
says out '"L01": 2.2'
expect "a picture of it" 0 bash -c '"$1" draw - <"$2"' - "$saltus" "$scenes/pendulum.json"
same "its name" "$(cat out)" scene.svg
expect "no view of stdin" 2 "$saltus" view -
expect "a setting by parameters" 0 "$saltus" check "$scenes/five_bar.json" --set "L01=1.1*L02" --set "L02=2*L01" --json
same "values" "$(awk '/"L0[12]"/ { printf "%.6f ", $2 }' out)" "$("$saltus" check "$scenes/five_bar.json" --json |
    awk '/"L02"/ { printf "%.6f %.6f ", 1.1 * $2, 2.2 * $2 }')"
expect "settings that read what is not known" 2 "$saltus" run "$scenes/five_bar.json" --set "L01=2*L03"
says err "--set: in '2*L03', column 3: unknown"
expect "settings by the motion" 2 "$saltus" run "$scenes/five_bar.json" --set "L01=x(P2)"
expect "overlays by parameters" 0 "$saltus" plot "$scenes/five_bar.json" --series "y(P2)" --overlay "L01=L02" --overlay "L01=1.1*L02" -o over.svg

# ------------------------------------------------------------------------------------------ columns

expect "columns" 0 "$saltus" run "$five" --output c --columns "angle(bar1), distance(P1, P2), vy(P2), -x(P2), closed(floor)"
same "their header" "$(head -1 c/columns.csv)" 't,segment,angle(bar1),"distance(P1, P2)",vy(P2),(-x(P2)),closed(floor)'
same "they are those of the states" "$(paste -d, c/columns.csv <(cut -d, -f1-14 c/states.csv) | awk -F, '
    NR > 1 { if ($1 != $8 || $2 != $9 || $5 != $19 || $6 != -$12) bad++ } # t, segment, vy(P2), x(P2)
    END { print NR, bad + 0 }')" "$(wc -l <c/states.csv | tr -d ' ') 0"
expect "derivatives of columns" 0 "$saltus" sens "$five" --output d --columns "y(P2)" --wrt L01
same "they are those of the states" "$(paste -d, d/columns.csv d/sensitivities.csv | awk -F, '
    NR == 1 { for (k = 5; k <= NF; k++) if ($k == "d y(P2)/d L01") at = k }
    NR > 1 { d = $4 - $at; if (d < 0) d = -d; if (!(d <= 1e-9 * (1 + ($at < 0 ? -$at : $at)))) bad++ }
    END { print (at > 0), bad + 0 }')" "1 0"
expect "outputs and reactions" 0 "$saltus" sens "$scenes/pendulum.json" --output e
same "their header" "$(head -1 e/columns.csv)" \
    "t,segment,tension,d tension/d L,d tension/d m,height,d height/d L,d height/d m,reaction(rod.tension),d reaction(rod.tension)/d L,d reaction(rod.tension)/d m"
# tension = m (g cos + v^2/L) is proportional to m at every time: d tension/d m = tension/m, m = 1
same "their derivatives" "$(awk -F, 'NR > 1 { d = $5 - $3; if (d * d > 1e-12) bad++ } END { print (NR > 100), bad + 0 }' e/columns.csv)" "1 0"
expect "unknown columns" 2 "$saltus" run "$five" --output f --columns "x(P9)"
says err "--columns: in 'x(P9)', column 3: unknown point 'P9'"
same "and no folder" "$([ -e f ] || echo none)" none
expect "columns to nowhere" 2 "$saltus" run "$five" --columns "x(P2)"
says err "--columns is for --output"
expect "units" 0 "$saltus" run "$five" --output u --units --columns "angle(bar1)"
same "of states" "$(head -1 u/states.csv | cut -d, -f1-3)" "t [s],segment,x(P1) [m]"
same "of events" "$(head -1 u/events.csv | cut -d, -f4,8)" "t [s],energy_before [J]"
same "of columns" "$(head -1 u/columns.csv)" "t [s],segment,angle(bar1) [rad]"
same "numbers as without" "$(diff <(tail -n +2 u/states.csv) <(tail -n +2 c/states.csv) && echo same)" same

# --------------------------------------------------------------------------------------- final state

# halves SCENE DURATION: two runs after each other end as one does, with as many events
halves() {
    local name
    name=$(basename "$1" .json)
    expect "$name, whole" 0 "$saltus" run "$1" --duration "$2" --json
    mv out whole.json
    expect "$name, first half" 0 "$saltus" run "$1" --duration "0.6*$2" --final half.json --json
    mv out first.json
    expect "$name, second half" 0 "$saltus" run half.json --duration "0.4*$2" --json
    same "$name, events" "$(grep -c '"grazing"' whole.json)" "$(cat first.json out | grep -c '"grazing"')"
    same "$name, the end" "$(awk '/"final":/ { on = 1; n++; next } /}/ { on = 0 } on { value[n, $1] = $2; size = $2 * $2 > size ? $2 * $2 : size; name[$1] }
        END { for (k in name) { d = value[1, k] - value[2, k]; if (!(d * d < 1e-14 * size)) bad++; count++ } print (count > 3), bad + 0 }' whole.json out)" "1 0"
}
halves "$scenes/five_bar_impact.json" 5
halves "$scenes/car_axis.json" 3 # driven: its formulas read t
halves "$scenes/stairs.json" 1.2
halves "$scenes/clock.json" 10 # with memory
halves "$scenes/stick_slip_belt.json" 5.2
expect "a final state of other parameters" 0 "$saltus" run "$scenes/five_bar.json" --duration 1 --set "L01=1.02*L01" --final set.json
expect "has them" 0 "$saltus" check set.json --json
same "value" "$(awk '/"L01"/ { printf "%.9f", $2 }' out)" "$("$saltus" check "$scenes/five_bar.json" --json | awk '/"L01"/ { printf "%.9f", 1.02 * $2 }')"
expect "a final state that no scene can say" 6 "$saltus" run "$scenes/newtons_cradle.json" --duration 3 --final never.json
says err "--final: a scene cannot say all of this state"
same "is not written" "$([ -e never.json ] || echo none)" none
cat >off.json <<'END'
{ "saltus": 1, "points": { "P": { "at": [0, 1] } }, "bodies": { "ball": { "type": "point_mass", "point": "P", "mass": 1 } },
  "contacts": { "floor": { "type": "ground", "points": ["P"], "restitution": 0.5 },
    "off": { "type": "event", "when": "t - 0.1", "direction": "rising", "open": ["floor"] } } }
END
expect "a final state before a contact is switched off" 0 "$saltus" run off.json --duration 0.05 --final before.json
expect "a final state in the air, the contact switched off" 6 "$saltus" run off.json --duration 0.2 --final after.json
says err "its start would be another one for floor"
expect "a final state that cannot be written" 6 "$saltus" run "$scenes/pendulum.json" --final nowhere/x.json

# Nothing in a table is a formula for a spreadsheet: names cannot begin so, expressions stand in brackets.
for name in '=1+1' '+1' '-1' '@x' 'a,b'; do
    sed "s/\"height\"/\"$name\"/" "$scenes/pendulum.json" >named.json
    expect "an output called $name" 3 "$saltus" run named.json --output named
    says err "cannot be a name"
done
same "numbers and names alone" "$(cat ./*/*.csv | tr ',' '\n' | grep -cvE '^"?[a-zA-Z_(]|^-?[0-9.]|^-?(nan|inf)|^ [a-zA-Z]|^$')" 0

# ------------------------------------------------------------------------------------- JSON and silence

printf 't,y(ball)\n0.1,0.95\n0.2,0.8\n0.3,0.56\n0.5,0.1\n' >data.csv
for command in "sweep $five --over L01=2.2,2.3" "fit $scenes/bouncing_ball.json data.csv --over height" "run $five" "sens $five" "verify $scenes/pendulum.json --duration 0.02" "cycle $scenes/clock.json" \
    "cycle $scenes/clock.json --follow kick=0.2:0.201" "check $five" "equilibrium $five" "modes $five"; do
    # shellcheck disable=SC2086
    expect "$command as JSON" 0 "$saltus" $command --json
    same "how $command begins" "$(sed -n '2,7s/^	\("[a-z]*"\):.*/\1/p' out | tr '\n' ' ')" \
        '"saltus" "command" "scene" "name" "status" "units" '
    says out "\"command\":	\"${command%% *}\""
    # shellcheck disable=SC2086
    expect "$command, quietly" 0 "$saltus" $command --quiet
    same "what it says" "$(cat out err | wc -c | tr -d ' ')" 0
done
expect "quietly with JSON" 0 "$saltus" run "$five" --quiet --json
says out '"x(P2)":	"m"'
expect "a quiet picture" 0 "$saltus" draw "$five" -q -o quiet.svg
same "what it says" "$(wc -c <out | tr -d ' ')" 0
same "it is there" "$(tail -1 quiet.svg)" "</svg>"
expect "errors are not quiet" 3 "$saltus" run nowhere.json --quiet
says err "nowhere.json"
expect "no progress in a file" 130 timeout --preserve-status -s INT 1.6 "$saltus" run "$scenes/pendulum.json" --duration 1e7
same "there" "$(grep -c 'computing\|t = ' err)" 0
if command -v script >/dev/null; then # a terminal
    script -qec "timeout -s INT 1.6 '$saltus' run '$scenes/pendulum.json' --duration 1e7" /dev/null >out 2>&1 </dev/null
    says out "of 1e+07 s ("
    script -qec "timeout -s INT 1.6 '$saltus' verify '$scenes/pendulum.json' --duration 1000" /dev/null >out 2>&1 </dev/null
    says out "computing for 1 s"
fi
same "no colours, with NO_COLOR and without" "$(NO_COLOR=1 "$saltus" run "$five" | grep -c $'\033')$("$saltus" run "$five" | grep -c $'\033')" 00

none_left "all of this"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
