"""look.py SALTUS SCENES WORK - opens reports of scenes in a browser without a network, uses them as a reader would, and
compares what they show with the tables that the command writes."""

import json
import math
import os
import sys
import time

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import PICTURE, Browser, Command, close, read_csv

SALTUS, SCENES, WORK = sys.argv[1:4]
run = Command(SALTUS)
page_browser = Browser()
browser, js, press, until = page_browser.driver, page_browser.js, page_browser.press, page_browser.until


def show(path):
    page_browser.show("file://" + path)


def check_quiet(path):
    page_browser.check_quiet("file://" + path)


# ------------------------------------------------------------------------------------------------------------- places


def points_of(row):
    return [name[2:-1] for name in row if name.startswith("x(")]


def check_places(name, rows):
    """Every frame is a row of states.csv, and shows the places that are there."""
    frames = js("""const s = window.saltus, list = [];
        for (let k = 0; k < s.frames; k++) list.push([s.frame(k), s.placesAt(k)]);
        return list;""")
    size = js("return saltus.picture()")
    assert len(frames) == len(rows), f"{name}: {len(frames)} frames, {len(rows)} rows"
    for (frame, places), row in zip(frames, rows):
        assert frame["t"] == float(row["t"]) and frame["segment"] == int(row["segment"])
        for point in points_of(row):
            for axis in (0, 1):
                close(places[point][axis], float(row[f"{'xy'[axis]}({point})"]), PICTURE * size, f"{name}: {point} at {frame['t']}")


def check_ghost(name, rows, sensitivities):
    """The ghost is the place + its derivative times the change, for each parameter and for all of them at once."""
    size, parameters = js("return saltus.picture()"), js("return saltus.document.wrt")
    changes = [{p["name"]: 0.01 * (p["value"] or 1.0)} for p in parameters]
    changes.append({p["name"]: 0.003 * (p["value"] or 1.0) * (-1) ** k for k, p in enumerate(parameters)})
    for change in changes:
        ghosts = js("""saltus.ghost.clear();
            for (const [name, d] of Object.entries(arguments[0])) saltus.setChange(name, d);
            const list = [];
            for (let k = 0; k < saltus.frames; k++) list.push(saltus.ghostAt(k));
            saltus.ghost.clear();
            return list;""", change)
        for places, row, derivative in zip(ghosts, rows, sensitivities):
            for point in points_of(row):
                for axis in (0, 1):
                    x = f"{'xy'[axis]}({point})"
                    moved = sum(float(derivative[f"d {x}/d {p}"]) * d for p, d in change.items())
                    close(places[point][axis], float(row[x]) + moved, PICTURE * size, f"{name}: ghost of {point} at {row['t']}")


def check_ghost_drawn(name):
    """At every output time the ghost on the stage is that prediction; but where its own event has not come yet, or has
    come already, and there it is in the segment on its own side."""
    for p in js("return saltus.document.wrt"):
        wrong, same, other = js("""saltus.ghost.clear();
            saltus.setChange(...arguments);
            const stage = saltus.stage, names = stage.doc.places.map((p) => p.name);
            let wrong = 0, same = 0, other = 0;
            for (let k = 0; k < saltus.frames; k++) {
                const { t, segment } = saltus.frame(k), own = saltus.ghost.segmentAt(t), expected = saltus.ghostAt(k);
                saltus.player.set(t, segment);
                if (own !== segment) other++;
                if (own !== segment && stage.ghostPose.segment === own) continue;
                same++;
                names.forEach((name, i) => name && [0, 1].forEach((axis) => (wrong = Math.max(wrong, Math.abs(stage.ghostPose.at[2 * i + axis] - expected[name][axis])))));
            }
            saltus.ghost.clear();
            return [wrong, same, other];""", p["name"], 0.003 * (p["value"] or 1.0))
        assert wrong == 0 and same > other, f"{name}: the ghost that is drawn for {p['name']} is {wrong} off ({same} frames, {other} beside their events)"


