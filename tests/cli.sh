#!/bin/bash
# cli.sh SALTUS SCENES - the command as a user meets it: results, messages, exit codes.
set -uo pipefail

saltus=$1
scenes=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

# expect NAME EXIT_CODE COMMAND...: runs it; stdout and stderr are in the files out and err
expect() {
    local name=$1 code=$2
    shift 2
    "$@" >out 2>err
    local got=$?
    if [ "$got" -eq "$code" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED %s: exit code %d, expected %d\n' "$name" "$got" "$code"
        cat out err
    fi
}

# says FILE TEXT: the file has the text
says() {
    if grep -qF -- "$2" "$1"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf "FAILED: '%s' not in %s:\n" "$2" "$1"
        cat "$1"
    fi
}

# same NAME A B
same() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED %s: %s, expected %s\n' "$1" "$2" "$3"
    fi
}

# ------------------------------------------------------------------------------------------- run

expect "run" 0 "$saltus" run "$scenes/five_bar.json"
says out "five-bar mechanism bouncing on the ground"
says out "9 floor"
says out "max |Phi|"
same "nothing written without --output" "$(ls)" "$(printf 'err\nout')"

expect "run with results" 0 "$saltus" run "$scenes/five_bar.json" --output results/deep
same "files" "$(ls -A results/deep | tr '\n' ' ')" "events.csv states.csv summary.json "
same "lines of events.csv" "$(wc -l <results/deep/events.csv | tr -d ' ')" 10
# the header, t = 0, 500 output times, two lines for each of nine events
same "lines of states.csv" "$(wc -l <results/deep/states.csv | tr -d ' ')" 520
same "first columns" "$(head -1 results/deep/states.csv | cut -d, -f1-4)" "t,segment,x(P1),y(P1)"
same "last time" "$(tail -1 results/deep/states.csv | cut -d, -f1,2)" "5,9"
same "columns agree" "$(awk -F, '{print NF}' results/deep/states.csv | sort -u | wc -l | tr -d ' ')" 1
same "columns of events agree" "$(awk -F, '{print NF}' results/deep/events.csv | sort -u | wc -l | tr -d ' ')" 1
says results/deep/summary.json '"status":	"done"'

expect "run again into the same folder" 0 "$saltus" run "$scenes/five_bar.json" --output results/deep --duration 1
same "replaced" "$(wc -l <results/deep/events.csv | tr -d ' ')" 3

expect "json" 0 "$saltus" run "$scenes/five_bar.json" --json --form penalty --rtol 1e-8 --duration 0.5
says out '"form":	"penalty"'
says out '"rtol":	1e-08'
says out '"duration":	0.5'
says out '"event":	"floor"'

expect "set" 0 "$saltus" run "$scenes/five_bar.json" --set L01=2.2 --set "L02=sqrt(4.25)+0.01" --json
says out '"L01":	2.2'
says out '"L02":	2.07155281280883'

# ------------------------------------------------------------------------------- sens and verify

