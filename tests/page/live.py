"""live.py SALTUS SCENES WORK - starts saltus view, uses it as a designer would, and compares what it shows with what the
command says of the same scene."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import Browser, Command, close, read_csv

SALTUS, SCENES, WORK = sys.argv[1:4]
run = Command(SALTUS)
page = Browser()
browser, js, press, until, picture = page.driver, page.js, page.press, page.until, page.picture
EXACT = 1e-12  # numbers of the view are doubles
READY = "return window.saltus?.view?.page != null && !saltus.view.work.now && !saltus.view.work.next"


class Server:
    """saltus view of a copy of a scene."""

    started = []

    def __init__(self, scene, *words, name=None):
        self.path = f"{WORK}/{name or scene}.json"
        shutil.copy(f"{SCENES}/{scene}.json", self.path)
        self.process = subprocess.Popen([SALTUS, "view", self.path, "--no-browser", *words], stdout=subprocess.PIPE, text=True)
        Server.started.append(self.process)
        self.address = self.process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", self.address), self.address

    def read(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def write(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(10) == 0, "Ctrl-C does not end it cleanly"


def find(name):
    return browser.find_element(By.ID, name)


def settle():
    until(READY, "no answer came")


def text():
    return js("return saltus.view.text")


def states_of(scene_text):
    """The rows of states.csv of a text."""
    path = f"{WORK}/check.json"
    with open(path, "w", encoding="utf-8") as file:
        file.write(scene_text)
    run("run", path, "--output", f"{WORK}/check")
    return read_csv(f"{WORK}/check/states.csv")


def check_shown(what):
    """Every frame that is shown is a row of what the command computes of the text that is shown."""
    rows = states_of(text())
    frames = js("const list = []; for (let k = 0; k < saltus.frames; k++) list.push([saltus.frame(k), saltus.placesAt(k)]); return list;")
    assert len(frames) == len(rows), f"{what}: {len(frames)} frames, {len(rows)} rows"
    for (frame, places), row in zip(frames, rows):
        assert frame["t"] == float(row["t"]) and frame["segment"] == int(row["segment"])
        for name in row:
            if name.startswith(("x(", "y(")):
                close(places[name[2:-1]]["xy".index(name[0])], float(row[name]), EXACT, f"{what}: {name} at {frame['t']}")
    assert js("return document.querySelectorAll('#errors .error').length") == 0


def slide(number, position):
    js("const s = document.getElementById('live-' + arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('input'))", number, position)


# ---------------------------------------------------------------------------------------------------------------- use


def check_time():
    """Plays, scrubs, steps from event to event, zooms."""
    find("stage").click()
    press(Keys.HOME)
    press(" ")
    until("return saltus.player.t > 0.02", "it does not play")
    press(" ")
    assert not js("return saltus.player.playing"), "it does not pause"
    press(Keys.HOME)
    events = js("return saltus.document.events.map((e) => e.t)")
    for t in events:
        press("]")
        assert js("return saltus.player.t") == t, f"the event at {t} is not stepped to"
    line = find("timeline")
    ActionChains(browser).move_to_element(line).click().perform()
    close(js("return saltus.player.t / saltus.player.motion.end"), 0.5, 0.02, "a click in the middle of the time line")
    scale = js("return saltus.stage.view.scale")
    press("+")
    assert js("return saltus.stage.view.scale") > scale
    press("0")
    press(Keys.HOME)


def check_sliders(server):
    """A slider runs the scene with another value; undo and redo; nothing is written."""
    before = text()
    names = js("return [...document.querySelectorAll('.live-parameter label')].map((l) => l.textContent)")
    assert names == list(json.loads(before)["parameters"]), names
    low, high, steps = 5 ** 0.5 / 2, 5 ** 0.5 * 2, 1000
    for position in (340, 360, 380, 400):
        slide(0, position)
    until("return saltus.document.parameters.L01 === Number(arguments[0])", "the slider does nothing", f"{low + (high - low) * 400 / steps:.6g}")
    settle()
    check_shown("after the slider")
    changed = text()
    assert re.sub(r'"L01": [^,]*,', "", changed) == re.sub(r'"L01": [^,]*,', "", before), "more than the number has changed"
    assert server.read() == before, "the file was written without being asked"
    press(Keys.ESCAPE)
    ActionChains(browser).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    settle()
    assert text() == before, "undo does not bring the text back"
    check_shown("after undo")
    find("redo").click()
    settle()
    assert text() == changed
    find("undo").click()
    settle()
    field = find("live-1-value")
    field.send_keys(Keys.CONTROL + "a")
    field.send_keys("2.1", Keys.ENTER)
    until("return saltus.document.parameters.L02 === 2.1", "a number that was typed does nothing")
    find("undo").click()
    settle()
    assert text() == before


def check_drag():
    """A point that is dragged: its `at` changes, and the mechanism is assembled from there."""
    js("saltus.player.pause(); saltus.player.set(0)")
    x, y = js("const k = saltus.document.places.findIndex((p) => p.name === 'P1'); return saltus.stage.toScreen(saltus.stage.pose.at[2 * k], saltus.stage.pose.at[2 * k + 1])")
    stage = find("stage")
    size = stage.size
    start = (round(x - size["width"] / 2), round(y - size["height"] / 2))
    ActionChains(browser).move_to_element_with_offset(stage, *start).click_and_hold().move_by_offset(-20, 10).move_by_offset(-10, 5).release().perform()
    until("return saltus.view.text !== saltus.view.file.written", "dragging changes nothing")
    settle()
    at = json.loads(text())["points"]["P1"]["at"]
    wanted = js("return saltus.stage.toWorld(...arguments)", size["width"] / 2 + start[0] - 30, size["height"] / 2 + start[1] + 15)
    for axis in (0, 1):
        close(at[axis], wanted[axis], 2 / js("return saltus.stage.view.scale"), "where it was dragged to")
    check_shown("after dragging")
    picture("dragged")
    js("saltus.player.set(0.5)")
    k = js("return saltus.document.places.findIndex((p) => p.name === 'P1')")
    x, y = js("return saltus.stage.toScreen(saltus.stage.pose.at[2 * arguments[0]], saltus.stage.pose.at[2 * arguments[0] + 1])", k)
    ActionChains(browser).move_to_element_with_offset(stage, round(x - size["width"] / 2), round(y - size["height"] / 2)).click().perform()
    assert "Home" in js("return document.getElementById('state').textContent"), "why a point cannot be dragged is not said"
    js("saltus.player.set(0)")
    find("undo").click()
    settle()
    assert text() == js("return saltus.view.file.written"), "a drag is one change"
    js("const m = document.getElementById('move-point'); m.value = 'P1'; m.dispatchEvent(new Event('change'))")
    press("l")
    settle()
    moved = json.loads(text())["points"]["P1"]["at"]
    close(moved[0], -1.5 + 1 / js("return saltus.stage.view.scale"), 1e-3, "the key l")
    check_shown("after a key")
    find("undo").click()
    settle()


def hold_point(name):
    """The pointer on a point, by events: hand(type, x, y) are then places in the picture, and P where the point was."""
    js("""const s = saltus.stage, k = s.named.get(arguments[0]), canvas = s.canvas;
        canvas.setPointerCapture = () => {};
        window.P = s.toScreen(s.pose.at[2 * k], s.pose.at[2 * k + 1]);
        window.hand = (type, x, y) => {
            const box = canvas.getBoundingClientRect();
            canvas.dispatchEvent(new PointerEvent(type, { isPrimary: true, pointerId: 1, clientX: box.left + x, clientY: box.top + y, bubbles: true, cancelable: true }));
        };""", name)


def place_of(name):
    return json.loads(text())["points"][name]["at"]


def check_hand():
    """The view does not move while a point is held, a point that is taken beside does not jump, a key moves one coordinate."""
    js("saltus.stage.fit(); saltus.player.pause(); saltus.player.set(0)")
    before, start = text(), place_of("A")
    hold_point("A")
    scale = js("hand('pointerdown', ...P); return saltus.stage.view.scale")
    for k in range(1, 12):
        js("hand('pointermove', P[0] - 60 * arguments[0], P[1])", k)
        settle()
        assert js("return saltus.stage.view.scale") == scale, "the view moves under the hand"
        close((place_of("A")[0] - start[0]) * scale, -60 * k, 1, "a point that is dragged runs away from the hand")
    js("hand('pointerup', P[0] - 660, P[1])")
    assert js("return saltus.stage.fits()"), "the view does not follow when the point is released"
    js("saltus.view.change(arguments[0], null, 'test')", before)
    settle()
    start = place_of("P1")
    hold_point("P1")
    js("hand('pointerdown', P[0] + 9, P[1]); hand('pointermove', P[0] + 11, P[1]); hand('pointerup', P[0] + 11, P[1])")
    close((place_of("P1")[0] - start[0]) * js("return saltus.stage.view.scale"), 2, 0.5, "a point that is taken beside jumps")
    settle()
    js("saltus.view.change(arguments[0], null, 'test')", before.replace("[-1.5, -1]", "[-1.5123456789, -1]"))
    settle()
    js("saltus.view.drag.choose('P1')")
    press("i")
    assert place_of("P1")[0] == -1.5123456789 and place_of("P1")[1] > -1, place_of("P1")
    js("saltus.view.change(arguments[0], null, 'test')", before)
    settle()
    js("delete saltus.stage.canvas.setPointerCapture; saltus.view.drag.choose(''); saltus.stage.fit()")


def check_lines():
    """What is wrong is said where it belongs, marked in the picture, and goes when it is over."""
    trouble = "return document.getElementById('trouble').textContent"
    js("const v = saltus.view; v.compare = () => null.x; v.work.ask('run', v.text)")
    until(trouble, "an error of the page is not told")
    said = js(trouble)
    assert "The page" in said and "server" not in said and js("return document.body.classList.contains('stale')"), said
    js("const v = saltus.view; delete v.compare; v.file.refresh(); v.work.ask('run', v.text)")
    until("return document.getElementById('trouble').hidden && !document.body.classList.contains('stale')", "what is over is still told")
    said = [e["message"] for e in browser.get_log("browser") if e["level"] == "SEVERE"]
    assert len(said) == 1 and "null" in said[0], said
    for key in ("z", "s", "1"):  # before there is a scene
        js("""const v = saltus.view, kept = v.history;
            v.history = null;
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key: arguments[0], ctrlKey: arguments[0] !== "1", bubbles: true }));
            v.history = kept;""", key)
    assert not [e for e in browser.get_log("browser") if e["level"] == "SEVERE"], "a key before there is a scene"


def check_keys_of_sliders():
    """Every key counts, whatever answers come meanwhile: an answer to an older text does not set the slider back."""
    before = text()
    js("document.getElementById('live-2').focus()")
    start = js("return Number(document.getElementById('live-2').value)")
    js("const v = saltus.view; v.older = { ...v.page.doc, errors: [], warnings: [], seconds: 0 }; v.olderText = v.text")
    for k in range(5):
        press(Keys.ARROW_RIGHT)
        js("const v = saltus.view; v.answered(v.older, { task: 'run', text: v.olderText, asked: performance.now() })")
    settle()
    close(js("return Number(document.getElementById('live-2').value)") - start, 5, 0, "steps of a slider by keys")
    js("saltus.view.change(arguments[0], null, 'test')", before)
    settle()


def type_at(needle, typed, back=0):
    """Types behind a piece of the text."""
    area = find("scene-text")
    area.click()
    js("const a = arguments[0], at = a.value.indexOf(arguments[1]) + arguments[1].length; a.setSelectionRange(at, at)", area, needle)
    area.send_keys(*([Keys.BACKSPACE] * back), typed)


def check_typing():
    """An error is marked where it is, the last good picture stays; mended, it is shown again."""
    before, frames = text(), js("return saltus.frames")
    type_at('"mass": 1.5', "x")
    until("return document.querySelectorAll('#errors .error').length > 0", "an error is not told")
    settle()
    line = next(k for k, words in enumerate(text().split("\n"), 1) if "1.5x" in words)
    told = js("return document.querySelector('#errors .error').textContent")
    assert told.startswith(f"{line}:"), f"{told}: expected line {line}"
    assert js("return document.querySelectorAll('.backdrop u').length") >= 1, "it is not underlined"
    assert js("return saltus.frames") == frames, "the last good picture is gone"
    picture("error")
    find("scene-text").send_keys(Keys.BACKSPACE)
    until("return document.querySelectorAll('#errors .error').length === 0", "the error stays after it is mended")
    settle()
    assert text() == before
    check_shown("after mending")
    type_at('"points": ["A"', "X", back=1)
    until("return document.querySelectorAll('#errors .error').length > 0", "an unknown point is not told")
    assert "bodies.bar1" in js("return document.querySelector('#errors .error').textContent")
    ActionChains(browser).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    settle()
    assert text() == before, "undo after typing"


def check_completion():
    """What can stand at the caret comes from the schema, and from the scene."""
    before = text()
    type_at('"type": "spring", "points": ["B", "P1"]', ', "st')
    until("return !document.getElementById('completion').hidden", "nothing is suggested")
    words = js("return [...document.querySelectorAll('#completion b')].map((b) => b.textContent)")
    assert words == [] or "type" not in words, words
    press(Keys.ESCAPE)
    type_at('"points": ["B", "P1"], "st', "", back=2)
    type_at('"points": ["B", "P1"], "', "dam")
    until("return [...document.querySelectorAll('#completion b')].some((b) => b.textContent === 'damping')", "damping is not suggested for a spring")
    picture("completion")
    press(Keys.ENTER)
    assert '"damping": ' in text()
    press("2")
    press(",")
    type_at('"damping": 2,', "", back=1)
    settle()
    assert json.loads(text())["joints"]["spring1"]["damping"] == 2
    check_shown("with a damper")
    js("saltus.view.change(arguments[0], null, 'test')", before)
    settle()
    offered = """const e = saltus.view.editor, [text, caret] = arguments, kept = e.text;
        e.area.value = text;
        e.area.setSelectionRange(caret, caret);
        e.suggest(true);
        const words = e.popup.hidden ? [] : e.items.map((i) => i.text);
        e.closeList();
        e.area.value = kept;
        return words;"""
    for piece, some, none in (
            ('{ "po|', ["points"], ["bodies"]), ('{ "saltus": 1, "simulation": { "|', ["duration", "rtol"], ["points"]),
            ('{ "joints": { "s": { "type": "|', ["spring", "revolute"], ["bar", "ground"]), ('{ "bodies": { "b": { "type": "b|', ["bar"], ["spring"]),
            ('{ "bodies": { "b": { "type": "bar", "|', ["mass", "points", "length"], ["type", "stiffness"]),
            ('{ "points": { "P": { "at": [0, 1], "|', ["fixed", "velocity", "dof"], ["at"]), ('{ "points": { "P": { "at": [0, 1], "fixed": |', ["true", "false"], []),
            ('{ "simulation": { "form": "|', ["index1", "penalty", "index3"], []), ('{ "bodies": { "b": { "type": "bar", "points": ["A", "|', ["P1", "P2", "P3"], ["L01"]),
            ('{ "joints": { "s": { "type": "spring", "length": "L|', ["L01", "L02"], ["P1"])):
        words = js(offered, piece.replace("|", ""), piece.index("|"))
        assert set(some) <= set(words) and not set(none) & set(words), f"{piece}: {words}"


def check_save(server):
    """Saving writes the text as it is; a file that somebody else changed is not overwritten, and is followed."""
    before = server.read()
    slide(0, 400)
    settle()
    ActionChains(browser).key_down(Keys.CONTROL).send_keys("s").key_up(Keys.CONTROL).perform()
    until("return document.getElementById('save').textContent === 'saved'", "it is not saved")
    saved = server.read()
    assert saved == text() != before and '"//"' in saved, "the file is not the text"
    other = saved.replace('"restitution": 0.7', '"restitution": 0.6')
    server.write(other)
    until("return saltus.view.text.includes('\"restitution\": 0.6')", "the view does not follow the file")
    settle()
    check_shown("after a change on disk")
    slide(0, 420)
    settle()
    mine = text()
    server.write(other.replace("0.6", "0.65"))
    until("return document.getElementById('take-file') !== null", "that both have changed is not told")
    js("saltus.view.file.save()")
    time.sleep(0.3)
    assert "0.65" in server.read(), "a file that was changed meanwhile is overwritten"
    said = [e["message"] for e in browser.get_log("browser") if e["level"] == "SEVERE"]
    assert len(said) == 1 and "412" in said[0], said  # the browser's own word for the refusal
    picture("conflict")
    find("keep-mine").click()
    until("return document.getElementById('save').textContent === 'saved'", "it cannot be written over")
    assert server.read() == mine
    slide(0, 430)
    settle()
    js("saltus.view.file.save(); saltus.view.file.save()")
    until("return document.getElementById('save').textContent === 'saved'", "it is not saved by two saves")
    time.sleep(0.3)
    assert js("return document.getElementById('notice').hidden && saltus.view.file.other === null"), "two saves are a conflict"
    server.write(before)
    until("return saltus.view.text === arguments[0]", "the view does not follow the file back", before)
    settle()


def check_file(server):
    """A file that is gone is told until it is back, or written again; one that is not UTF-8 is left as it is."""
    before, notice = server.read(), "return document.getElementById('notice').textContent"
    os.rename(server.path, f"{server.path}.away")
    until("return document.getElementById('keep-mine') !== null", "that the file is gone is not told")
    os.rename(f"{server.path}.away", server.path)
    until("return document.getElementById('notice').hidden", "that the file is back is not seen")
    os.remove(server.path)
    until("return document.getElementById('keep-mine') !== null", "that the file is gone is not told")
    find("keep-mine").click()
    until("return document.getElementById('notice').hidden && document.getElementById('save').textContent === 'saved'", "it is not written again")
    assert server.read() == before
    strange = before.encode().replace(b'"name": "', b'"name": "\xe9')
    with open(server.path, "wb") as file:
        file.write(strange)
    until(notice + ".includes('UTF-8')", "a file that is not UTF-8 is not told")
    assert text() == before, "what is not UTF-8 is taken as something else"
    server.write(before)
    until("return document.getElementById('notice').hidden", "that the file is text again is not seen")
    said = [e["message"] for e in browser.get_log("browser") if e["level"] == "SEVERE"]
    assert said and all("404" in words for words in said), said  # the browser's own word for what is not there


def check_tasks():
    """Derivatives, equilibrium and modes by their buttons, with the numbers of the command."""
    find("task-sens").click()
    until("return saltus.document.wrt.length > 0", "there are no derivatives")
    settle()
    path = f"{WORK}/check.json"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text())
    run("sens", path, "--output", f"{WORK}/check")
    rows = read_csv(f"{WORK}/check/sensitivities.csv")
    columns = js("return saltus.document.places.filter((p) => p.kind === 'free').map((p) => [p.name, p.dx.map((c) => Array.from({ length: saltus.frames }, (x, k) => c.at(k)))])")
    names = js("return saltus.document.wrt.map((w) => w.name)")
    for point, by in columns:
        for name, column in zip(names, by):
            for value, row in zip(column, rows):
                known = float(row[f"d x({point})/d {name}"])
                close(value, known, EXACT * (1 + abs(known)), f"d x({point})/d {name}")
    until("return document.getElementById('parameter-0') !== null", "there are no sliders for the ghost")
    js("const s = document.getElementById('parameter-0'); s.value = 50; s.dispatchEvent(new Event('input'))")
    assert js("return saltus.ghost.active"), "there is no ghost"
    picture("ghost")
    find("task-equilibrium").click()
    until("return saltus.document.study?.title === 'Equilibrium'", "there is no equilibrium")
    found = json.loads(run("equilibrium", path, "--json"))
    places = js("return saltus.placesAt(0)")
    for name, item in found["positions"].items():
        close(places[name[2:-1]]["xy".index(name[0])], item["value"], EXACT, f"equilibrium: {name}")
    find("task-modes").click()
    until("return saltus.document.study?.title === 'Modes'", "there are no modes")
    known = [m["frequency"] for m in json.loads(run("modes", path, "--json"))["modes"]]
    assert js("return saltus.document.study.summary.modes.map((m) => m.frequency)") == known
    picture("modes")
    find("task-cycle").click()
    until("return document.querySelectorAll('#errors .error').length > 0", "a scene without a cycle does not say so")
    find("task-run").click()
    until("return !saltus.document.study && document.querySelectorAll('#errors .error').length === 0", "the motion does not come back")
    settle()


def check_pin():
    """A design that is pinned stays beside later ones: that of the picture, whatever the text is."""
    before = text()
    js("saltus.view.change(saltus.view.text.replace('{', '{,'), null, 'test')")
    until("return document.body.classList.contains('stale')", "a broken text is not marked")
    settle()
    find("pin").click()
    assert js("return saltus.view.pinned.text") == before, "a picture is pinned with another text"
    find("pin").click()
    js("saltus.view.change(arguments[0], null, 'test')", before)
    settle()
    find("pin").click()
    slide(2, 300)
    settle()
    shown = js("return [...document.querySelectorAll('#comparison tr')].slice(1).map((r) => [...r.children].map((c) => c.textContent))")
    assert shown and shown[0][0] == "ground" and len(js("return saltus.stage.pinned.doc.events")) > 0
    picture("pinned")
    find("back-to-pinned").click()
    until("return saltus.view.text === saltus.view.file.written", "the way back to what was pinned")
    find("pin").click()
    assert js("return saltus.stage.pinned === null && document.getElementById('comparison').hidden")
    settle()


def check_exports():
    """The report, the picture and the table that can be taken away."""
    js("""window.kept = []; const own = URL.createObjectURL;
        URL.createObjectURL = (blob) => (blob.text().then((t) => window.kept.push([blob.type, t])), own.call(URL, blob));""")
    for what, kind in (("report", "text/html"), ("svg", "image/svg+xml"), ("csv", "text/csv")):
        js("saltus.view.export(arguments[0])", what)
        until("return window.kept.some(([type]) => type === arguments[0])", f"there is no {what}", kind)
    kept = dict(js("return window.kept"))
    assert kept["image/svg+xml"].startswith("<svg") and kept["image/svg+xml"].count("<path") > 20
    with open(f"{WORK}/kept.csv", "w", encoding="utf-8") as file:
        file.write(kept["text/csv"])
    for row, known in zip(read_csv(f"{WORK}/kept.csv"), states_of(text())):
        close(float(row["y(P2)"]), float(known["y(P2)"]), EXACT, "the table of the motion")
    with open(f"{WORK}/kept.html", "w", encoding="utf-8") as file:
        file.write(kept["text/html"])
    assert "saltus-document" in kept["text/html"] and "connect-src" not in kept["text/html"]


def check_reach():
    """Names for those who do not see it, light and dark, a phone, no motion where none is wanted."""
    unnamed = js("""return [...document.querySelectorAll("button, select, input, canvas, textarea")].filter((e) =>
        !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length || e.closest(".chart[aria-label]"))).map((e) => e.outerHTML)""")
    assert not unnamed, unnamed
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    picture("dark")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True})
    time.sleep(0.3)
    assert js("return document.documentElement.scrollWidth <= window.innerWidth"), "the page is wider than a phone"
    picture("phone")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    for key, pressed in (("2", "task-sens"), ("1", "task-run")):
        find("stage").click()
        press(key)
        until("return document.getElementById(arguments[0]).getAttribute('aria-pressed') === 'true'", f"the key {key}", pressed)
    settle()


def check_two_pages(server):
    """Two pages of one server, each with its own design."""
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    page.show(server.address, READY)
    slide(0, 500)
    settle()
    other = js("return saltus.document.parameters.L01")
    browser.switch_to.window(first)
    slide(0, 450)
    settle()
    assert js("return saltus.document.parameters.L01") != other
    check_shown("with two pages")
    find("undo").click()
    settle()
    browser.switch_to.window(next(w for w in browser.window_handles if w != first))
    js("saltus.view.undo()")
    settle()
    browser.close()
    browser.switch_to.window(first)


def check_cycle():
    """A cycle by its button; its multipliers on the unit circle."""
    server = Server("compass_gait")
    page.show(server.address, READY)
    find("task-cycle").click()
    until("return saltus.document.study?.title === 'Cycle'", "no cycle is found")
    found = json.loads(run("cycle", server.path, "--json"))
    assert js("return saltus.document.study.summary.period.value") == found["period"]["value"]
    until("return document.querySelectorAll('circle.multiplier').length === arguments[0]", "the multipliers are not shown", len(found["multipliers"]))
    picture("cycle")
    page.check_quiet(server.address)
    server.stop()


def check_slow():
    """A run that takes long does not block the page: it can be stopped, and is cut at the limit."""
    server = Server("double_pendulum", "--limit", "1")
    scene = json.loads(server.read())
    scene["simulation"]["duration"] = 1e5
    scene["simulation"]["output"] = 10
    server.write(json.dumps(scene))
    started = time.time()
    page.show(server.address, "return window.saltus?.view?.page != null")
    assert time.time() - started < 6, "the limit is not kept"
    assert js("return saltus.document.status") == "interrupted" and "cut" in js("return document.getElementById('state').textContent")
    js("saltus.view.choose('run')")
    time.sleep(0.1)
    press(Keys.ESCAPE)
    until("return !saltus.view.work.now && document.getElementById('state').textContent === 'stopped'", "it does not stop", seconds=0.8)
    assert js("return document.body.classList.contains('stale')"), "the picture before is not marked"
    server.stop()


def check_layout():
    """Tabs, ends of lines and comments stay as they are, whoever changes what."""
    server = Server("bouncing_ball")
    text_before = server.read().replace("  ", "\t").replace("\n", "\r\n")
    with open(server.path, "w", encoding="utf-8", newline="") as file:
        file.write(text_before)
    page.show(server.address, READY)
    until("return saltus.view.text === arguments[0]", "the text is not that of the file", text_before)
    area, name = find("scene-text"), json.loads(text_before)["name"]
    area.click()
    js("const a = arguments[0], at = a.value.indexOf(arguments[1]); a.setSelectionRange(at, at)", area, name)
    area.send_keys("é")
    slide(0, 600)
    settle()
    find("save").click()
    until("return document.getElementById('save').textContent === 'saved'", "it is not saved")
    with open(server.path, encoding="utf-8", newline="") as file:
        saved = file.read()
    parameter, value = next((k, v) for k, v in json.loads(saved)["parameters"].items() if k != "//")
    assert saved.count("\r\n") == text_before.count("\r\n") and saved.count("\t") == text_before.count("\t")
    old = re.search(rf'"{parameter}": *([^,\s}}]+)', text_before)
    assert saved == text_before.replace(name, "é" + name).replace(old[0], old[0].replace(old[1], str(value))), "the layout is not kept"
    server.stop()


def check_beginning():
    """A scene that is wrong at first: what is wrong is told, nothing else is shown; mended, there is a picture. How it can move,
    and a parameter that nothing depends on, are told."""
    server = Server("slider_crank", name="wrong")
    good = server.read()
    server.write(good.replace('"bodies"', '"bodys"').replace('"parameters": {', '"parameters": { "spare": 1,'))
    page.show(server.address, "return document.querySelectorAll('#errors .error').length > 0")
    shown = [name for name in ("time-panel", "plots", "side", "verdict") if find(name).is_displayed()]
    assert not shown and "mended" in find("state").text, (shown, find("state").text)
    type_at('"bodys', "ies", back=2)
    until("return saltus.view.page !== null", "there is no picture after it is mended")
    settle()
    check_shown("after mending what was wrong at first")
    assert find("plots").is_displayed() and find("verdict").is_displayed()
    until("return document.getElementById('subtitle').textContent.includes('1 degree of freedom')", "how it can move is not told")
    marked = js("return [...document.querySelectorAll('.live-parameter label.unused')].map((l) => [l.textContent, l.title])")
    assert marked == [["spare", "spare: nothing depends on it"]], marked
    js("saltus.view.file.written = saltus.view.text")
    server.stop()


def check_hostile():
    """Texts of a scene, of its file's name and of errors are texts, never markup."""
    markup = "</script><script>window.hacked=1</script><!--<script><img src=x onerror=window.hacked=2>"
    server = Server("five_bar_impact", name="<img src=x onerror=window.hacked=3>")
    scene = json.loads(server.read())
    scene["name"] = markup
    scene["//"] = markup
    server.write(json.dumps(scene))
    page.show(server.address, READY)
    until("return document.getElementById('title').textContent === arguments[0]", "the title", markup)
    for where in ("points", "bodies", "joints", "contacts", "parameters", "outputs", "costs", "memory"):
        broken = json.loads(server.read())
        broken.setdefault(where, {})[markup] = markup
        broken[markup] = markup
        js("saltus.view.change(arguments[0], null, 'test')", json.dumps(broken))
        until("return document.querySelectorAll('#errors .error').length > 0 && !saltus.view.work.now", f"{where}: the name is not refused")
        assert "<script>" in js("return document.getElementById('errors').textContent")
    js("saltus.view.change(saltus.view.file.written, null, 'test')")
    settle()
    assert js("return window.hacked") is None and js("return document.querySelectorAll('img').length") == 0
    page.check_quiet(server.address)
    server.stop()