def check_ghost_events(name, events):
    """Where events go, and that the ghost goes on where it would still be before them: along its velocity."""
    for p in js("return saltus.document.wrt"):
        d = 1e-3 * (p["value"] or 1.0)
        times = js("saltus.ghost.clear(); saltus.setChange(arguments[0], arguments[1]); return saltus.ghost.times", p["name"], d)
        for t, row in zip(times, events):
            moved = float(row["t"]) + float(row[f"d t/d {p['name']}"]) * d
            close(t, moved, 1e-12 + 1e-9 * abs(moved), f"{name}: event {row['number']} for {p['name']}")
        first, shift = float(events[0]["t"]), float(events[0][f"d t/d {p['name']}"]) * d
        if shift > 1e-9:
            middle = first + 0.5 * shift
            assert js("return saltus.ghost.segmentAt(arguments[0])", middle) == 0
            assert js("return saltus.player.motion.segmentAt(arguments[0])", middle) == 1
            before = js("saltus.ghostAtTime(arguments[0]); return saltus.ghostAtTime(arguments[0])", middle)
            edge = js("return saltus.ghostAt(saltus.document.events[0].frame - 1)")
            for point, place in before.items():
                speed = js("""const e = saltus.document.events[0], p = saltus.document.places.find((q) => q.name === arguments[0]);
                    return [p.vx.at(e.frame - 1), p.vy.at(e.frame - 1)]""", point)
                for axis in (0, 1):
                    close(place[axis], edge[point][axis] + 0.5 * shift * speed[axis], 1e-9, f"{name}: ghost of {point} between the events")
    js("saltus.ghost.clear()")


def check_scene(name):
    page, folder = f"{WORK}/{name}.html", f"{WORK}/{name}"
    run("sens", f"{SCENES}/{name}.json", "--report", page, "--output", folder)
    rows, events = read_csv(f"{folder}/states.csv"), read_csv(f"{folder}/events.csv")
    show(page)
    check_places(name, rows)
    sensitivities = read_csv(f"{folder}/sensitivities.csv")
    check_ghost(name, rows, sensitivities)
    check_ghost_drawn(name)
    check_series(name, sensitivities)
    check_ghost_events(name, events)
    check_costs(f"{folder}/summary.json")
    return rows, events


def check_between():
    """Between frames places go along cubics: where a run with twice the frames has them, and much nearer than lines."""
    name, page, folder = "five_bar_impact", f"{WORK}/between.html", f"{WORK}/between"
    with open(f"{SCENES}/{name}.json", encoding="utf-8") as file:
        scene = json.load(file)
    scene["simulation"]["output"] = 0.05
    coarse, fine = f"{WORK}/coarse.json", f"{WORK}/fine.json"
    with open(coarse, "w", encoding="utf-8") as file:
        json.dump(scene, file)
    scene["simulation"]["output"] = 0.025
    with open(fine, "w", encoding="utf-8") as file:
        json.dump(scene, file)
    run("run", coarse, "--report", page)
    run("run", fine, "--output", folder)
    show(page)
    cubic = linear = 0.0
    rows = read_csv(f"{folder}/states.csv")
    for before, row, after in zip(rows, rows[1:], rows[2:]):
        if not before["segment"] == row["segment"] == after["segment"] or abs(float(row["t"]) / 0.05 % 1 - 0.5) > 0.1:
            continue
        places = js("return saltus.placesAtTime(arguments[0])", float(row["t"]))
        for point in points_of(row):
            x = f"x({point})"
            cubic = max(cubic, abs(places[point][0] - float(row[x])))
            linear = max(linear, abs(0.5 * (float(before[x]) + float(after[x])) - float(row[x])))
    assert linear > 1e-4 and cubic < 0.02 * linear, f"between frames: {cubic} off, lines would be {linear}"


def check_costs(path):
    with open(path, encoding="utf-8") as file:
        costs = json.load(file)["costs"]
    for cost in js("return saltus.document.costs"):
        known = costs[cost["name"]]
        assert cost["value"] == known["value"] and cost["gradient"] == list(known["gradient"].values())
    parameter = js("return saltus.document.wrt[0]")
    d = 0.01 * parameter["value"]
    predicted = js("saltus.setChange(arguments[0], arguments[1]); const p = saltus.predictedCosts(); saltus.ghost.clear(); return p",
                   parameter["name"], d)
    for value, known in zip(predicted, costs.values()):
        expected = known["value"] + known["gradient"][parameter["name"]] * d
        close(value, expected, 1e-12 * (1 + abs(expected)), "predicted cost")