expect "sens" 0 "$saltus" sens "$scenes/five_bar.json"
says out "t of event 9, floor"
says out "d/d L02"
expect "a doubtful run" 10 "$saltus" run "$scenes/../tests/scenes/double_pendulum_strikes_by_newton.json" --strict
says out "health             doubtful: work balances to"
says out "laws of restitution have added 41.1086 J"
says err "floor.M1 at t = 0.230311169 s adds 41.1086 J"
says err "saltus: --strict: the run is doubtful"
expect "strict and good" 0 "$saltus" run "$scenes/five_bar.json" --strict
says out "health             good: work balances to"
expect "who did work" 0 "$saltus" run "$scenes/clock.json" --work
says out "work               drag -0.768476"
says out "tick 0.899686"
expect "health as JSON" 0 "$saltus" run "$scenes/clock.json" --json
says out '"verdict":	"good"'
says out '"transversality"'
says out '"work":	{'
expect "strict derivatives" 10 "$saltus" sens "$scenes/../tests/scenes/double_pendulum_strikes_by_newton.json" --wrt "initial(P1.x)" --strict
expect "matters of choice" 0 "$saltus" sens "$scenes/resting_block.json"
says out "a matter of choice, with their derivatives: multipliers or impulses of ramp.A.t, ramp.B.t"
expect "sens with results" 0 "$saltus" sens "$scenes/five_bar.json" --wrt "L01,initial(P2.vx)" --cost z2 --output s --json
says out '"initial(P2.vx)"'
same "files of sens" "$(ls -A s | tr '\n' ' ')" "columns.csv events.csv sensitivities.csv states.csv summary.json "
same "lines of sensitivities.csv" "$(wc -l <s/sensitivities.csv | tr -d ' ')" 520
same "columns of sensitivities agree" "$(awk -F, '{print NF}' s/sensitivities.csv | sort -u | tr -d '\n')" 35
expect "no effect" 0 "$saltus" sens "$scenes/bouncing_ball.json" --wrt speed --duration 0.1 --set speed=0
printf '{"saltus":1,"parameters":{"a":1,"unused":2},"points":{"P":{"at":[0,"a"]}},"bodies":{"m":{"type":"point_mass","point":"P","mass":1}}}' >unused.json
expect "a parameter without effect" 0 "$saltus" sens unused.json
says out "unused has no effect"
expect "unknown parameter of sens" 2 "$saltus" sens "$scenes/five_bar.json" --wrt L1
says err "unknown parameter 'L1'; did you mean 'L01'?"
expect "unknown cost" 2 "$saltus" sens "$scenes/five_bar.json" --cost z3
says err "unknown cost 'z3'; known: z1 z2"
printf '{"saltus":1,"parameters":{"a":1},"points":{"P":{"at":[0,0],"velocity":[0,1]}},"bodies":{"m":{"type":"point_mass","point":"P","mass":1}},"contacts":{"top":{"type":"event","when":"1/19.62-y(P)"}},"simulation":{"duration":0.15}}' >graze.json
expect "grazing" 7 "$saltus" sens graze.json --wrt "initial(P.y)"
says out "NOT VALID from there on: top grazes zero at t = 0.1019"
expect "verify says so too" 7 "$saltus" verify graze.json --wrt "initial(P.y)"
says err "top grazes zero"
expect "verify needs tolerance it can reach" 7 "$saltus" verify "$scenes/pendulum.json" --tolerance 1e-17
says out "NOT CONFIRMED: step sizes differ by more"
expect "verify chosen gradients" 0 "$saltus" verify "$scenes/five_bar.json" --adjoint --wrt L02 --cost z2
same "those alone" "$(grep -o '^  cost [^ ]*' out | tr -d '\n')" "  cost z2,  cost z2"
expect "verify an unknown cost" 2 "$saltus" verify "$scenes/five_bar.json" --adjoint --cost z3
says err "unknown cost 'z3'; known: z1 z2"
expect "verify chosen costs forward" 2 "$saltus" verify "$scenes/five_bar.json" --cost z2
says err "--cost: goes with --adjoint"
printf '{"saltus":1,"parameters":{"h":1.2,"T":0.4,"micro":1e-6},"points":{"P":{"at":[0,"h"],"velocity":[1,0]}},"bodies":{"m":{"type":"point_mass","point":"P","mass":"micro"}},"contacts":{"floor":{"type":"event","when":"y(P)","stop":true}},"costs":{"z":{"running":"x(P)","terminal":"vy(P)"}},"simulation":{"duration":2}}' >stop.json
expect "verify where the end moves with an event" 0 "$saltus" verify stop.json
sed 's/"duration":2/"duration":"T"/' stop.json >until.json
expect "verify where the end moves with a parameter" 0 "$saltus" verify until.json
# A pendulum is held where it turns round: the impulse is rounding, whatever the unit of mass.
for mass in 2 2e-9 2e9; do
    cat >held.json <<END
{ "saltus": 1, "parameters": { "g": 9.81, "m": $mass, "L": 1, "a": 0.9 }, "gravity": [0, "-g"],
  "points": { "O": { "at": [0, 0], "fixed": true }, "P": { "at": ["L*sin(a)", "-L*cos(a)"] } },
  "bodies": { "rod": { "type": "bar", "points": ["O", "P"], "mass": "m" } },
  "joints": { "brake": { "type": "formula", "rates": ["rate(rod)"], "active": false } },
  "contacts": { "turn": { "type": "event", "when": "rate(rod)", "direction": "rising", "hold": ["brake"] } },
  "simulation": { "duration": 2.6 } }
