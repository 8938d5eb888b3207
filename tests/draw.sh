#!/bin/bash
# draw.sh SALTUS SVG SCENES - saltus draw and saltus plot: what they show is where the library has it, texts are texts,
# wrong requests are told what is wrong.
set -uo pipefail

saltus=$1
svg=$2
scenes=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

good() { passed=$((passed + 1)); }
bad()
{
    failed=$((failed + 1))
    printf 'FAILED %s\n' "$1"
}

# expect NAME EXIT_CODE COMMAND...: runs it; stdout and stderr are in the files out and err
expect()
{
    local name=$1 code=$2 got
    shift 2
    "$@" >out 2>err
    got=$?
    if [ "$got" -eq "$code" ]; then good; else
        bad "$name: exit code $got, expected $code"
        cat err
    fi
}

says() { if grep -qF -- "$2" "$1"; then good; else
    bad "'$2' not in $1:"
    head -c 2000 "$1"
fi; }
lacks() { if grep -qF -- "$2" "$1"; then bad "'$2' in $1"; else good; fi; }
same() { if [ "$2" = "$3" ]; then good; else bad "$1: $2, expected $3"; fi; }

# near FILE CLASS X Y: a circle of the class is there, to a hundredth of a pixel or so
near()
{
    if "$svg" circles "$1" "$2" | awk -v x="$3" -v y="$4" '($1 - x)^2 + ($2 - y)^2 < 1e-8 { found = 1 } END { exit !found }'; then good; else
        bad "no circle '$2' at $3 $4 in $1:"
        "$svg" circles "$1" "$2"
    fi
}

# ------------------------------------------------------------------------------------ what is where