def check_markers():
    """Points of a body on both sides of an event: dP- - dP+ = (v+ - v-) dt/drho, as places are continuous there."""
    page = f"{WORK}/stairs.html"
    run("report", f"{SCENES}/stairs.json", "-o", page)
    show(page)
    jumps = js("""const doc = saltus.document, list = [];
        for (const e of doc.events) for (const p of doc.places) {
            if (p.kind !== "marker") continue;
            for (let c = 0; c < doc.wrt.length; c++) for (const [d, v] of [[p.dx, p.vx], [p.dy, p.vy]]) {
                const k = e.frame, jump = d[c].at(k - 1) - d[c].at(k), expected = (v.at(k) - v.at(k - 1)) * e.gradient[c];
                list.push([jump, expected, Math.abs(d[c].at(k - 1)) + Math.abs(d[c].at(k)) + Math.abs(expected)]);
            }
        }
        return list;""")
    assert len(jumps) > 50 and max(abs(j[0]) for j in jumps) > 0.01
    for jump, expected, size in jumps:
        close(jump, expected, 1e-5 * (1 + size), "derivatives of a marker at an event")  # floats, and sizes up to 100


# ------------------------------------------------------------------------------------------------------------- reader


def check_use(rows, events):
    """Plays, scrubs, steps, and the places that are drawn are those of the time shown."""
    press(Keys.HOME)
    assert js("return saltus.player.t") == 0
    press(" ")
    until("return saltus.player.t > 0.02", "it does not play")
    press(" ")
    t = js("return saltus.player.t")
    time.sleep(0.15)
    assert js("return saltus.player.t") == t and not js("return saltus.player.playing"), "it does not pause"
    browser.find_element(By.ID, "play").click()
    until(f"return saltus.player.t > {t} + 0.02", "the button does not play")
    browser.find_element(By.ID, "play").click()
    press(Keys.HOME)
    for row in events:
        press("]")
        assert js("return saltus.player.t") == float(row["t"]), f"the event at {row['t']} is not stepped to"
        shown = js("return saltus.shownPlaces()")
        for point in points_of(row):
            close(shown[point][0], float(row[f"x({point})"]), PICTURE * js("return saltus.picture()"), point)
    press("[")
    assert js("return saltus.player.t") == float(events[-2]["t"])
    press(Keys.HOME)
    for row in rows[1:6]:
        press(Keys.ARROW_RIGHT)
        assert js("return saltus.player.t") == float(row["t"])
    press(Keys.ARROW_LEFT)
    assert js("return saltus.player.t") == float(rows[4]["t"])
    line = browser.find_element(By.ID, "timeline")
    ActionChains(browser).move_to_element(line).click().perform()
    middle = 0.5 * float(rows[-1]["t"])
    close(js("return saltus.player.t"), middle, 0.02 * middle, "a click in the middle of the time line")
    scale = js("return saltus.stage.view.scale")
    press("+")
    assert js("return saltus.stage.view.scale") > scale
    press("0")
    close(js("return saltus.stage.view.scale"), scale, 1e-9 * scale, "fit")
    row = browser.find_element(By.CSS_SELECTOR, "#events tbody tr:nth-child(2)")
    js("arguments[0].click()", row)
    assert js("return saltus.player.t") == float(events[1]["t"]), "a row of the table of events does not lead there"
    slider = browser.find_element(By.ID, "parameter-0")
    js("arguments[0].value = 50; arguments[0].dispatchEvent(new Event('input'))", slider)
    assert js("return saltus.ghost.active"), "a slider does not make a ghost"
    js("document.getElementById('reset-parameters').click()")
    assert not js("return saltus.ghost.active")


STAGE = "saltus.stage.draw(); return document.getElementById('stage').toDataURL()"