END
    expect "verify where impulses are nothing, m = $mass" 0 "$saltus" verify held.json
    says out "impulses of brake"
done
expect "types of costs" 0 "$saltus" types costs
says out "events         { what: expression }"
expect "verify without names" 2 "$saltus" verify stop.json --wrt ,

# ------------------------------------------------------------------------------------------ cycle

expect "cycle" 0 "$saltus" cycle "$scenes/clock.json"
says out "cycle through 'tick'"
says out "multipliers        0.7389560606"
says out "stable: 1 multiplier not zero by structure, of 4"
says out "period                        1.87601488696"
says out "d/d kick"
expect "cycle with results" 0 "$saltus" cycle "$scenes/clock.json" --wrt kick,L --json --output beat
says out '"stable":	true'
says out '"gradient"'
same "files of cycle" "$(ls -A beat | tr '\n' ' ')" "cycle.json "
same "the same in the file" "$(cmp out beat/cycle.json && echo same)" same
expect "follow" 0 "$saltus" cycle "$scenes/clock.json" --follow "kick=0.2:0.1*2^2" --output beat
says out "largest |mu|"
same "files of follow" "$(ls -A beat | tr '\n' ' ')" "cycle.json follow.csv "
same "columns of follow.csv agree" "$(awk -F, '{print NF}' beat/follow.csv | sort -u | tr -d '\n')" 10
same "last value of follow.csv" "$(tail -1 beat/follow.csv | cut -d, -f1)" 0.40000000000000002
printf '{"saltus":1,"gravity":[0,-1],"parameters":{"r":2.8,"b":0.1},"points":{"P":{"at":[0,0],"velocity":[0,0.6]},"Foot":{"at":[0,9]}},"bodies":{"m":{"type":"point_mass","point":"P","mass":1},"n":{"type":"point_mass","point":"Foot","mass":1}},"contacts":{"floor":{"type":"event","when":"y(P)","set":{"vy(P)":"-r*vy(P)*(1+vy(P))","vx(P)":"-b*x(P)","vy(Foot)":"9-y(Foot)","vx(Foot)":"-x(Foot)"}}}}' >logistic.json
expect "no section" 2 "$saltus" cycle logistic.json
says err "no section is given"
says err "events: floor"
expect "unknown section" 2 "$saltus" cycle logistic.json --section flor
says err "unknown event 'flor'; did you mean 'floor'?"
expect "period doubling" 0 "$saltus" cycle logistic.json --section floor --follow r=2.9:3.2
says out "period doubling"
same "where it is" "$(awk '$1 == "->" { printf "%.8f", $2 }' out)" 3.00000000
expect "json of a branch" 0 "$saltus" cycle logistic.json --section floor --follow r=2.9:3.2 --json
says out '"kind":	"period doubling"'
expect "steps" 0 "$saltus" cycle logistic.json --section floor --steps 2
says out "it closes after 1 already"
expect "not reached" 8 "$saltus" cycle logistic.json --section floor --duration 0.5
says err "the section 'floor' is not reached within 0.5 s"
expect "bad steps" 2 "$saltus" cycle logistic.json --section floor --steps 1.5
says err "expected a whole number"
expect "bad follow" 2 "$saltus" cycle logistic.json --section floor --follow r=3
says err "expected NAME=FROM:TO"
expect "bad number in follow" 2 "$saltus" cycle logistic.json --section floor --follow r=3:x
expect "unknown parameter of follow" 2 "$saltus" cycle logistic.json --section floor --follow q=3:4
says err "unknown parameter 'q'"
expect "empty range" 2 "$saltus" cycle logistic.json --section floor --follow r=3:3
says err "expected a range"
expect "follow and wrt" 0 "$saltus" cycle logistic.json --section floor --follow r=2.9:3.2 --wrt r
says out "period doubling"
says out "d(period)/d(r) = "
expect "follow and other wrt" 0 "$saltus" cycle "$scenes/clock.json" --follow kick=0.4:0.5 --wrt L,damping --json --output beat
says out '"period_gradient"'
says out '"damping"'
says beat/follow.csv "d(period)/d(L),d(step_length)/d(L)"
expect "unknown wrt of follow" 2 "$saltus" cycle "$scenes/clock.json" --follow kick=0.4:0.5 --wrt kik
says err "did you mean 'kick'?"
expect "tolerance" 0 "$saltus" cycle "$scenes/clock.json" --tolerance 1e-6
says out "found in"
expect "bad tolerance" 2 "$saltus" cycle "$scenes/clock.json" --tolerance 0
expect "period" 0 "$saltus" cycle "$scenes/driven_slider_crank.json" --wrt speed
says out "cycle of the period 0.314159265359 s"
says out "stable"
expect "memory" 0 "$saltus" cycle "$scenes/kneed_walker.json" --wrt g --json
says out '"memory"'
says out '"s2x"'
sed 's|"2\*pi/speed"|"3*pi/speed"|' "$scenes/driven_slider_crank.json" >wrong_period.json
expect "wrong period" 3 "$saltus" cycle wrong_period.json
says err "wrong_period.json:"
says err "cycle.period"
expect "initial values are found" 2 "$saltus" cycle logistic.json --section floor --wrt "initial(P.vx)"
says err "initial(P.vx) is what a cycle determines"
expect "time" 2 "$saltus" cycle "$scenes/kicked_pendulum.json" --section kicker
says err "depends on t"
expect "branch that ends" 8 "$saltus" cycle logistic.json --section floor --follow r=2.8:0.5 --output ends
says err "cannot be followed beyond r = 1.0"
same "what was computed is there" "$([ "$(wc -l <ends/follow.csv)" -gt 10 ] && echo yes)" yes
expect "cycle cannot be written" 6 "$saltus" cycle "$scenes/clock.json" --output logistic.json/x
sed 's/"contacts"/"cycle":{"exchange":{"P":"foot","Foot":"P"}},"contacts"/' logistic.json >roles.json
expect "unknown point" 3 "$saltus" cycle roles.json
says err "cycle.exchange.P: unknown point 'foot'; did you mean 'Foot'?"

