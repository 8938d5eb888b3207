"""bench_python.py PROGRAM SCENES [RUNS] - what restarts and runs of the five-bar cost from Python, over those from C (PROGRAM
is bench_python of the build): 10,000 of each kind, in rounds that take turns; of each the least, which nothing disturbed.
Aim: at most 1.3. Prints CSV.

    SALTUS_LIBRARY=build/release PYTHONPATH=tools/python \\
        /usr/bin/python3 tests/bench/bench_python.py build/release/tests/bench_python scenes"""
import os
import subprocess
import sys
import time

import saltus

PROGRAM, SCENES = sys.argv[1:3]
RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
ROUNDS = 20


def measure(kind):
    run = saltus.load(os.path.join(SCENES, "five_bar.json")).start()
    each = RUNS // ROUNDS
    in_c, in_python = [], []
    for _ in range(ROUNDS):
        told = subprocess.run([PROGRAM, "1", str(each), kind], check=True, capture_output=True, text=True).stdout
        in_c.append(float(told))
        start = time.perf_counter()
        for k in range(each):
            run.restart(L01=2.2 + 1e-5 * k)
            if kind == "record":
                run.simulate()
            else:
                run.finish()
        in_python.append(time.perf_counter() - start)
    least = [min(times) / each for times in (in_c, in_python)]
    print(f"{kind},{RUNS},{1e3 * least[0]:.4f},{1e3 * least[1]:.4f},{least[1] / least[0]:.3f}")


print("kind,runs,c_ms,python_ms,ratio")
measure("plain")
measure("record")