def check_shows(rows, events):
    """What can be shown is, by its key, and goes again; what is followed stays in its place; impacts flash."""
    js("saltus.player.pause(); saltus.player.set(0.5); saltus.stage.fit()")
    find = browser.find_element
    for key, name in (("r", "reactions"), ("v", "velocities"), ("t", "traces"), ("n", "names"), ("g", "grid")):
        before, shown = js(STAGE), js("return document.getElementById('show-' + arguments[0]).checked", name)
        press(key)
        assert js(STAGE) != before and js("return document.getElementById('show-' + arguments[0]).checked", name) != shown, f"the key {key}"
        press(key)
        assert js(STAGE) == before, f"the key {key} again"
    for key, move in (("w", (0, 40)), ("s", (0, -40)), ("a", (40, 0)), ("d", (-40, 0))):
        place = js("return saltus.stage.toScreen(0, 0)")
        press(key)
        for axis in (0, 1):
            close(js("return saltus.stage.toScreen(0, 0)")[axis] - place[axis], move[axis], 1e-6, f"the key {key}")
    press("0")
    where = "const s = saltus.stage, k = s.named.get('P2'); return s.toScreen(s.pose.at[2 * k], s.pose.at[2 * k + 1])"
    js("saltus.player.set(0)")
    start = js(where)
    choose = "const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))"
    js(choose, "follow", str(js("return saltus.stage.named.get('P2')")))
    for t in (0.3, 1.1, 4.0):
        js("saltus.player.set(arguments[0])", t)
        for axis in (0, 1):
            close(js(where)[axis], start[axis], 1e-9, f"the point that is followed, at {t}")
    js(choose, "follow", "-1")
    assert js(where) != start
    traced = js("return saltus.stage.traced.size")
    js(choose, "trace", str(js("return saltus.stage.named.get('P1')")))
    assert js("return saltus.stage.traced.size") == traced + 1, "another point is not traced"
    js(choose, "trace", str(js("return saltus.stage.named.get('P1')")))
    rings = """saltus.stage.draw();
        const { canvas } = saltus.stage, copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let k = 0; k < data.length; k += 4) if (data[k] > 170 && data[k + 1] < 90 && data[k + 2] > 80 && data[k + 2] < 160) count++;
        return count;"""
    js("saltus.player.set(arguments[0], 0)", float(events[0]["t"]))
    quiet = js(rings)
    js("saltus.player.set(arguments[0], 1)", float(events[0]["t"]))
    assert js(rings) > quiet + 50, "an impact does not flash"
    sizes = {}
    for wish in ("no-preference", "reduce"):
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": wish}]})
        sizes[wish] = []
        for part in (0.0, 0.3):
            js("saltus.player.set(arguments[0] + 0.25 * arguments[1] * saltus.player.speed, 1)", float(events[0]["t"]), part)
            sizes[wish].append(js(rings))
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    (start, later), (still, stays) = sizes["no-preference"], sizes["reduce"]
    assert later != start and abs(stays - still) < 0.1 * still, f"where motion is not wanted the flash moves: {sizes}"
    assert find(By.ID, "speed").get_attribute("aria-label") == "speed"
    js(choose, "speed", "0.1")
    assert js("return saltus.player.speed") == 0.1
    js(choose, "speed", "1")


def check_phase(rows):
    """One quantity against another: what is chosen, as a table and as a picture."""
    choose = """const s = document.getElementById(arguments[0]);
        s.value = saltus.document.series.findIndex((q) => q.name === arguments[1]);
        s.dispatchEvent(new Event("change"));"""
    js(choose, "phase-horizontal", "x(P2)")
    js(choose, "phase-vertical", "vy(P2)")
    table = js("return saltus.phase.table()")
    assert table[0] == ["t", "segment", "x(P2)", "vy(P2)"] and len(table) == len(rows) + 1
    for shown, row in zip(table[1:], rows):
        close(shown[2], float(row["x(P2)"]), 1e-6, "phase plot")
        close(shown[3], float(row["vy(P2)"]), 1e-5, "phase plot")
    drawn = js("return saltus.phase.pictureNow().outerHTML")
    assert "NaN" not in drawn and "x(P2) [m]" in drawn and "vy(P2) [m/s]" in drawn
    line = js("return saltus.phase.pictureNow().querySelector('g path').getAttribute('d')")
    assert line.count("M") == int(rows[-1]["segment"]) + 1, "a jump is not a gap"


def check_range():
    """The part of time that is looked at: by keys; plots, phase plot and playing keep to it."""
    js("saltus.player.pause(); saltus.player.set(2)")
    whole = js("return saltus.range.now")
    for _ in range(5):
        press("z")
    low, high = js("return saltus.range.now")
    close(high - low, (whole[1] - whole[0]) / 1.5 ** 5, 1e-9, "the key z")
    assert low < 2 < high
    assert all(low <= row[0] <= high for row in js("return saltus.phase.table()")[1:]), "the phase plot is of another time"
    for window in js("return saltus.plots.shown.flatMap((p) => p.charts.map((c) => c.graph.xAxisRange()))"):
        assert window == [low, high], window
    js("saltus.player.set(arguments[0] - 0.05); saltus.player.play()", high)
    until("return !saltus.player.playing", "it plays on beyond what is looked at")
    close(js("return saltus.player.t"), high, 1e-9, "where playing ends")
    js("saltus.player.play()")
    assert js("return saltus.player.t") < high - 0.05, "playing does not begin again"
    js("saltus.player.pause()")
    press("x")
    assert js("return saltus.range.now[1] - saltus.range.now[0]") > high - low
    press("c")
    assert js("return saltus.range.now") == whole


