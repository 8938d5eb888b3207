#!/bin/bash
# fit.sh SALTUS - saltus fit: noise of known size on a bouncing ball, two hundred times, so that errors are held
# against how estimates really scatter; parameters that data cannot tell; experiments, delays, ranges; wrong use.
set -uo pipefail

# shellcheck source=tests/sweep_common.sh
source "$(dirname "${BASH_SOURCE[0]}")/sweep_common.sh"
saltus=$1
export saltus

cat >ball.json <<'END'
{ "saltus": 1, "parameters": { "h": 1, "rebound": 0.8, "g": 9.81, "v": 0.7, "m": 0.3, "mu": 0.05 }, "gravity": [0, "-g"],
  "points": { "P": { "at": [0, "h"], "velocity": ["v", 0] } },
  "bodies": { "ball": { "type": "point_mass", "point": "P", "mass": "m" } },
  "contacts": { "floor": { "type": "ground", "points": ["P"], "restitution": "rebound", "mu_kinetic": "mu" } },
  "simulation": { "duration": 2 } }
END

# What was measured: 100 times, two columns, noise 2e-3 and 1e-3; t = 0.0137 + 0.0195 k hits no bounce.
cat >measure.py <<'END'
import json, random, subprocess, sys
import os

truth = {"h": 1.05, "rebound": 0.77, "v": 0.72, "mu": 0.08}
times = [0.0137 + 0.0195 * k for k in range(100)]

def motion(extra=()):
    """x and y of the ball at the times: from its own formulas, through every bounce."""
    g, h, e, v, mu = 9.81, truth["h"], truth["rebound"], truth["v"], truth["mu"]
    out, t0, x0, y0, vx, vy = [], 0.0, 0.0, h, v, 0.0
    for t in times:
        while True:
            land = t0 + (vy + (vy * vy + 2 * g * y0) ** 0.5) / g
            if t < land:
                break
            down = (vy * vy + 2 * g * y0) ** 0.5
            x0 += vx * (land - t0)
            vx = max(vx - mu * (1 + e) * down, 0.0)
            t0, y0, vy = land, 0.0, e * down
        out.append((x0 + vx * (t - t0), y0 + vy * (t - t0) - g * (t - t0) ** 2 / 2))
    return out

def write(name, seed, shift=0.0, missing=False):
    noise = random.Random(seed)
    with open(name, "w") as f:
        f.write("# measured\nt [s],x(P),height [m]\n")
        for k, (t, (x, y)) in enumerate(zip(times, motion())):
            x, y = x + noise.gauss(0, 2e-3), y + noise.gauss(0, 1e-3)
            f.write(f"{t + shift:.9f},{x:.9f},{'' if missing and k % 3 == 0 else format(y, '.9f')}\n")

def fit(*arguments):
    done = subprocess.run([os.environ["saltus"], "fit", "ball.json", *arguments, "--column", "y(P)=height", "--json"],
                          stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)

if __name__ == "__main__":
    over = [word for name in truth for word in ("--over", name)]
    inside, square, count, most = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0.0), 200, 0
    for seed in range(count):
        write("noisy.csv", seed)
        r = fit("noisy.csv", *over)
        most = max(most, r["evaluations"])
        assert r["converged"], r["ended"]
        for name, value in truth.items():
            z = (r["over"][name]["best"] - value) / r["over"][name]["error"]
            inside[name] += abs(z) < 2
            square[name] += z * z
    # two standard errors hold 95.4 % of a normal distribution; of 200 that scatters by 3
    for name in truth:
        assert 0.90 * count <= inside[name] <= count, (name, inside)
        assert 0.7 < square[name] / count < 1.4, (name, square[name] / count)
    assert sum(inside.values()) >= 0.93 * 4 * count, inside
    print("inside two standard errors:", inside, "of", count, "- evaluations at most", most)
    assert most <= 30
END
if python3 measure.py; then good; else bad "coverage"; fi

python3 -c 'import measure; measure.write("one.csv", 1000); measure.write("gaps.csv", 1001, missing=True)
measure.write("late.csv", 1002, shift=0.004)'
expect "fit" 0 "$saltus" fit ball.json one.csv --over h --over rebound=0.5:1 --over v --over mu --column "y(P)=height" \
    --output out_fit --strict
says out "standard error"
says out "correlations"
same "residuals" "$(wc -l <out_fit/residuals.csv)" 201
expect "what was found is a scene" 0 "$saltus" run out_fit/best.json --quiet
expect "missing samples" 0 "$saltus" fit ball.json gaps.csv --over h --over rebound --column "y(P)=height" --set v=0.72 \
    --set mu=0.08 --noise "x(P)=2e-3" --noise "y(P)=1e-3" --strict
says out "166 samples"
expect "noise that is another" 0 "$saltus" fit ball.json gaps.csv --over h --over rebound --column "y(P)=height" \
    --set v=0.72 --set mu=0.08 --noise 1e-4
says err "times what the noise that was told allows"
expect "two experiments" 0 "$saltus" fit ball.json one.csv gaps.csv:m=5 --over h --over rebound --over v --over mu \
    --column "y(P)=height"
says out "366 samples in 2 experiments"
expect "a delay" 0 "$saltus" fit ball.json late.csv --over h --over rebound --over v --over mu --over delay=-0.01:0.01 \
    --set g=9.81 --column "y(P)=height" --json
if python3 - out <<'END'; then good; else bad "delay"; fi
import json, sys
d = json.load(open(sys.argv[1]))["over"]["delay"]
assert abs(d["best"] + 0.004) < 3 * d["error"] < 0.003, d
END
expect "one column" 0 "$saltus" fit ball.json one.csv --over h --over rebound --columns height --column "y(P)=height"
says out "100 samples"
expect "initial values" 0 "$saltus" fit ball.json one.csv --over "initial(P.y)=0.5:2" --over rebound --over v --over mu \
    --column "y(P)=height"