# ------------------------------------------------------------------------------- many parameters

# A chain of 300 parameters, each of them the one before: all have the same derivatives, and none is left out.
{
    printf '{"saltus":1,"parameters":{"parameter_001":0.9,"kick":0.2'
    for k in $(seq 2 300); do printf ',"parameter_%03d":"parameter_%03d"' "$k" $((k - 1)); done
    printf '},"points":{"O":{"at":[0,0],"fixed":true},"W":{"at":[-1.5,-0.9],"fixed":true},"M":{"at":[0,"-parameter_300"],"velocity":[0.5,0]}},'
    printf '"bodies":{"m":{"type":"point_mass","point":"M","mass":1}},'
    printf '"joints":{"rod":{"type":"distance","points":["O","M"],"length":"parameter_300"},"drag":{"type":"spring","points":["W","M"],"damping":0.4}},'
    printf '"contacts":{"tick":{"type":"event","when":"x(M)","direction":"rising","set":{"vx(M)":"vx(M)+kick"}}},'
    printf '"cycle":{"section":"tick"},"costs":{"z":{"running":"y(M)"}},"simulation":{"duration":10}}'
} >many.json
names=$(seq -s, -f 'parameter_%03g' 300 -1 1)

# many NAME KEY: of the last output, how many parameters the object KEY of the JSON has, and with how many values
many() {
    same "$1: parameters" "$(grep -o '"parameter_[0-9]*"' out | sort -u | wc -l | tr -d ' ')" 300
    same "$1: the same derivative" \
        "$(awk -v key="\"$2\"" '$1 == key ":" { on = 1 } on && /"parameter_/ { print $2 + 0; n++ } n == 300 { exit }' out |
            sort -u | wc -l | tr -d ' ')" 1
}
expect "sens with many parameters" 0 "$saltus" sens many.json --json --duration 0.5
many "sens" z
expect "sens with many names" 0 "$saltus" sens many.json --json --duration 0.5 --wrt "$names"
many "sens --wrt" z
expect "cycle with many parameters" 0 "$saltus" cycle many.json --json
many "cycle" period
expect "cycle with many names" 0 "$saltus" cycle many.json --json --wrt "$names"
many "cycle --wrt" period
expect "equilibrium with many parameters" 0 "$saltus" equilibrium many.json --json
many "equilibrium" "y(M)"
expect "equilibrium with many names" 0 "$saltus" equilibrium many.json --json --wrt "$names"
many "equilibrium --wrt" "y(M)"
expect "modes with many parameters" 0 "$saltus" modes many.json --json
many "modes" frequency
expect "verify with many parameters" 0 "$saltus" verify many.json --json --duration 0.02
same "verify: parameters" "$(grep -o '"parameter_[0-9]*"' out | sort -u | wc -l | tr -d ' ')" 300
expect "verify with many names" 0 "$saltus" verify many.json --json --duration 0.02 --wrt "$names"
same "verify --wrt: parameters" "$(grep -o '"parameter_[0-9]*"' out | sort -u | wc -l | tr -d ' ')" 300
mapfile -t settings < <(for k in $(seq 300); do printf -- '--set=parameter_%03d=%d.5\n' "$k" "$k"; done)
expect "many settings" 0 "$saltus" check many.json --json "${settings[@]}"
same "many settings: values" "$(grep -c '"parameter_[0-9]*":	[0-9]*\.5,*$' out)" 300