def check_contacts():
    """Closed contacts have their forces, with the cone of friction around them; the hint tells them."""
    page = f"{WORK}/resting.html"
    run("run", f"{SCENES}/resting_block.json", "--report", page, "--output", f"{WORK}/resting")
    show(page)
    js("saltus.player.pause(); saltus.player.set(0.1)")
    before = js(STAGE)
    press("f")
    assert js(STAGE) != before, "forces of contacts are not drawn"
    press("f")
    page_browser.picture("report_contacts")
    told, force = js("""const s = saltus.stage, k = s.doc.items.findIndex((i) => i.kind === "contact"), i = s.doc.items[k], f = s.motion.frameAt(s.time);
        return [s.describe(...s.toScreen(i.placeX.at(f), i.placeY.at(f))), Math.hypot(i.forceX.at(f), i.forceY.at(f))]""")
    words = [line for line in told if line.endswith(" N")]
    assert words, told
    close(float(words[0].split()[-2]), force, 1e-3 * force, "the force that is told")


def check_drawn():
    """The canvas shows something, and something else at another time."""
    picture = "saltus.player.set(arguments[0] * saltus.player.motion.end); saltus.stage.draw(); return document.getElementById('stage').toDataURL()"
    first, second = js(picture, 0), js(picture, 0.5)
    assert len(first) > 10000 and len(second) > 10000 and first != second, "the stage does not show a motion"


def check_names():
    """Whatever can be used has a name for those who do not see it; every table can be taken away."""
    unnamed = js("""return [...document.querySelectorAll("button, select, input, canvas")].filter((e) =>
        !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length || e.closest(".chart[aria-label]"))).map((e) => e.outerHTML)""")
    assert not unnamed, unnamed
    assert js("return [...document.querySelectorAll('section.table')].every((s) => s.querySelector('button.csv'))")
    assert js("return document.querySelectorAll('section.table').length") >= 4


def check_media():
    """Dark and light, little room, no motion."""
    background = "return getComputedStyle(document.body).backgroundColor"
    light = js(background)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    assert js(background) != light, "there is no dark"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True})
    time.sleep(0.2)
    assert js("return document.documentElement.scrollWidth <= window.innerWidth"), "the page is wider than a phone"
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def check_plots():
    """Plots have gaps at jumps, and one range of time for all."""
    assert js("return document.querySelectorAll('figure.plot').length") >= 2, "there are no plots"
    js("saltus.range.set(0.1, 0.2, null)")
    assert js("return saltus.range.now") == [0.1, 0.1 + (0.2 - 0.1)]
    js("saltus.range.set(...saltus.range.whole, null)")


# ------------------------------------------------------------------------------------------------------------ strangers


def check_hostile():
    """Texts of a scene are texts: names are names by the format, but titles and names of files may be anything."""
    title = "</script><script>window.hacked=1</script><!--<script><img src=x onerror=window.hacked=2>&lt;b&gt;"
    scene = {"saltus": 1, "name": title, "points": {"script": {"at": [0, 1]}}, "bodies": {"img": {"type": "point_mass", "point": "script", "mass": 1}},
             "contacts": {"onerror": {"type": "ground", "points": ["script"], "law": "impact", "restitution": 0.5}},
             "gravity": [0, -9.81], "outputs": {"alert": "y(script)"}, "simulation": {"duration": 1}}
    path = f"{WORK}/<img src=x onerror=window.hacked=3>.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scene, file)
    page = f"{WORK}/hostile.html"
    run("report", path, "-o", page)
    show(page)
    assert js("return document.getElementById('title').textContent") == title
    assert js("return window.hacked") is None
    assert js("return document.querySelectorAll('img').length") == 0
    scene["points"] = {"<script>": {"at": [0, 1]}}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scene, file)
    run("report", path, "-o", page, code=3)


def check_plain_run():
    """A run without derivatives has no sliders; one that fails is shown as far as it came, with what it said."""
    page = f"{WORK}/plain.html"
    run("run", f"{SCENES}/five_bar_impact.json", "--report", page)
    show(page)
    assert js("return saltus.document.wrt.length") == 0 and js("return document.querySelectorAll('#parameters input').length") == 0
    scene = {"saltus": 1, "parameters": {"a": 1}, "points": {"P": {"at": [0, 0], "velocity": [1, 0]}},
             "bodies": {"m": {"type": "point_mass", "point": "P", "mass": 1}},
             "joints": {"f": {"type": "force", "point": "P", "fx": "a/(1-t)^2", "fy": "0"}}, "simulation": {"duration": 2}}
    with open(f"{WORK}/fails.json", "w", encoding="utf-8") as file:
        json.dump(scene, file)
    run("report", f"{WORK}/fails.json", "-o", page, code=5)
    show(page)
    assert js("return saltus.document.status") == "failed" and 0.5 < js("return saltus.player.motion.end") <= 1
    assert js("return document.getElementById('message').textContent") == js("return saltus.document.message") != ""


