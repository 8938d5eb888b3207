"""bench_view.py SALTUS SCENES [WORK] - how long the view and large reports take, in a browser: from the movement of a
slider to the new picture (the middle of 100; at most 50 ms for the five-bar, 200 ms for Jansen's leg), and a report of
20,000 frames and 50 series (opens in 2 s, jumps in 100 ms, 15 MB). Prints them; exit code 1 where a limit is missed.

    bash tests/page/run.sh build/saltus scenes ../bench/bench_view.py"""

import json
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "page"))

from browser import Browser, Command  # noqa: E402  beside the tests of pages

SALTUS, SCENES, WORK = sys.argv[1:4]
MOVES = 100
READY = "return window.saltus?.view?.page != null && !saltus.view.work.now && !saltus.view.work.next"
missed = []


def tell(what, value, limit, unit):
    print(f"{what:58} {value:8.1f} {unit}, at most {limit:g}")
    if value > limit:
        missed.append(what)


def measure_slider(page, scene, slider, low, high, limit):
    server = subprocess.Popen([SALTUS, "view", f"{SCENES}/{scene}.json", "--no-browser"], stdout=subprocess.PIPE, text=True)
    try:
        page.driver.get(server.stdout.readline().strip())
        page.until(READY, f"{scene}: the page did not start")
        time.sleep(1)
        page.js("saltus.view.latency.length = 0")
        for k in range(MOVES):
            page.js("const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('input'))",
                    slider, low + (high - low) * (k + 1) / MOVES)
            page.until("return saltus.view.latency.length > arguments[0]", f"{scene}: no picture came", k)
        times = page.js("return saltus.view.latency")
        tell(f"{scene}: slider to picture, the middle of {len(times)}", statistics.median(times), limit, "ms")
        print(f"{'':58} {max(times):8.1f} ms the longest")
        page.js("saltus.view.file.written = saltus.view.text")  # nothing is to be saved
    finally:
        server.kill()


def measure_report(page):
    scene = {"saltus": 1, "name": "many frames", "points": {"P": {"at": [0, 1], "velocity": [1, 2]}}, "gravity": [0, -9.81],
             "bodies": {"m": {"type": "point_mass", "point": "P", "mass": 1}}, "parameters": {"a": 1},
             "outputs": {f"o{k}": f"a*sin({k + 1}*t)" for k in range(50)}, "simulation": {"duration": 2, "output": 1e-4}}
    path, report = f"{WORK}/many.json", f"{WORK}/many.html"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scene, file)
    Command(SALTUS)("report", path, "-o", report)
    tell("report of 20,000 frames and 50 series: size", os.path.getsize(report) / 1e6, 15, "MB")
    started = time.time()
    page.driver.get(f"file://{report}")
    page.until("return window.saltus !== undefined", "the report did not open")
    tell("the same: opens in", time.time() - started, 2, "s")
    jumps = page.driver.execute_async_script("""const done = arguments[0], times = [];
        const jump = (k) => {
            if (k === 20) return done(times);
            const start = performance.now();
            saltus.player.set(saltus.player.motion.end * ((k * 7) % 20) / 20);
            requestAnimationFrame(() => setTimeout(() => (times.push(performance.now() - start), jump(k + 1))));
        };
        jump(0);""")
    tell("the same: jumps in, the longest of 20", max(jumps), 100, "ms")


browser = Browser()
try:
    measure_slider(browser, "five_bar_impact", "live-0", 320, 420, 50)
    measure_slider(browser, "jansen_leg", "live-12", 500, 750, 200)
    measure_report(browser)
finally:
    browser.quit()
sys.exit(1 if missed else 0)