# ------------------------------------------------------------------------------- control characters

# What a scene says must not steer the terminal: ESC, BEL, a new line, DEL, and CSI as one character.
harmless() {
    same "$1: no control characters" "$(cat out err | LC_ALL=C tr -d '\n' | LC_ALL=C grep -cP '[\x00-\x1f\x7f]|\xc2[\x80-\x9f]')" 0
}
sed 's/"name": *"[^"]*"/"name":"\\u001b]0;title\\u0007\\u001b[2J\\nnext\\r\\u007f\\u009b2J\\u00e4"/' "$scenes/clock.json" >escape.json
for command in run check sens cycle equilibrium modes "cycle --follow kick=0.2:0.21" "run --duration 0.1 --set L=-1"; do
    # shellcheck disable=SC2086
    "$saltus" $command escape.json >out 2>err
    harmless "$command"
done
expect "title" 0 "$saltus" run escape.json --duration 0.1
same "title, one line" "$(head -1 out)" "?]0;title??[2J?next???2Jä"
expect "title in JSON" 0 "$saltus" run escape.json --duration 0.1 --json
says out '"name":	"\u001b]0;title\u0007\u001b[2J\nnext\r\u007f\u009b2Jä"'
sed 's/"kick"/"ki\\u009bck"/' "$scenes/clock.json" >named.json
expect "no control characters in names" 3 "$saltus" check named.json
says err "cannot be a name"
harmless "name"
sed 's/"x(bob)"/"x(bob) + \\u009b2J\\u001b[2J"/' "$scenes/clock.json" >formula.json
expect "no control characters in messages" 3 "$saltus" check formula.json
harmless "formula"

# ---------------------------------------------------------------------------------- wrong arguments

expect "no command" 2 "$saltus"
says err "saltus run SCENE"
expect "unknown command" 2 "$saltus" rum
says err "unknown command 'rum'"
expect "no scene" 2 "$saltus" run
says err "no scene given"
expect "two scenes" 2 "$saltus" run a.json b.json
expect "unknown option" 2 "$saltus" run "$scenes/five_bar.json" --frm index1
says err "unknown option '--frm'"
expect "missing value" 2 "$saltus" run "$scenes/five_bar.json" --rtol
says err "--rtol needs a value"
expect "bad form" 2 "$saltus" run "$scenes/five_bar.json" --form index2
says err "expected index1, penalty or index3, found 'index2'"
expect "bad number" 2 "$saltus" run "$scenes/five_bar.json" --rtol 1e-9x
expect "negative duration" 2 "$saltus" run "$scenes/five_bar.json" --duration -1
says err "expected a positive number"
expect "bad set" 2 "$saltus" run "$scenes/five_bar.json" --set L01
says err "expected NAME=VALUE"
expect "unknown parameter" 2 "$saltus" run "$scenes/five_bar.json" --set L1=2
says err "unknown parameter 'L1'; did you mean 'L01'?"