def check_series(name, sensitivities):
    """Derivatives of coordinates and velocities that are plotted are those of sensitivities.csv."""
    series = js("""return saltus.document.series.filter((s) => s.gradient.length && ["coordinate", "velocity"].includes(s.group)).map((s) =>
        [s.name, s.gradient.map((g) => Array.from({ length: saltus.frames }, (x, k) => g.at(k)))])""")
    parameters = [p["name"] for p in js("return saltus.document.wrt")]
    assert any(s[0].startswith("vx(") for s in series), f"{name}: no derivatives of velocities"
    for quantity, gradient in series:
        for parameter, column in zip(parameters, gradient):
            known = [float(row[f"d {quantity}/d {parameter}"]) for row in sensitivities]
            size = max(map(abs, known))
            for a, b in zip(column, known):
                close(a, b, 2e-7 * size, f"{name}: d {quantity}/d {parameter}")


def check_studies():
    """An equilibrium with the derivatives that it has as one, a cycle that begins where it was found and comes back."""
    page = f"{WORK}/rest.html"
    found = json.loads(run("equilibrium", f"{SCENES}/five_bar.json", "--report", page, "--json"))
    show(page)
    assert js("return saltus.frames") == 1 and js("return document.querySelectorAll('#study-values tbody tr').length") > 10
    d = 0.02
    ghost = js("saltus.setChange('L01', arguments[0]); const g = saltus.ghostAt(0); saltus.ghost.clear(); return g", d)
    for name, item in found["positions"].items():
        predicted = item["value"] + item["gradient"]["L01"] * d
        close(ghost[name[2:-1]]["xy".index(name[0])], predicted, 1e-6, f"equilibrium: {name}")
    page = f"{WORK}/cycle.html"
    found = json.loads(run("cycle", f"{SCENES}/compass_gait.json", "--report", page, "--json"))
    show(page)
    first, period = js("return saltus.placesAt(0)"), found["period"]["value"]
    for name, item in found["start"].items():
        if name[0] in "xy":
            close(first[name[2:-1]]["xy".index(name[0])], item["value"], 1e-6, f"cycle: {name}")
    close(js("return saltus.player.motion.end"), 2 * period, 1e-9, "two periods")
    after, moved = js("return saltus.placesAtTime(arguments[0])", 2 * period), [2 * x for x in found["advance"]]
    for point, place in first.items():  # two steps bring both legs back to where they were
        for axis in (0, 1):
            close(after[point][axis], place[axis] + moved[axis], 1e-6, f"cycle: {point} two periods later")
    assert js("return document.querySelectorAll('circle.multiplier').length") == len(found["multipliers"])
    check_branch(page)
    check_modes()


def check_branch(page):
    """A branch of cycles: its points, its bifurcations, and the last cycle on it as a motion."""
    found = json.loads(run("cycle", f"{SCENES}/compass_gait.json", "--report", page, "--follow", "slope=4.3:4.5", "--json"))["points"]
    show(page)
    kinds = [p["kind"] for p in found if p["kind"]]
    assert kinds and js("return saltus.document.branch.points.length") == len(found)
    shown = js("return [...document.querySelectorAll('circle.bifurcation title')].map((t) => t.textContent)")
    assert [text.split(" at ")[0] for text in shown] == kinds, shown
    page_browser.picture("report_branch")
    close(js("return saltus.document.parameters.slope"), found[-1]["slope"], 1e-12, "the slope of the last cycle")
    close(js("return saltus.player.motion.end"), 2 * found[-1]["period"], 1e-9, "its period")