def check_start():
    """The browser of the user is opened with the address; what cannot be is said."""
    told, script = f"{WORK}/told", f"{WORK}/browse"
    with open(script, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\ncat /proc/$$/stat /proc/$$/status >"{told}.how"\necho "$1" >"{told}.part"\nmv "{told}.part" "{told}"\n')
    os.chmod(script, 0o755)
    scene = f"{SCENES}/pendulum.json"
    os.mkdir(f"{WORK}/bin")
    os.symlink(script, f"{WORK}/bin/xdg-open")

    def start(chosen):
        process = subprocess.Popen([SALTUS, "view", scene], stdout=subprocess.PIPE, text=True, env={**os.environ, "BROWSER": chosen, "PATH": f"{WORK}/bin:{os.environ['PATH']}"})
        Server.started.append(process)
        address, end = process.stdout.readline(), time.time() + 5
        while not os.path.exists(told) and time.time() < end:
            time.sleep(0.02)
        with open(told, encoding="utf-8") as file:
            assert file.read() == address
        os.remove(told)
        return process, address

    start("nothing %s:nothing-else")[0].kill()  # a list is for xdg-open
    process, address = start(script)
    with open(f"{told}.how", encoding="utf-8") as file:
        how = file.read()
    number, group = (how.split()[k] for k in (0, 4))
    assert number == group, "Ctrl-C ends the browser as well"
    assert not int(re.search(r"SigIgn:\s*(\w+)", how)[1], 16) >> (signal.SIGPIPE - 1) & 1, "the browser does not hear of broken pipes"
    port = re.search(r":(\d+)/", address)[1]
    taken = subprocess.run([SALTUS, "view", scene, "--no-browser", "--port", port], capture_output=True, text=True, check=False)
    assert taken.returncode == 5 and f"port {port}" in taken.stderr, taken
    process.send_signal(signal.SIGTERM)
    assert process.wait(5) == 0
    run("view", f"{WORK}/nothing.json", "--no-browser", code=3)
    run("view", scene, "--port", "0", code=2)
    run("view", scene, "--set", "a=1", code=2)


try:
    check_start()
    five_bar = Server("five_bar_impact")
    page.show(five_bar.address, READY)
    picture("light")
    check_shown("at first")
    check_time()
    check_sliders(five_bar)
    check_drag()
    check_hand()
    check_keys_of_sliders()
    check_typing()
    check_lines()
    check_completion()
    check_save(five_bar)
    check_file(five_bar)
    check_tasks()
    check_pin()
    check_exports()
    check_reach()
    check_two_pages(five_bar)
    page.check_quiet(five_bar.address)
    five_bar.stop()
    check_cycle()
    check_slow()
    check_layout()
    check_beginning()
    check_hostile()
finally:
    page.quit()
    for process in Server.started:
        process.kill()
