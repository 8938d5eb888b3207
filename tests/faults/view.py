#!/usr/bin/env python3
"""view.py SALTUS FAULTS.so SCENES STRIDE [FIRST] - lets allocations fail while saltus view serves: every STRIDE-th, from
FIRST on. What a page asks for is answered whole, or not with 200, or says that memory is lacking; the server goes on, or
ends with a message. Prints how many faults there were, and what was wrong."""
import http.client
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

SALTUS, FAULTS, SCENES = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
STRIDE = int(sys.argv[4])
FIRST = int(sys.argv[5]) if len(sys.argv) > 5 else 1
SCENE = (SCENES / "bouncing_ball.json").read_bytes()
ASKED = [("GET", "/"), ("GET", "/scene"), ("GET", "/schema"), ("POST", "/work?task=run"), ("POST", "/work?task=sens"),
         ("POST", "/work?task=equilibrium"), ("POST", "/report?task=run"), ("POST", "/save")]


def ask(port, key, method, what):
    """(code, body, heads), None where the connection broke."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    heads = {"If-Match": "*"} if what == "/save" else {}
    if method == "POST":
        heads["Content-Type"] = "application/json"
    try:
        link.request(method, f"/{key}{what}", SCENE if method == "POST" else None, heads)
        answer = link.getresponse()
        heads = sorted(head for head in answer.getheaders() if head[0] not in ("Date", "Content-Length"))
        return answer.status, without_clock(answer.read()), heads
    except (OSError, http.client.HTTPException):
        return None
    finally:
        link.close()


def without_clock(body):
    """An answer of numbers begins with the length of its head; they come at the next multiple of eight."""
    if body[4:5] == b"{":
        length = int.from_bytes(body[:4], "little")
        body = body[4:4 + length] + body[4 + length + -(4 + length) % 8:]
    return re.sub(rb'("[a-z_]*seconds"|"wall"|"ms"):\s*[0-9.e+-]+|[0-9.e+-]+ ms', b"", body)


def session(fault=None):
    """(answers, exit code, stderr, allocations)"""
    environment = dict(os.environ, LD_PRELOAD=str(FAULTS), FAULT_REPORT="report", OPENBLAS_NUM_THREADS="1")
    if fault:
        environment["FAULT_ALLOCATION"] = str(fault)
    pathlib.Path("scene.json").write_bytes(SCENE)
    pathlib.Path("report").unlink(missing_ok=True)
    view = subprocess.Popen([SALTUS, "view", "scene.json", "--no-browser"], env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    address = re.match(rb"http://127.0.0.1:(\d+)/([0-9a-f]+)/", view.stdout.readline())
    answers = [ask(int(address[1]), address[2].decode(), *asked) for asked in ASKED] if address else []
    view.send_signal(signal.SIGINT)
    _, err = view.communicate(timeout=30)
    count = int(pathlib.Path("report").read_text().split()[1]) if pathlib.Path("report").exists() else 0
    return answers, view.returncode, err, count


def judge(fault, usual):
    answers, code, err, _ = session(fault)
    wrong = []
    if code < 0 or code >= 128 and code != 130 or code == 1:
        wrong.append(f"exit code {code}: {err[-200:]!r}")
    if code not in (0, 130) and not err:
        wrong.append(f"exit code {code} without a message")
    if code in (0, 130) and len(answers) < len(ASKED):
        wrong.append(f"exit code {code} without an address")
    for (method, what), answer, other in zip(ASKED, answers, usual):
        if answer and answer[0] == 200 and answer[1] != other[1] and b"memory" not in answer[1]:
            wrong.append(f"{method} {what}: answered with 200, and not whole")
        if answer and answer[0] == 200 and answer[2] != other[2]:
            wrong.append(f"{method} {what}: answered with 200, and not all heads")
    return wrong


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    usual, code, _, allocations = session()
    again = session()[0]
    assert code in (0, 130) and all(a and a[0] == 200 for a in usual), (code, usual)
    assert usual == again, [what for what, a, b in zip(ASKED, usual, again) if a != b]
    faults = failed = 0
    for number in range(FIRST, allocations + 1, STRIDE):
        for text in judge(number, usual):
            print(f"WRONG view (ALLOCATION {number}): {text}", flush=True)
            failed += 1
        faults += 1
    os.chdir("/")
print(f"{faults} faults of {allocations} allocations, {failed} wrong")
sys.exit(failed > 0)