# --------------------------------------------------------------------------------------- bad scenes

expect "missing file" 3 "$saltus" run nowhere.json
says err "nowhere.json"
sed 's/"stiffness"/"stifness"/' "$scenes/five_bar.json" >typo.json
expect "typo" 3 "$saltus" run typo.json
says err "typo.json:22:59: "
says err "joints.spring1: unknown key 'stifness'; did you mean 'stiffness'?"
sed 's/"mass": 1.5/"mass": -1.5/' "$scenes/five_bar.json" >negative.json
expect "negative mass" 3 "$saltus" check negative.json
says err "bodies.bar2.mass: must be positive"
sed 's/"at": \[-1.5, -1\]/"at": [-1.5, -1]/; s/"mass": 1   }/"mass": 1, "length": 0.1 }/' "$scenes/five_bar.json" >short.json
expect "cannot be assembled" 4 "$saltus" run short.json
says err "the mechanism cannot be assembled from the positions given"
says err "stays open: bar"
sed 's/"restitution": 0.8/"restitution": 0.5/; s/"duration": 3/"duration": 9/' "$scenes/bouncing_ball.json" >dying.json
expect "run fails" 5 "$saltus" run dying.json --output dying
says err "floor: it comes to rest on zero at t = 1.35"
says dying/summary.json '"status":	"failed"'
expect "folder cannot be made" 6 "$saltus" run "$scenes/five_bar.json" --output typo.json/x
says err "cannot make the folder"

# --------------------------------------------------------------------------------- check and types

expect "check" 0 "$saltus" check "$scenes/five_bar.json"
says out "degrees of freedom   2"
says out "P2             free"
expect "check json" 0 "$saltus" check "$scenes/kicked_pendulum.json" --json
says out '"degrees_of_freedom":	1'
expect "check takes no --form" 2 "$saltus" check "$scenes/five_bar.json" --form index1
expect "types" 0 "$saltus" types
says out "revolute"
expect "type" 0 "$saltus" types spring
says out "stiffness"
expect "unknown type" 2 "$saltus" types sprng
says err "did you mean 'spring'?"
expect "schema" 0 "$saltus" types --schema
same "the schema shipped is that of the program" "$(cmp out "$scenes/saltus.schema.json" && echo same)" same
for command in run sens verify cycle check types; do
    expect "help of $command" 0 "$saltus" "$command" --help
    says out "saltus $command"
done
expect "version" 0 "$saltus" --version
says out "saltus 0."