def check_searches():
    """What an optimum and a fit were found from, and how well they are known."""
    page = f"{WORK}/optimum.html"
    found = json.loads(run("optimize", f"{SCENES}/trebuchet.json", "--maximize", "range", "--over", "sling=1:2.6", "--over",
                           "release=10:70", "--subject-to", "t <= 5.4", "--report", page, "--json"))
    show(page)
    page_browser.picture("report_optimum")
    assert js("return document.querySelectorAll('circle.evaluation, circle.failed').length") == found["evaluations"]
    shown = js("return [...document.querySelectorAll('#search tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))")
    assert [row[0] for row in shown] == list(found["over"]), shown
    for row in shown:
        close(float(row[2].replace("\u2212", "-")), found["over"][row[0]]["best"], 1e-5, f"the best {row[0]}")
    assert js("return document.querySelector('#conditions tbody tr').textContent").endswith("active")
    close(js("return saltus.document.parameters.sling"), found["over"]["sling"]["best"], 1e-12, "the motion is that of the best place")
    close(js("return saltus.document.events.at(-1).t"), 5.4, 1e-6, "it lands when it has to")

    page, data, truth = f"{WORK}/fit.html", f"{WORK}/data.csv", {"height": 1.05, "restitution": 0.77}
    rows = f"{WORK}/measured"
    run("run", f"{SCENES}/bouncing_ball.json", "--duration", "1.5", "--output", rows, "--columns", "y(ball)", "--quiet",
        *[word for name, value in truth.items() for word in ("--set", f"{name}={value}")])
    samples = [(row["t"], f"{float(row['y(ball)']):.3f}") for row in read_csv(f"{rows}/columns.csv") if float(row["t"]) > 0]
    with open(data, "w", encoding="utf-8") as file:
        file.write("t,y(ball)\n" + "".join(f"{t},{y}\n" for t, y in samples))
    run("fit", f"{SCENES}/bouncing_ball.json", data, "--over", "height", "--over", "restitution=0:1", "--report", page, "--quiet")
    show(page)
    page_browser.picture("report_fit")
    assert js("return document.querySelectorAll('circle.residual').length") == len(samples)
    assert js("return document.querySelectorAll('path.band, rect.noise').length") == 2
    for name, value in truth.items():
        close(js("return saltus.document.parameters[arguments[0]]", name), value, 1e-3, f"the fitted {name}")


def check_differences():
    """Central differences: those of two runs of the command; near the exact derivatives but at events, where they have spikes.
    All figures are there at once: places and velocities of all points, and the costs as they grow, with both derivatives."""
    page, step = f"{WORK}/differences.html", 1e-4
    run("report", f"{SCENES}/five_bar.json", "-o", page, "--differences", str(step))
    show(page)
    expected = [f"{q}({p})" for p in ("P1", "P2", "P3") for q in ("x", "y", "vx", "vy")] + ["cost z1", "cost z2"]
    shown = js("return [...document.querySelectorAll('figure.plot b')].map((b) => b.textContent.split(' [')[0])")
    assert sorted(shown) == sorted(expected) and shown[:4] == ["x(P2)", "y(P2)", "vx(P2)", "vy(P2)"], shown
    assert js("return document.querySelectorAll('figure.plot .chart').length") == 2 * len(expected)
    page_browser.picture("report_differences")
    list_of = "const list = (c) => Array.from({ length: saltus.frames }, (x, k) => c.at(k)), find = (name) => saltus.document.series.find((s) => s.name === name);"
    times, exact, compared = js(list_of + "const s = find('vy(P2)'); return [list(saltus.document.t), list(s.gradient[0]), list(s.compared[0])]")
    h = step * js("return saltus.document.wrt[0].value")
    sides = []
    for sign in (1, -1):
        value = js("return saltus.document.wrt[0].value") + sign * h
        run("run", f"{SCENES}/five_bar.json", "--set", f"L01={value!r}", "--output", f"{WORK}/side")
        sides.append({float(row["t"]): float(row["vy(P2)"]) for row in read_csv(f"{WORK}/side/states.csv")})
    events = js("return saltus.document.events.map((e) => e.t)")
    away = [min(abs(t - e) for e in events) > 0.02 for t in times]
    size, spikes = max(map(abs, exact)), 0
    for t, b, is_away in zip(times, compared, away):
        if t in sides[0] and t in sides[1] and t not in events:
            known = (sides[0][t] - sides[1][t]) / (2 * h)
            close(b, known, 1e-6 * max(size, abs(known)), f"the difference at {t}")
        if not is_away and abs(b) > 20 * size:
            spikes += 1
    assert sum(away) > 300 and spikes >= len(events), (sum(away), spikes)
    for name in expected:
        for exact, compared in js(list_of + "const s = find(arguments[0]); return s.gradient.map((g, c) => [list(g), list(s.compared[c])])", name):
            size = max(abs(a) for a in exact if a is not None)
            for t, a, b, is_away in zip(times, exact, compared, away):
                if is_away:
                    close(a, b, 2e-3 * size, f"derivative and difference of {name} at {t}")
    check_running_costs(list_of)
    check_plot_picture(len(events))
    run("report", f"{SCENES}/five_bar.json", "-o", page, "--differences", "0", code=2)


