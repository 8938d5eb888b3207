#!/bin/bash
# optimize.sh SALTUS SCENES - saltus optimize against closed forms: a throw, with and without conditions, by all methods,
# from several places; evaluations that fail; wrong use.
set -uo pipefail

# shellcheck source=tests/sweep_common.sh
source "$(dirname "${BASH_SOURCE[0]}")/sweep_common.sh"
saltus=$1
scenes=$2

# A mass thrown from the height 2 with the speed 10 lands at x = v/g sqrt(v^2 + 2 g h) at best, for the angle with the
# tangent v/sqrt(v^2 + 2 g h): through the event that ends the run.
cat >throw.json <<'END'
{ "saltus": 1,
  "parameters": { "v": 10, "h": 2, "a": 0.3, "g": 9.81 },
  "gravity": [0, "-g"],
  "points": { "P": { "at": [0, "h"], "velocity": ["v*cos(a)", "v*sin(a)"] } },
  "bodies": { "stone": { "type": "point_mass", "point": "P", "mass": 1 } },
  "contacts": { "ground": { "type": "event", "when": "y(P)", "direction": "falling", "stop": true } },
  "costs": { "far": { "terminal": "x(P)" } },
  "simulation": { "duration": 10 } }
END

near() # NAME FILE KEYS... NUMBER TOLERANCE: a number of a JSON file
{
    local name=$1 file=$2
    shift 2
    if python3 - "$file" "$@" <<'END'; then good; else bad "$name"; fi
import json, math, sys
file, *keys, expected, tolerance = sys.argv[1:]
value = json.load(open(file))
for key in keys:
    value = value[int(key) if isinstance(value, list) else key]
expected = eval(expected, vars(math).copy())
if not abs(value - expected) <= float(tolerance):
    sys.exit(f"{keys}: {value!r}, expected {expected!r}")
END
}

root="sqrt(100 + 2*9.81*2)"
for method in slsqp mma lbfgs; do
    expect "$method" 0 "$saltus" optimize throw.json --maximize "cost(far)" --over a=0:1.5 --method "$method" \
        --strict --output "$method"
    near "$method: range" "$method/summary.json" best "10/9.81*$root" 1e-9
    near "$method: angle" "$method/summary.json" over a best "atan(10/($root))" 1e-7
    says out "stationary"
done
expect "what was found is a scene" 0 "$saltus" run slsqp/best.json --json
same "nothing else has changed" "$(diff throw.json slsqp/best.json | grep -c '^[<>]')" 2
same "history" "$(head -1 slsqp/history.csv)" "evaluation,search,status,a,cost(far),message"

# No longer than 1.2 s in the air: sin a = (g t^2/2 - h)/(v t), and the price of the limit is dx/dt = v cos a + x'(a) a'(t).
sine="(9.81*1.44/2 - 2)/12"
for method in slsqp mma; do
    expect "limited, $method" 0 "$saltus" optimize throw.json --minimize "-x(P)" --over a=0:1.5 --method "$method" \
        --subject-to "t <= 1.2" --strict --json
    near "limited, $method: angle" out over a best "asin($sine)" 1e-7
    near "limited, $method: price" out subject_to 0 price \
        "-(10*sqrt(1-($sine)**2) - 12*($sine)/sqrt(1-($sine)**2)*(9.81/20 + 2/(10*1.44)))" 1e-5
done
expect "equality" 0 "$saltus" optimize throw.json --minimize "v" --over v=1:20 --over a=0:1.5 --subject-to "x(P) = 10" --json
near "least speed for 10 m" out best "sqrt(9.81*(sqrt(104) - 2))" 1e-6
expect "two start places" 0 "$saltus" optimize throw.json --maximize "x(P)" --over a=0:1.5 --starts 3 --json
near "searches" out searches 3 0
near "several: range" out best "10/9.81*$root" 1e-9

# A trebuchet, through its events: the best found by other equations and without derivatives.
expect "trebuchet" 0 "$saltus" optimize "$scenes/trebuchet.json" --maximize range --over hanger=0.2:1 --over sling=1:2.6 \
    --over release=10:70 --rtol 1e-12 --tolerance 1e-8 --strict --json