# Joints of the five-bar at 1.3 s, from the columns of states.csv.
"$saltus" run "$scenes/five_bar_impact.json" --output run >/dev/null
expect "at a time" 0 "$saltus" draw "$scenes/five_bar_impact.json" --at 1.3 --width 4000 -o at.svg
same "the name is said" "$(cat out)" at.svg
"$svg" check at.svg >/dev/null && good || bad "at.svg"
for point in P1 P2 P3; do
    read -r x y < <(awk -F, -v p="$point" 'NR == 1 { for (k = 1; k <= NF; k++) { if ($k == "x(" p ")") i = k; if ($k == "y(" p ")") j = k } }
        NR > 1 && ($1 - 1.3)^2 < 1e-16 { print $i, $j; exit }' run/states.csv)
    near at.svg paper "$x" "$y"
done
near at.svg paper -0.5 0
expect "the same over an earlier time" 0 "$saltus" draw "$scenes/five_bar_impact.json" --at 0,1.3 --width 4000 -o over.svg
near over.svg paper "$x" "$y"
says over.svg '<g opacity="0.30">'
says over.svg 't = 0, 1.3 s'

# A film shows its first time to those who do not play films, and the same at its first key.
expect "a film" 0 "$saltus" draw "$scenes/five_bar_impact.json" --animate --trace P2 -o film.svg
"$svg" check film.svg >/dev/null && good || bad "film.svg"
says film.svg 'repeatCount="indefinite"'
same "first keys are the transforms" "$(awk '
    /^<g transform="translate\(/ {
        split($0, part, "\"")
        transform = part[2]
        sub(/translate\(/, "", transform)
        sub(/\).*/, "", transform)
        match($0, /values="[^;]*/)
        if (transform != substr($0, RSTART + 8, RLENGTH - 8)) wrong++
        count++
    }
    END { print wrong + 0, (count > 8) }' film.svg)" "0 1"
# So many keys in every motion of a film: they stay together.
same "as many keys everywhere" "$(grep -o 'type="[a-z]*"[^>]* values="[^"]*"' film.svg | awk -F';' '{ print NF }' | sort -u | wc -l | tr -d ' ')" 1
# An event that is nearer than half a frame is shown: the tip, the lowest of all joints, comes down to the ground.
same "the tip touches the ground" "$(awk '
    match($0, /data-scale="[0-9.]*/) { scale = substr($0, RSTART + 12, RLENGTH - 12) + 0 }
    match($0, /data-origin="[-0-9.]* [-0-9.]*/) { split(substr($0, RSTART + 13, RLENGTH - 13), origin, " ") }
    match($0, /type="translate" values="[^"]*/) {
        n = split(substr($0, RSTART + 25, RLENGTH - 25), key, ";")
        for (k = 1; k <= n; k++) {
            match(key[k], /[- ][0-9.]*$/)
            y = substr(key[k], RSTART) + 0
            if (y > lowest) lowest = y
        }
    }
    END { off = lowest - origin[2] - 2.35*scale; print (off^2 < 0.01) }' film.svg)" 1
expect "slower" 0 "$saltus" draw "$scenes/five_bar_impact.json" --animate --speed 0.5 -o slow.svg
says slow.svg "slowed 2"

# A strip has as many panels; what stands still is written once.
expect "a strip" 0 "$saltus" draw "$scenes/five_bar_impact.json" --strip 5 -o strip.svg
same "panels" "$(grep -c data-scale strip.svg)" 5
same "times" "$("$svg" text strip.svg | grep '^t = ' | tr '\n' ' ')" "t = 0 s t = 1.25 s t = 2.5 s t = 3.75 s t = 5 s "
expect "a strip of given times" 0 "$saltus" draw "$scenes/five_bar_impact.json" --strip "0, 1/4, 2*0.3" -o strip.svg
same "given times" "$("$svg" text strip.svg | grep '^t = ' | tr '\n' ' ')" "t = 0 s t = 0.25 s t = 0.6 s "

# Traces: by name, and by expressions that mean the same.
expect "a trace" 0 "$saltus" draw "$scenes/four_bar.json" --trace K -o one.svg
expect "the same trace" 0 "$saltus" draw "$scenes/four_bar.json" --trace "(x(K), y(K))" -o two.svg
cmp -s one.svg two.svg && good || bad "traces differ"

# A scene with nearly every symbol, in every layout.
symbols=$scenes/../tests/scenes/symbols.json
for layout in "--at 0.35" "--ghosts 3" "--strip 4" "--animate"; do
    expect "symbols $layout" 0 "$saltus" draw "$symbols" $layout --names --forces -o symbols.svg
    "$svg" check symbols.svg >/dev/null && good || bad "symbols.svg $layout"
    for class in line solid paper hatch ground spring rod force head touch name; do
        says symbols.svg "class=\"$class\""
    done
    lacks symbols.svg nan
    lacks symbols.svg inf\"
done

# All scenes, all kinds of pictures, are well formed.
for scene in "$scenes"/*.json; do
    name=$(basename "$scene" .json)
    [ "$name" = saltus.schema ] && continue
    expect "names of $name" 0 "$saltus" draw "$scene" --names --forces -o "$name.svg"
    "$svg" check "$name.svg" >/dev/null && good || bad "$name.svg"
done

# ------------------------------------------------------------------------------------------- texts

cat >hostile.json <<'END'
{ "saltus": 1, "name": "<script>alert(\"1\")</script> & 'more' \u0007 \u0085",
  "points": { "O": { "at": [0, 0], "fixed": true }, "P": { "at": [1, 0] } },
  "bodies": { "bar": { "type": "bar", "points": ["O", "P"], "mass": 1 } },
  "simulation": { "duration": 1 } }
END
expect "hostile texts" 0 "$saltus" draw hostile.json -o - --names
cp out hostile.svg
"$svg" check hostile.svg >/dev/null && good || bad "hostile.svg"
lacks hostile.svg "<script"
same "its title" "$("$svg" text hostile.svg | head -1)" "<script>alert(\"1\")</script> & 'more' ? ??"
mkdir sub && cp hostile.json "sub/other.json"
expect "the name of the file" 0 "$saltus" draw sub/other.json
same "it is here" "$(cat out; ls other.svg)" "$(printf 'other.svg\nother.svg')"

# ------------------------------------------------------------------------------------ wrong requests

five=$scenes/five_bar_impact.json
expect "unknown point" 2 "$saltus" draw "$five" --trace P22 -o no.svg
says err "unknown point 'P22'; did you mean 'P2'?"
expect "wrong expression" 2 "$saltus" draw "$five" --trace "(x(P2), y(Q))" -o no.svg
says err "unknown point 'Q'"
expect "half a pair" 2 "$saltus" draw "$five" --trace "(x(P2))" -o no.svg
says err "expected a point or '(x, y)'"
expect "beyond the end" 2 "$saltus" draw "$five" --at 5.5 -o no.svg
says err "--at: 5.5 s is beyond the end of the run, 5 s"
expect "beyond an end by an event" 2 "$saltus" draw "$scenes/trapdoor.json" --strip 1,2.5 -o no.svg
says err "--strip: 2.5 s is beyond the end of the run, 1.94"
expect "before the start" 2 "$saltus" draw "$five" --at -1 -o no.svg
says err "--at: expected times from 0 on, found -1"
expect "back in time" 2 "$saltus" draw "$five" --at 1,0.5 -o no.svg
says err "expected times that grow"
expect "no time" 2 "$saltus" draw "$five" --at now -o no.svg
says err "--at"
expect "half a panel" 2 "$saltus" draw "$five" --strip 1.5 -o no.svg
says err "--strip: expected how many times, 1 to 200, found 1.5"
expect "too many" 2 "$saltus" draw "$five" --ghosts 1000 -o no.svg
expect "two layouts" 2 "$saltus" draw "$five" --strip 3 --animate -o no.svg
says err "expected one of --at, --strip, --ghosts, --animate"
expect "speed of a still" 2 "$saltus" draw "$five" --speed 2 -o no.svg
expect "width" 2 "$saltus" draw "$five" --width 1 -o no.svg
says err "--width: expected 100 to 10000, found 1"
expect "unknown option" 2 "$saltus" draw "$five" --wrt L01
says err "unknown option '--wrt'"
same "nothing was written" "$(ls no.svg* 2>/dev/null)" ""
expect "no folder" 6 "$saltus" draw "$five" -o nowhere/no.svg
says err "cannot write 'nowhere/no.svg': No such file or directory"
expect "a folder" 6 "$saltus" draw "$five" -o sub
says err "cannot write 'sub'"
same "nothing is left" "$(ls -d sub.part 2>/dev/null)" ""
if [ -c /dev/full ]; then
    ln -s /dev/full full # a device stays one
    expect "full" 6 "$saltus" draw "$five" -o full
    [ -c full ] && good || bad "a device has been replaced"
fi
printf 'kept' >old.svg
sed 's/"simulation"/"joints": { "wild": { "type": "force", "point": "P", "fx": 0, "fy": "sqrt(0.5 - t)" } }, "simulation"/' hostile.json >wild.json
expect "a run that fails" 5 "$saltus" draw wild.json --at 1 -o old.svg
same "what was there stays" "$(cat old.svg)" kept

# -------------------------------------------------------------------------------------------- charts

# level FILE TEXT: the height of the tick with this label [px]
level() { sed -n "s|^<text class=\"note\" x=\"67\" y=\"\([0-9.]*\)\" text-anchor=\"end\">$2</text>\$|\1|p" "$1" | head -1; }

# Velocities jump: both sides of every event, as events.csv has them, and no line between.
"$saltus" run "$scenes/bouncing_mass.json" --output bounce >/dev/null
expect "a chart" 0 "$saltus" plot "$scenes/bouncing_mass.json" --series "vy(P)" -o chart.svg --height 1000 --width 2000
"$svg" check chart.svg >/dev/null && good || bad "chart.svg"
"$svg" text chart.svg >texts
says texts "vy(P) [m/s]"
says texts "t [s]"
says texts "floor"
"$svg" lines chart.svg "trace t0" | awk -v zero="$(level chart.svg 0)" -v two="$(level chart.svg 2.0)" '
    NF == 2 { v = ($2 - zero + 4)*2/(two - zero); x = $1; if (!inside) { if (count) print before, v; inside = 1 } before = v; next }
    inside { inside = 0; count++ }' >jumps
sed '$d' jumps >jumps.found # the last part is the sample of the legend
awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) { if ($k == "before_vy(P)") b = k; if ($k == "after_vy(P)") a = k } }
    NR > 1 { print $b, $a }' bounce/events.csv >jumps.expected
same "jumps" "$(wc -l <jumps.expected)" "$(wc -l <jumps.found)"
same "both sides of them" "$(paste jumps.found jumps.expected | awk '
    ($1 - $3)^2 > 1e-4 || ($2 - $4)^2 > 1e-4 { wrong++; print } END { print wrong + 0, (NR > 4) }')" "0 1"

# Derivatives: of y(P) with respect to where it starts, 1 up to the first touch.
expect "derivatives" 0 "$saltus" plot "$scenes/bouncing_mass.json" --series "y(P)" --wrt "initial(P.y),g" -o sens.svg --to 0.4
"$svg" text sens.svg >texts
says texts "d y(P)/d initial(P.y)"
says texts "d y(P)/d g"
expect "several runs" 0 "$saltus" plot "$scenes/bouncing_mass.json" --series "y(P), x(P); energy()" --overlay "restitution=0.5" \
    --overlay "restitution=0.9, g=1+1" -o runs.svg
"$svg" text runs.svg >texts
says texts "restitution=0.9, g=1+1"
says texts "energy() [J]"
says runs.svg "stroke-dasharray"
same "colours" "$(grep -o 'trace t[0-9]' runs.svg | sort -u | tr '\n' ' ')" "trace t0 trace t1 "
expect "phase" 0 "$saltus" plot "$scenes/pendulum.json" --series "vx(P)" --against "x(P)" --from 1 --to 3 -o phase.svg
says phase.svg ">x(P) [m]</text>"
expect "outputs" 0 "$saltus" plot "$scenes/four_bar.json"
same "its name" "$(cat out)" four_bar_plot.svg
expect "a constant" 0 "$saltus" plot "$scenes/pendulum.json" --series "energy(); t - t; 1/0" -o constant.svg
for file in sens.svg runs.svg phase.svg four_bar_plot.svg constant.svg; do
    "$svg" check "$file" >/dev/null && good || bad "$file"
    lacks "$file" nan
done
printf '{"saltus":1,"points":{"P":{"at":[0,0],"velocity":[0,1]}},"bodies":{"m":{"type":"point_mass","point":"P","mass":1}},"contacts":{"top":{"type":"event","when":"1/19.62-y(P)"}},"simulation":{"duration":0.15}}' >graze.json
expect "an event that grazes" 7 "$saltus" plot graze.json --series "y(P)" --wrt "initial(P.y)" -o graze.svg
says err "derivatives are not valid from there on: top grazes zero"
"$svg" check graze.svg >/dev/null && good || bad "graze.svg"

ball=$scenes/bouncing_mass.json
expect "nothing to plot" 2 "$saltus" plot hostile.json -o no.svg
says err "the scene has no outputs; say what to plot with --series"
expect "unknown point" 2 "$saltus" plot "$ball" --series "y(P), y(PP)" -o no.svg
says err "saltus: --series: in 'y(PP)', column 3: unknown point 'PP'"
expect "unknown parameter" 2 "$saltus" plot "$ball" --series "y(P)" --wrt restitutoin -o no.svg
says err "unknown parameter 'restitutoin'; did you mean 'restitution'?"
expect "unknown parameter of an overlay" 2 "$saltus" plot "$ball" --series "y(P)" --overlay restitutio=1 -o no.svg
says err "did you mean 'restitution'?"
expect "no value" 2 "$saltus" plot "$ball" --series "y(P)" --overlay restitution -o no.svg
says err "--overlay: expected NAME=VALUE, found 'restitution'"
expect "a time beyond" 2 "$saltus" plot "$ball" --series "y(P)" --to 5 -o no.svg
says err "--to: expected 0 to 3, found 5"
expect "no time" 2 "$saltus" plot "$ball" --series "y(P)" --from 2 --to 1 -o no.svg
says err "--to: expected a time after 2 s, found 1 s"
expect "wrong axis" 2 "$saltus" plot "$ball" --series "y(P)" --against "x(" -o no.svg
says err "--against"
expect "a doubtful run" 10 "$saltus" plot "$scenes/../tests/scenes/double_pendulum_strikes_by_newton.json" --series "energy()" --strict -o no.svg
expect "not of plots" 2 "$saltus" plot "$ball" --animate
same "no chart was written" "$(ls no.svg* 2>/dev/null)" ""

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
