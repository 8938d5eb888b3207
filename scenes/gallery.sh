#!/usr/bin/env bash
# gallery.sh SALTUS FOLDER [NAME...] - draws the pictures of scenes/README.md into the folder, or those named.
#   scenes/gallery.sh build/release/saltus scenes/pictures     after a change of a scene or of the drawing
# A test draws them again and compares.
set -euo pipefail

saltus=$(realpath "$1")
folder=$(realpath "$2")
shift 2
cd "$(dirname "${BASH_SOURCE[0]}")"

# The cam in its place at the start: the path of the follower as the turning cam sees it.
cam='(x(P)*cos(angle(cam)) + y(P)*sin(angle(cam)), y(P)*cos(angle(cam)) - x(P)*sin(angle(cam)))'

draw() # NAME OPTIONS...
{
    local name=$1
    shift
    if [ "${#only[@]}" -gt 0 ] && [[ ! " ${only[*]} " == *" $name "* ]]; then return; fi
    "$saltus" draw "$name.json" -o "$folder/$name.svg" --width 480 "$@" >/dev/null 2>"$folder/$name.log" || {
        cat "$folder/$name.log" >&2
        exit 1
    }
    rm "$folder/$name.log"
}

only=("$@")
draw acrobot --ghosts 10 --trace T
draw andrews --at 0.0005,0.009 --trace E
draw ball_on_incline --ghosts 14 --trace ball
draw bouncing_ball --ghosts 18 --trace ball
draw bouncing_mass --ghosts 18 --trace P
draw cam_follower --at 0 --trace "$cam"
draw car_axis --at 0,0.6 --trace r
draw cart_pole --ghosts 12 --trace P
draw clock --at 1.2,1.6,1.9 --trace bob --duration 2.1
draw compass_gait --animate --trace H
draw double_pendulum --at 0,0.3,0.6 --trace Q
draw driven_slider_crank --at 0,0.25,0.5 --trace A
draw five_bar --trace P2 --names
draw five_bar_friction --at 0,0.6 --trace P2
draw five_bar_impact --animate --trace P2
draw five_bar_slide --at 0,1 --trace P2
draw four_bar --at 0,0.1,0.2 --trace K,A,B
draw four_bar_stop --at 0,0.4,0.8 --trace B
draw gear_train --at 0.1
draw hammer --at 0,0.4,0.8 --trace face
draw jansen_leg --animate --trace F
draw kicked_pendulum --at 0,0.4,0.8 --trace corner --duration 3
draw kneed_walker --ghosts 5 --trace H --duration 1.6
draw newtons_cradle --animate
draw pantograph --at 0,0.8 --trace T,P
draw peaucellier --at 0,1 --trace P,C
draw pendulum --at 0,0.2,0.4,0.6 --trace P --duration 1.5
draw quick_return --at 0,0.4,0.8 --trace A,C
draw ramp --ghosts 6 --trace P
draw resting_block --forces
draw rimless_wheel --ghosts 3 --trace H --duration 2.4
draw rocking_block --at 0,0.3,0.6 --trace top
draw scissor_lift --at 0,2.5 --trace T3
draw simplest_walker --ghosts 7 --trace H --duration 12
draw slider_crank --animate --trace A
draw slider_crank_stop --at 0,0.25,0.45 --trace A
draw stairs --ghosts 11 --trace A
draw stick_slip_belt --animate
draw trapdoor --animate --trace P,Q
draw trebuchet --duration 0.75 --ghosts 6 --trace P,W
draw two_balls --strip 4

# And a chart for tools/README.md: the tip of the five-bar, and what its first length does to it; and the first scene of
# README.md, from there.
if [ ${#only[@]} -eq 0 ]; then
    "$saltus" plot five_bar.json --series "y(P2), vy(P2)" --wrt L01 --width 640 --height 110 \
        -o "$folder/five_bar_plot.svg" >/dev/null
    awk '/^```json hammer.json$/ { inside = 1; next } inside && /^```/ { exit } inside' ../README.md |
        "$saltus" draw - --ghosts 6 --trace P --width 480 -o "$folder/hammer_first.svg" >/dev/null
fi