near "trebuchet: range" out best 155.05760631640905 1e-7
near "trebuchet: sling" out over sling best 1.84621775 1e-6
near "trebuchet: release" out over release best 43.77214749 1e-5
near "trebuchet: stationary" out stationarity 0 1e-8

# Links that cannot be assembled: the search goes on without them.
cat >links.json <<'END'
{ "saltus": 1, "parameters": { "l": 1.2 },
  "points": { "A": { "at": [0, 0], "fixed": true }, "P": { "at": [0.5, -1] }, "B": { "at": [1, 0], "fixed": true } },
  "bodies": { "one": { "type": "bar", "points": ["A", "P"], "length": 0.8, "mass": 1 },
              "two": { "type": "bar", "points": ["P", "B"], "length": "l", "mass": 1 } },
  "outputs": { "off": "(l - 0.9)^2 + l/100" },
  "simulation": { "duration": 0.1 } }
END
expect "fails on the way" 0 "$saltus" optimize links.json --minimize off --over l=0.05:1.7 --json
near "links" out over l best 0.895 1e-6

# A condition that is flat where the search starts, and where its first step leads: methods begin anew. The hill is 1/2 on
# a circle with the radius sqrt(log(2)/50).
cat >hill.json <<'END'
{ "saltus": 1, "parameters": { "a": 0.2, "b": 0.3 },
  "points": { "P": { "at": [0, 1] } },
  "bodies": { "stone": { "type": "point_mass", "point": "P", "mass": 1 } },
  "outputs": { "hill": "exp(-50*((a - 0.7)^2 + (b - 0.6)^2))", "far": "(a - 0.1)^2 + (b - 0.8)^2" },
  "simulation": { "duration": 0.01 } }
END
both=(--over a=0:1 --over b=0:1)
for sign in ">=" "="; do
    expect "flat, $sign" 0 "$saltus" optimize hill.json --minimize far "${both[@]}" --subject-to "hill $sign 0.5" --strict --json
    near "flat, $sign: best" out best "(sqrt(0.4) - sqrt(log(2)/50))**2" 1e-8
    near "flat, $sign: it says so" out tries slsqp 3.5 1.5
done
expect "flat, edge" 0 "$saltus" optimize hill.json --minimize a "${both[@]}" --subject-to "hill >= 0.5" --strict
says out "each from the best place"
expect "flat everywhere" 11 "$saltus" optimize hill.json --minimize far "${both[@]}" --subject-to "max(a + b - 3, 0) >= 1"
expect "a kink" 0 "$saltus" optimize hill.json --minimize "abs(a - 0.55) + abs(b - 0.6)" "${both[@]}" --evaluations 400 --json
near "a kink: best" out best 0 1e-6
near "a kink: it ends" out evaluations 200 201

# Ctrl-C: the best so far, everywhere.
expect "interrupted" 130 timeout --preserve-status -s INT 1.5 "$saltus" optimize throw.json --maximize "cost(far)" \
    --over a=0:1.5 --starts 1000000 --output stopped --report stopped.html --json
near "interrupted: best so far" out best "10/9.81*$root" 1e-9
near "interrupted: in its files, too" stopped/summary.json over a best "atan(10/($root))" 1e-6
says stopped/summary.json '"interrupted"'
expect "what was found until then is a scene" 0 "$saltus" run stopped/best.json --quiet

# Conditions that contradict each other, and wrong use.
expect "no room" 2 "$saltus" optimize throw.json --maximize "x(P)" --over a=0:1.5 --subject-to "t <= 1" --subject-to "t >= 1.5"
says err "'t' cannot be at most 1 and at least 1.5"
expect "two values" 2 "$saltus" optimize throw.json --maximize "x(P)" --over a=0:1.5 --subject-to "t = 1" --subject-to "t = 1.5"
says err "'t' cannot be 1 and 1.5"
expect "a range" 0 "$saltus" optimize throw.json --maximize "x(P)" --over a=0:1.5 --subject-to "t <= 1.2" --subject-to "t >= 0.9"
expect "contradiction" 11 "$saltus" optimize throw.json --maximize "x(P)" --over a=0:1.5 --subject-to "t <= 0.5" \
    --subject-to "x(P) >= 9"