# every scene shipped runs, in both forms
for scene in "$scenes"/*.json; do
    [ "$(basename "$scene")" = saltus.schema.json ] && continue
    expect "$(basename "$scene")" 0 "$saltus" run "$scene"
    expect "$(basename "$scene") in penalty form" 0 "$saltus" run "$scene" --form penalty
done

# ------------------------------------------------------------- analysis, assemble, equilibrium, modes

cat >redundant.json <<'EOF'
{
  "saltus": 1, "//": "a parallelogram with a second coupler",
  "parameters": { "L": 1, "rod": 1, "nobody": 3 },
  "points": {
    "A": { "at": [0, 0], "fixed": true }, "B": { "at": [2, 0], "fixed": true }, "E": { "at": [1, 0], "fixed": true },
    "P": { "//": "roughly", "at": ["0.6*L", 0.79] },
    "Q": { "velocity": [0.8, "-0.6"], "at": [2.6, 0.8] }, "far": { "at": [7, 7], "fixed": true }
  },
  "bodies": {
    "left":  { "type": "bar", "points": ["A", "P"], "mass": 1.50, "length": "L" },
    "right": { "type": "bar", "points": ["B", "Q"], "mass": 1, "length": 1 },
    "top":   { "type": "bar", "points": ["P", "Q"], "mass": 1, "length": 2, "markers": { "mid": [1, 0] } }
  },
  "joints": { "second": { "type": "distance", "points": ["E", "mid"], "length": "rod" } },
  "simulation": { "duration": 0.2 }
}
EOF
expect "check of redundant constraints" 0 "$saltus" check redundant.json
says out "rank                 3"
says out "degrees of freedom   1"
says out "redundant            second depends on left, right"
says out "unused points        far"
says out "unused parameters    nobody"
says err "the constraints left, right, second depend on each other: of the multipliers possible the least are taken"
expect "the same as JSON" 0 "$saltus" check redundant.json --json
says out '"unused_points":	["far"]'
says out '"constraint":	"second"'
expect "redundant constraints run" 0 "$saltus" run redundant.json
says err "the constraints left, right, second depend on each other"
expect "in penalty form as well" 0 "$saltus" run redundant.json --form penalty
expect "an impossible joint" 4 "$saltus" run redundant.json --set rod=1.3
says err "stays open"
says err "second by"
sed '/"joints"/d; s/"0.6\*L", 0.79/1, 4e-8/; s/2.6, 0.8\]/3, 4e-8]/; s/0.8, "-0.6"/0, 0/' redundant.json >flat.json
expect "close to a singular configuration" 0 "$saltus" check flat.json
says out "close to a singular configuration: "

expect "assemble" 0 "$saltus" assemble redundant.json --output assembled.json
same "nothing half-written" "$(ls | grep -c part)" 0
same "lines that change" "$(diff redundant.json assembled.json | grep -c '^>')" 2
says assembled.json '"//": "a parallelogram with a second coupler"'
says assembled.json '"mass": 1.50'
says assembled.json '"P": { "//": "roughly", "at": ['
says assembled.json '], "velocity": ['
expect "it is assembled" 0 "$saltus" assemble assembled.json
digits='s/\(0\.[0-9]\{14\}\)[0-9]*/\1/g' # but for rounding
same "and stays so" "$(diff <(sed "$digits" assembled.json) <(sed "$digits" out) >/dev/null && echo same)" same
expect "assemble with other parameters" 0 "$saltus" assemble "$scenes/five_bar.json" --set L01=2.2
says out '"L01": 2.2'
cp out other.json
expect "runs as with --set" 0 "$saltus" run other.json --json
says out '"L01":	2.2'
expect "assemble what cannot be" 4 "$saltus" assemble redundant.json --set rod=1.3 --output impossible.json
same "nothing written then" "$([ -e impossible.json ] || echo none)" none
expect "assemble into nowhere" 6 "$saltus" assemble redundant.json --output nowhere/x.json
expect "assemble takes no --wrt" 2 "$saltus" assemble redundant.json --wrt L

expect "equilibrium" 0 "$saltus" equilibrium "$scenes/pendulum.json" --output hanging.json
says out "stable: smallest stiffness 9.81 N/m of 1 degree of freedom"
says out "rod.tension                            9.81"
says out "d/d L"
expect "the scene at the equilibrium" 0 "$saltus" equilibrium hanging.json --json
says out '"iterations":	0'
says out '"stability":	"statically stable"'
expect "equilibrium of the five-bar" 0 "$saltus" equilibrium "$scenes/five_bar.json" --wrt L02
says out "2 degrees of freedom"
printf '{"saltus":1,"points":{"P":{"at":[0,1]}},"bodies":{"m":{"type":"point_mass","point":"P","mass":1}}}' >falls.json
expect "no equilibrium" 9 "$saltus" equilibrium falls.json
says err "no equilibrium: nothing holds it along y(P)"
expect "no modes then" 9 "$saltus" modes falls.json
expect "equilibrium into nowhere" 6 "$saltus" equilibrium "$scenes/pendulum.json" --output nowhere/x.json
expect "equilibrium without such a parameter" 2 "$saltus" equilibrium "$scenes/pendulum.json" --wrt LL
says err "unknown parameter 'LL'"
expect "equilibrium takes no --form" 2 "$saltus" equilibrium "$scenes/pendulum.json" --form penalty
expect "equilibrium of a wrong scene" 3 "$saltus" equilibrium typo.json

