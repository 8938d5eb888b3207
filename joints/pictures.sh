#!/usr/bin/env bash
# pictures.sh SALTUS FOLDER - draws the pictures of joints/README.md into the folder: one small scene for each joint.
#   joints/pictures.sh build/release/saltus joints/pictures     after a change of a joint or of the drawing
# A test draws them again and compares.
set -euo pipefail

saltus=$(realpath "$1")
folder=$(realpath "$2")

draw() # NAME POINTS BODIES JOINT OPTIONS...
{
    local name=$1 points=$2 bodies=$3 joint=$4
    shift 4
    "$saltus" draw - -o "$folder/$name.svg" --width 240 "$@" <<END >/dev/null
{ "saltus": 1, "points": { $points }, "bodies": { $bodies }, "joints": { "it": { "type": "$name", $joint } },
  "simulation": { "duration": 0.4 } }
END
}

fixed() { echo "\"$1\": { \"at\": [$2, $3], \"fixed\": true }"; }
free() { echo "\"$1\": { \"at\": [$2, $3] }"; }
bar() { echo "\"$1\": { \"type\": \"bar\", \"points\": [\"$2\", \"$3\"], \"mass\": 1 }"; }
mass() { echo "\"$1\": { \"type\": \"point_mass\", \"point\": \"$1\", \"mass\": 1 }"; }

pendulum="$(fixed O 0 0), $(free P 0.8 -0.6)"
double="$pendulum, $(free Q 1.6 -0.2)"
arms="$(bar one O P), $(bar two P Q)"
wheels="$(fixed A 0 0), $(free B 0.5 0), $(fixed C 1.5 0), $(free D 1.5 1)"

draw angle "$double" "$arms" '"body": "two", "reference": "one", "angle": 1.1071487177940906'
draw belt "$(fixed A 0 0), $(fixed B 0.6 0), $(free P 0 -0.7), $(free Q 0.6 -0.4)" "$(mass P), $(mass Q)" \
    '"first": ["A", "P"], "second": ["B", "Q"]'
draw bushing "$(fixed O 0 0), $(free P 0 0.02), $(free Q 1 0.02)" "$(bar arm P Q)" \
    '"points": ["P", "O"], "body": "arm", "stiffness": [1e3, 1e3], "torsion_stiffness": 10'
draw curve "$(free P -0.5 0.25)" "$(mass P)" '"point": "P", "profile": "x^2"' --duration 1.6 --trace P
draw distance "$(fixed O 0 0), $(free P 0.8 -0.6)" "$(mass P)" '"points": ["O", "P"], "length": 1'
draw drag "\"P\": { \"at\": [0, 0], \"velocity\": [1, 0.3] }" "$(mass P)" '"point": "P", "quadratic": 0.5' --trace P
draw driver "$pendulum" "$(bar crank O P)" '"of": "angle(crank)", "value": "3*t - 0.6435"'
draw force "$pendulum" "$(bar arm O P)" '"point": "P", "fx": 5, "fy": "2 - vy(P)"'
draw formula "$(free P 0.8 0.3)" "$(mass P)" '"rows": ["x(P)^2 + 4*y(P)^2 - 1"]' --trace P
draw gear "$wheels" "$(bar left A B), $(bar right C D)" '"body1": "left", "body2": "right", "radii": [0.5, 1]'
draw prismatic "$(fixed A 0 0), $(fixed B 1.5 0), $(free P 0.6 0), $(free Q 0.9 0.8)" "$(bar mast P Q)" \
    '"body": "mast", "point": "P", "line": ["A", "B"]'
draw rack "$(fixed A 0 0.5), $(free B 0.4 0.8), $(free P -0.3 0), $(free Q 0.9 0)" "$(bar pinion A B), $(bar rack P Q)" \
    '"body": "pinion", "centre": "A", "radius": 0.5, "point": "P"'
draw revolute "$(fixed O 0 0), $(free P 0.8 -0.6), $(free P1 0.8 -0.6), $(free Q 1.6 -0.2)" "$(bar one O P), $(bar two P1 Q)" \
    '"points": ["P", "P1"]'
draw rolling "$(free P 0 0.5), $(free Q 0.4 0.5)" "$(bar wheel P Q)" '"point": "P", "radius": 0.5, "body": "wheel"'
draw slot "$(fixed O 0 0.6), $(free E 0.3 0.6), $(fixed A 0 0), $(free B 0.45 0.9)" "$(bar crank O E), $(bar swing A B)" \
    '"point": "E", "line": ["A", "B"]'
draw spring "$(fixed O 0 0), $(free P 0.9 -0.5)" "$(mass P)" '"points": ["O", "P"], "stiffness": 20, "length": 1, "damping": 1'
draw torque "$pendulum" "$(bar arm O P)" '"body": "arm", "torque": 4'
draw torsion "$pendulum" "$(bar arm O P)" '"body": "arm", "stiffness": 5'
draw weld "$(fixed O 0 0), $(free P 0.8 -0.6), $(free P1 0.8 -0.6), $(free Q 1.6 -0.2)" "$(bar one O P), $(bar two P1 Q)" \
    '"points": ["P1", "P"], "body": "two", "reference": "one"'