says err "no place was found"
# The same from the section of the scene; options come before it.
sed 's|"simulation"|"optimize": { "maximize": "cost(far)", "over": { "a": [0, 1.5] }, "subject_to": { "t": ["<=", 1.2] } }, &|' \
    throw.json >section.json
expect "section" 0 "$saltus" optimize section.json --strict --json
near "section: angle" out over a best "asin($sine)" 1e-7
expect "section, but for the range" 0 "$saltus" optimize section.json --over a=0:0.3:0.1 --json
near "section: at the bound" out over a best 0.3 1e-9
sed 's/"a": \[0, 1.5\]/"b": [0, 1]/' section.json >bad.json
expect "section: unknown parameter" 3 "$saltus" optimize bad.json
says err "optimize.over.b: there is no parameter 'b'"
sed 's/\[0, 1.5\]/[2, 1]/' section.json >bad.json
expect "section: empty range" 3 "$saltus" check bad.json
says err "the lower number first"
sed 's/"<="/"<"/' section.json >bad.json
expect "section: no sign" 3 "$saltus" check bad.json
says err 'optimize.subject_to.t: expected ["<=", number]'
sed 's/"maximize": "cost(far)",//' section.json >bad.json
expect "section: no objective" 3 "$saltus" check bad.json
says err "expected a key 'minimize' or 'maximize'"

expect "no objective" 2 "$saltus" optimize throw.json --over a=0:1
expect "two objectives" 2 "$saltus" optimize throw.json --minimize t --maximize t --over a=0:1
expect "nothing to change" 2 "$saltus" optimize throw.json --minimize t
says err "--over"
expect "empty range" 2 "$saltus" optimize throw.json --minimize t --over a=1:1
says err "no range"
expect "unknown parameter" 2 "$saltus" optimize throw.json --minimize t --over b=0:1
says err "'b'"
expect "an event that does not happen" 5 "$saltus" optimize throw.json --minimize "time(ground, 9)" --over a=0:1
says err "it fails at the start: time(ground, 9) has no value there: the event does not happen so often"
sed 's|"terminal": "x(P)"|"events": { "ground(2)": "t" }|' throw.json >second.json
expect "a cost of one that does not happen" 5 "$saltus" optimize second.json --minimize "cost(far)" --over a=0:1
says err "cost(far) has no value there"
expect "a cost by its name alone" 2 "$saltus" optimize throw.json --maximize far --over a=0:1
says err "'far': this is a cost; expected cost(far)"
expect "a point" 2 "$saltus" optimize throw.json --maximize P --over a=0:1
says err "'P' is a point; expected x(P)"
expect "a body" 2 "$saltus" optimize throw.json --maximize stone --over a=0:1
says err "'stone' is a body"
sed 's|"ground": {[^}]*}|"floor": { "type": "ground", "points": ["P"], "height": 2 }|; s/"a": 0.3/"a": 0/' throw.json >rests.json
expect "no derivative, and why" 5 "$saltus" optimize rests.json --maximize "x(P)" --over h=1:3
says err "x(P) has no derivative there; no derivatives: floor touches at the start, but only for this h"
expect "unknown cost" 2 "$saltus" optimize throw.json --minimize "cost(near)" --over a=0:1
says err "unknown cost 'near'"
expect "given twice" 2 "$saltus" optimize throw.json --minimize t --over a=0:1 --over a=0:2
expect "no condition" 2 "$saltus" optimize throw.json --minimize t --over a=0:1 --subject-to "x(P) < 2"
says err "<=, >= or ="
expect "no equalities" 2 "$saltus" optimize throw.json --minimize t --over a=0:1 --subject-to "x(P) = 2" --method mma
says err "slsqp does"
expect "method" 2 "$saltus" optimize throw.json --minimize t --over a=0:1 --method newton
says err "expected slsqp, mma or lbfgs"
expect "fails at the start" 4 "$saltus" optimize links.json --minimize off --over l=5:6
says err "it fails at the start"

finish