def check_running_costs(list_of):
    """The cost of a velocity is the way: z1 = y - y(0), and so are its derivatives; at the end they are those of the table."""
    z, y, dz, dy = js(list_of + "const z = find('cost z1'), y = find('y(P2)'); return [list(z.values), list(y.values), z.gradient.map(list), y.gradient.map(list)]")
    known = [k for k, value in enumerate(z) if value is not None]
    assert len(known) == len(z) - js("return saltus.document.events.length"), "costs are not known but just before events"
    for k in known:
        close(z[k], y[k] - y[0], 1e-6, "the cost z1 as it grows")
        for c in (0, 1):
            close(dz[c][k], dy[c][k], 1e-6 * (1 + max(map(abs, dy[c]))), "its derivatives")
    cost = js("return saltus.document.costs[0]")
    close(z[-1], cost["value"], 1e-6, "its end")


def check_plot_picture(events):
    """A plot as a picture of its own: its lines with their gaps, those of its derivatives, differences thin, marks at events."""
    drawn, lines, thin, marks = js("""const plot = saltus.plots.shown.find((p) => p.series.name === "vy(P2)"), svg = saltus.plots.pictureOf(plot);
        return [svg.outerHTML, [...svg.querySelectorAll("g path")].map((p) => p.getAttribute("d")), svg.querySelectorAll("g path[stroke-dasharray]").length,
            svg.querySelectorAll("path.event").length]""")
    assert "NaN" not in drawn and "vy(P2) [m/s]" in drawn and "t [s]" in drawn
    assert len(lines) == 5 and thin == 2 and marks == 2 * events, (len(lines), thin, marks)
    assert lines[0].count("M") == events + 1, "a jump is not a gap"


def check_modes():
    """Each mode is a motion about the equilibrium along its shape."""
    page = f"{WORK}/modes.html"
    found = json.loads(run("modes", f"{SCENES}/five_bar.json", "--report", page, "--json"))
    show(page)
    rest = js("return saltus.placesAt(0)")
    page_browser.picture("report_modes")
    assert js("return document.querySelectorAll('#mode option').length") == len(found["modes"]) + 1
    for k, mode in enumerate(found["modes"]):
        js("const m = document.getElementById('mode'); m.value = arguments[0]; m.dispatchEvent(new Event('change'))", str(k))
        until("return saltus.stage.sway.phase > 0.3", "the mode does not move")
        shown, (amplitude, phase) = js("return [saltus.shownPlaces(), [saltus.stage.sway.amplitude, saltus.stage.sway.phase]]")
        for name, (re, im) in mode["shape"].items():
            axis, point = "xy".index(name[0]), name[2:-1]
            expected = amplitude * (re * math.cos(phase) - im * math.sin(phase))
            close(shown[point][axis] - rest[point][axis], expected, 1e-9, f"mode {k + 1}: {name}")


def measure():
    """20,000 frames and 50 series: how large, and how long until it can be used. Printed, not judged by a clock."""
    scene = {"saltus": 1, "name": "many frames", "points": {"P": {"at": [0, 1], "velocity": [1, 2]}}, "gravity": [0, -9.81],
             "bodies": {"m": {"type": "point_mass", "point": "P", "mass": 1}}, "parameters": {"a": 1},
             "outputs": {f"o{k}": f"a*sin({k + 1}*t)" for k in range(50)}, "simulation": {"duration": 2, "output": 1e-4}}
    path, page = f"{WORK}/many.json", f"{WORK}/many.html"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scene, file)
    run("report", path, "-o", page)
    started = time.time()
    show(page)
    frames, series = js("return [saltus.frames, saltus.document.series.length]")
    assert frames >= 20000 and series >= 50, (frames, series)
    print(f"{frames} frames, {series} series: {os.path.getsize(page) / 1e6:.1f} MB, opens in {time.time() - started:.2f} s")


try:
    five_bar = check_scene("five_bar_impact")
    page_browser.picture("report")
    check_use(*five_bar)
    check_drawn()
    check_names()
    check_plots()
    check_media()
    check_quiet(f"{WORK}/five_bar_impact.html")
    check_shows(*five_bar)
    check_phase(five_bar[0])
    check_range()
    check_scene("five_bar")
    check_scene("compass_gait")
    check_contacts()
    check_between()
    check_markers()
    check_hostile()
    check_plain_run()
    check_studies()
    check_searches()
    check_differences()
    measure()
finally:
    browser.quit()