# The mass of a ball cannot be told from its path; nor stiffness and mass of an oscillator, but together.
expect "mass" 10 "$saltus" fit ball.json one.csv --over h --over rebound --over v --over mu --over m --column "y(P)=height" --strict
says out "not told by these data: a change along 1 m"
cat >spring.json <<'END'
{ "saltus": 1, "parameters": { "k": 20, "m": 2 }, "gravity": [0, 0],
  "points": { "O": { "at": [0, 0], "fixed": true }, "P": { "at": [1.2, 0] } },
  "bodies": { "ball": { "type": "point_mass", "point": "P", "mass": "m" } },
  "joints": { "s": { "type": "spring", "points": ["O", "P"], "stiffness": "k", "length": 1 } },
  "simulation": { "duration": 3 } }
END
python3 -c 'import math
print("t,x(P)")
for k in range(60): print(f"{0.05*k},{1 + 0.2*math.cos(math.sqrt(10)*0.05*k)}")' >spring.csv
expect "ratio" 0 "$saltus" fit spring.json spring.csv --over k=1:100:15 --over m=0.1:10:1
says out "a change along 1 k + 0.1 m"
expect "stiffness alone" 0 "$saltus" fit spring.json spring.csv --over k=1:100:15 --json
if python3 -c 'import json; assert abs(json.load(open("out"))["over"]["k"]["best"] - 20) < 1e-7'; then good; else bad "k"; fi

# Minima that are only local: the residuals are no noise, and the summary says so; several searches come to the true one.
# What is told of the noise is that of the place where the search ended, wherever that was.
python3 -c 'import math, random
random.seed(1)
print("t,x(P)")
for k in range(60): print(f"{0.05*k},{1 + 0.2*math.cos(math.sqrt(10)*0.05*k) + random.gauss(0, 0.002)}")' >noisy_spring.csv
expect "a local minimum" 10 "$saltus" fit spring.json noisy_spring.csv --over k=1:100:80 --strict
says err "neighbours are alike"
expect "several searches" 0 "$saltus" fit spring.json noisy_spring.csv --over k=1:100:80 --starts 10 --strict --json
if python3 - out <<'END'; then good; else bad "several searches"; fi
import json, sys
r = json.load(open(sys.argv[1]))
k = r["over"]["k"]
assert abs(k["best"] - 20) < 3 * k["error"] < 0.1, k
assert r["led_here"] >= 2 and r["led_elsewhere"] >= 2 and r["led_here"] + r["led_elsewhere"] == r["searches"] == 10, r
END
for most in 1 2 3 200; do
    expect "noise after $most evaluations" 0 "$saltus" fit spring.json noisy_spring.csv --over k=1:100:15 --evaluations $most --json
    if python3 - out <<'END'; then good; else bad "noise after $most evaluations"; fi
import json, math, sys
q = json.load(open(sys.argv[1]))["quantities"]["x(P)"]
assert abs(q["noise"] / q["rms"] - math.sqrt(60 / 59)) < 1e-9, q
END
done
expect "places without ranges" 2 "$saltus" fit spring.json noisy_spring.csv --over k --starts 3
says err "expected ranges"

# Ctrl-C: the best so far.
expect "interrupted" 130 timeout --preserve-status -s INT 1.5 "$saltus" fit spring.json noisy_spring.csv --over k=1:100:15 \
    --starts 1000000 --output stopped --json
if python3 - out <<'END'; then good; else bad "interrupted: best so far"; fi
import json, sys
r = json.load(open(sys.argv[1]))
k = r["over"]["k"]
assert r["status"] == "interrupted" and abs(k["best"] - 20) < 3 * k["error"] < 0.1, r
END
expect "what was found until then is a scene" 0 "$saltus" run stopped/best.json --quiet

# Wrong use.
printf 't,x(P)\n0.1,1\n0.2,abc\n' >text.csv
printf 't,x(P)\n0.1,1\n0.05,1\n' >back.csv
printf 't,x(P)\n0.1,1,2\n' >wide.csv
printf 'x(P)\n1\n' >timeless.csv
printf 't,x(P)\n0.1,1\n9,1\n' >long.csv
expect "text among the numbers" 2 "$saltus" fit spring.json text.csv --over k
says err "text.csv:3:5: expected a number, found 'abc'"
expect "times that fall" 2 "$saltus" fit spring.json back.csv --over k
says err "back.csv:3:1: times have to rise"
expect "cells" 2 "$saltus" fit spring.json wide.csv --over k
says err "expected 2 cells"
expect "no times" 2 "$saltus" fit spring.json timeless.csv --over k
says err "no column 't'"
expect "more parameters than samples" 2 "$saltus" fit ball.json text.csv --over h --over v
printf 't,x(P)\n0.1,1\n' >few.csv
expect "more parameters than samples" 2 "$saltus" fit spring.json few.csv --over k --over m
says err "2 parameters from 1 samples"
expect "unknown column" 2 "$saltus" fit ball.json one.csv --over h
says err "'height' is no expression"
expect "no data" 2 "$saltus" fit spring.json --over k
expect "no file" 2 "$saltus" fit spring.json none.csv --over k
expect "unknown parameter" 2 "$saltus" fit spring.json spring.csv --over q
expect "unknown setting" 2 "$saltus" fit spring.json spring.csv:q=1 --over k
says err "unknown parameter 'q'"
expect "an initial value without a range" 2 "$saltus" fit spring.json spring.csv --over "initial(P.x)"
expect "noise of nothing" 2 "$saltus" fit spring.json spring.csv --over k --noise "y(P)=1"

finish
