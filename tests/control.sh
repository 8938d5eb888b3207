#!/bin/bash
# control.sh SALTUS SCENES - functions of time and costs of single instants in saltus optimize: a cart-pole swung up from
# rest and no force; an actuated walker; the five-bar's springs for a ninth bounce at a given time with the least peak
# of a reaction; all knots by one name; wrong use.
set -uo pipefail

own=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/scenes
# shellcheck source=tests/sweep_common.sh
source "$(dirname "${BASH_SOURCE[0]}")/sweep_common.sh"
saltus=$1
scenes=$2

holds() # NAME FILE EXPRESSION of j, the JSON of the file
{
    if python3 -c "import json, math, sys; j = json.load(open(sys.argv[1])); sys.exit(not ($3))" "$2"; then good; else
        bad "$1: $3"
    fi
}

# Swing-up: from zero, in 2 s; then the scene found is upright at its end.
upright=(--subject-to "angle(pole) = pi/2" --subject-to "rate(pole) = 0" --subject-to "x(C) = 0" --subject-to "vx(C) = 0")
expect "swing-up" 0 "$saltus" optimize "$scenes/cart_pole.json" --minimize "cost(effort)" --over u=-10:10:0 "${upright[@]}" \
    --tolerance 1e-5 --strict --output swing --json
holds "swing-up: least effort" out "abs(j['best'] - 36.14567) < 1e-3 and j['stationary'] and j['failed_evaluations'] == 0"
holds "swing-up: all knots" out "len(j['over']) == 50 and all(v['start'] == 0 for v in j['over'].values())"
expect "what was found runs" 0 "$saltus" run swing/best.json --output run --quiet \
    --columns "angle(pole), rate(pole), x(C), vx(C)"
same "upright at the end" "$(tail -1 run/columns.csv | awk -F, '{ d = ($3 - 3.14159265358979/2)^2 + $4^2 + $5^2 + $6^2;
    print (d < 1e-6) }')" 1

# An acrobot, by 100 knots of the torque at its elbow alone: what is demanded is reached from zero.
expect "acrobot" 0 "$saltus" optimize "$scenes/acrobot.json" --minimize "0.01*y(O)" --over u=-10:10:0 \
    --subject-to "angle(upper) = pi/2" --subject-to "angle(lower) = pi/2" --subject-to "rate(upper) = 0" \
    --subject-to "rate(lower) = 0" --evaluations 800 --json
holds "acrobot: upright at rest" out "all(abs(c['value'] - c['bound']) < 1e-3 for c in j['subject_to'])"
holds "acrobot: by the adjoint" out "j['gradients'] == 'adjoint'"
holds "acrobot: from zero" out "len(j['over']) == 100 and all(v['start'] == 0 for v in j['over'].values())"

# The ninth bounce of the five-bar at 4.5 s by its springs, with the least peak of the force on its pin: the optimum is
# where two of the peaks are the same, and either start leads there.
for start in "" ":2.3"; do
    expect "five-bar$start" 0 "$saltus" optimize "$own/five_bar_peaks.json" --minimize "cost(force)" \
        --over "L01=2.1:2.4$start" --over L02=1.95:2.2 --subject-to "time(floor, 9) = 4.5" --rtol 1e-10 \
        --evaluations 250 --json
    holds "five-bar: at 4.5 s" out "abs(j['subject_to'][0]['value'] - 4.5) < 1e-7"
    holds "five-bar: least peak" out "abs(j['best'] - 27.267257) < 2e-4"
done

# A walker with motors: the least loss at which it walks at a given speed, over five parameters, no evaluation failing.
expect "walker" 0 "$saltus" optimize "$own/actuated_compass.json" --study cycle --minimize "cost(loss)" \
    --over ankle=-1:1 --over lean=-1:1 --over hip=-0.5:0.5 --over spring=-1:1 --over damper=-0.2:0.2 \
    --subject-to "cost(speed) = 0.74" --tolerance 1e-5 --evaluations 120 --json
holds "walker: none failed" out "j['failed_evaluations'] == 0 and j['stationary'] and 0 < j['best'] < 1"

# Forward or by the adjoint, as is cheaper or as asked for: the same numbers on the same steps.
expect "gradients forward" 0 "$saltus" sens "$scenes/acrobot.json" --gradients forward --json
cp out forward
expect "gradients cheaper" 0 "$saltus" sens "$scenes/acrobot.json" --gradients cheaper --json
holds "by the adjoint where there are many" out "j['gradients'] == 'adjoint' and j['why'] == '104 parameters, 1 value'"
same "adjoint and forward" "$(python3 -c "
import json
a, b = (json.load(open(name))['costs']['effort'] for name in ('out', 'forward'))
most = max(abs(x) for x in b['gradient'].values())
print(a['value'] == b['value'] and all(abs(x - b['gradient'][n]) < 1e-10 * most for n, x in a['gradient'].items()))")" True
expect "gradients of few" 0 "$saltus" sens "$scenes/five_bar.json" --gradients cheaper --cost z2
says out "chosen: forward (they take part in step control)"
expect "gradients of implicit steps" 0 "$saltus" sens "$scenes/acrobot.json" --gradients cheaper --integrator radau
says out "chosen: forward (not the adjoint: it goes back through explicit steps only)"
expect "no adjoint of times" 2 "$saltus" optimize "$scenes/five_bar.json" --minimize "time(floor)" --over L01=2.1:2.3 \
    --gradients adjoint
says err "it has no times of events"
expect "gradients of all" 2 "$saltus" sens "$scenes/five_bar.json" --gradients adjoint --output there
says err "--output: with --gradients there are gradients of costs alone"

# One name for all knots; what is wrong with names.
expect "wrt" 0 "$saltus" sens "$scenes/cart_pole.json" --wrt "u,L" --cost effort --json
holds "wrt: knots and L" out "len(j['costs']['effort']['gradient']) == 51"
expect "set all" 0 "$saltus" run "$scenes/cart_pole.json" --set u=0 --json
holds "set all: it hangs" out "abs(j['costs']['effort']) == 0"
expect "no such knot" 2 "$saltus" optimize "$scenes/cart_pole.json" --minimize t --over "u[50]=-1:1"
says err "u[50]"
expect "given twice" 2 "$saltus" optimize "$scenes/cart_pole.json" --minimize t --over u=-1:1 --over "u[3]=-1:1"
says err "'u[3]' is given twice"
expect "no knot of this number" 2 "$saltus" sens "$scenes/cart_pole.json" --wrt "u[50]"
says err "the knots of u are u[0] to u[49]"

finish