expect "modes" 0 "$saltus" modes "$scenes/pendulum.json"
says out "0.498487916486"
says out "frequency 1 [rad/s]           3.13209195267"
expect "modes as JSON" 0 "$saltus" modes "$scenes/hammer.json" --json --wrt k,c
says out '"kind":	"oscillates"'
says out '"damping_ratio"'
expect "modes take no --output" 2 "$saltus" modes "$scenes/pendulum.json" --output x
for command in assemble equilibrium modes; do
    expect "help of $command" 0 "$saltus" "$command" --help
    says out "saltus $command"
done

# ------------------------------------------------------------------------------------------- report

expect "report" 0 "$saltus" report "$scenes/five_bar_impact.json" -o page.html
says out "page.html"
says page.html '<!doctype html>'
says page.html 'id="saltus-document">{"format":1,"saltus":"'
says page.html '"wrt":[{"name":"L01","value":2.2360679774997'
same "nothing else beside it" "$(ls page.html*)" page.html
expect "a report has the name of its scene" 0 "$saltus" report "$scenes/bouncing_ball.json"
same "its file" "$(ls bouncing_ball.html)" bouncing_ball.html
expect "a report without derivatives, to stdout" 0 "$saltus" report "$scenes/five_bar_impact.json" --wrt none -o -
says out '"wrt":[]'
expect "a report that cannot be written" 6 "$saltus" report "$scenes/pendulum.json" -o /nowhere/page.html
expect "a report of what cannot be differentiated by" 2 "$saltus" report "$scenes/pendulum.json" --wrt nothing
expect "run with a report" 0 "$saltus" run "$scenes/pendulum.json" --report run.html
says run.html '"wrt":[]'
expect "sens with a report" 0 "$saltus" sens "$scenes/pendulum.json" --report sens.html --json
says sens.html '"wrt":[{"name":"'
expect "cycle with a report" 0 "$saltus" cycle "$scenes/simplest_walker.json" --report cycle.html
says cycle.html '"study":{"title":"Cycle"'
expect "equilibrium with a report" 0 "$saltus" equilibrium "$scenes/five_bar.json" --report rest.html
says rest.html '"frames":1,'
expect "verify has no report" 2 "$saltus" verify "$scenes/pendulum.json" --report x.html
expect "a report of very many frames has the first" 0 "$saltus" report "$scenes/pendulum.json" --duration 1100 -o long.html
says long.html '"until":1100,"frames":100000,'
printf '{"saltus": 1, "name": "</script><!--<script>", "points": {"P": {"at": [0, 0]}}, "bodies": {"m": {"type":
    "point_mass", "point": "P", "mass": 1}}, "simulation": {"duration": 1}}' >title.json
expect "a report of a scene with markup in its title" 0 "$saltus" report title.json -o title.html
says title.html '"title":"\u003c/script\u003e\u003c!--\u003cscript\u003e"'
expect "help of report" 0 "$saltus" report --help
says out "saltus report"

# ------------------------------------------------------------------------------------------- Ctrl-C

"$saltus" run "$scenes/pendulum.json" --duration 1e7 --output stopped >out 2>err &
pid=$!
sleep 1
same "nothing half-written under its final name" "$(find stopped -name '*.csv' -o -name '*.json' | wc -l | tr -d ' ')" 0
kill -INT "$pid"
wait "$pid"
same "exit code after Ctrl-C" "$?" 130
says stopped/summary.json '"status":	"interrupted"'
same "what was computed is there" "$([ "$(wc -l <stopped/states.csv)" -gt 100 ] && echo yes)" yes
same "the last line is whole" "$(awk -F, '{print NF}' stopped/states.csv | sort -u | wc -l | tr -d ' ')" 1

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
