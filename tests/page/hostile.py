"""hostile.py SALTUS SCENES WORK - what strangers may try with saltus view: it is refused or survived, and nothing but the
page and the scene at hand is ever sent."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

SALTUS, SCENES, WORK = sys.argv[1:4]
PATH = f"{WORK}/scene.json"
JSON = {"Content-Type": "application/json"}


def start(*words):
    process = subprocess.Popen([SALTUS, "view", PATH, "--no-browser", *words], stdout=subprocess.PIPE, text=True)
    address = process.stdout.readline().strip()
    found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", address)
    assert found, address
    return process, int(found[1]), found[2]


def ask(path, method="GET", headers=None, body=None, host=None, wait=20):
    """The code and the body of an answer; 0: the connection was closed."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=wait)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", host or f"127.0.0.1:{PORT}")
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        if body is not None and "Transfer-Encoding" not in (headers or {}) and "Content-Length" not in (headers or {}):
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (ConnectionError, http.client.HTTPException):
        return 0, b""
    finally:
        connection.close()


def alive():
    code, body = ask(f"/{KEY}/scene")
    assert code == 200 and body == SCENE, "it does not live any more"


def refused(code, what, expected=(403,)):
    assert code[0] in expected, f"{what}: {code[0]}"
    assert SCENE[:40] not in code[1] and b"saltus-view" not in code[1], f"{what}: it is told what it should not know"


def check_key():
    for path in ("/", "/scene", "/work?task=run", "/" + "0" * 32 + "/", f"/{KEY[:-1]}/", f"/{KEY[:-1]}0x/", f"/{KEY}", f"/{KEY.upper()}/" if KEY.upper() != KEY else "/x/"):
        refused(ask(path), path)
    refused(ask("/save", "POST", {**JSON, "If-Match": "*"}, b"{}"), "save without the key")
    refused(ask("/" + "a" * 40000), "a long path", (0, 400, 403, 414, 431))


def check_places():
    """Nothing but the page and the scene."""
    for path in ("../", "../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc%2fpasswd", "/etc/passwd", "scene/../../x", "scene.json", "report", "work", "save", "favicon.ico", "\\..\\x"):
        refused(ask(f"/{KEY}/{path}"), path, (404, 403, 400))
        code, body = ask(f"/{KEY}/{path}")
        assert b"root:" not in body
    refused(ask(f"/../{KEY}/scene"), "/../", (403, 400))
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "HEAD", "PATCH"):
        refused(ask(f"/{KEY}/scene", method), method, (0, 400, 405, 403, 501))


def check_others():
    """Pages of others: another Host, another Origin, a form without a type."""
    for host in ("evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", "", f"127.0.0.1:{PORT}.evil.example"):
        refused(ask(f"/{KEY}/scene", host=host or " "), f"Host {host}", (403, 400))
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{PORT}", f"http://127.0.0.1:{PORT + 1}", f"http://127.0.0.1:{PORT}.evil.example", "file://"):
        refused(ask(f"/{KEY}/scene", headers={"Origin": origin}), f"Origin {origin}")
        refused(ask(f"/{KEY}/work?task=run", "POST", {**JSON, "Origin": origin}, SCENE), f"Origin {origin}")
    refused(ask(f"/{KEY}/scene", headers={"Sec-Fetch-Site": "cross-site"}), "a foreign page")
    refused(ask(f"/{KEY}/work?task=run", "POST", {"Content-Type": "text/plain"}, SCENE), "a form", (415,))
    refused(ask(f"/{KEY}/save", "POST", JSON, b"{}"), "saving without a stamp", (428,))
    refused(ask(f"/{KEY}/save", "POST", {**JSON, "If-Match": "1-2"}, b"{}"), "saving over another text", (412,))
    assert ask(f"/{KEY}/scene", headers={"Origin": f"http://127.0.0.1:{PORT}"})[0] == 200
    assert ask(f"/{KEY}/scene", host=f"localhost:{PORT}")[0] == 200
    alive()


def check_headers():
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=10)
    connection.request("GET", f"/{KEY}/")
    answer = connection.getresponse()
    headers = {name.lower(): value for name, value in answer.getheaders()}
    answer.read()
    connection.close()
    assert "default-src 'none'" in headers["content-security-policy"] and "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer" and headers["cache-control"] == "no-store"
    assert not any(name.startswith("access-control") for name in headers)


def check_large():
    """As much as a scene may have is read. A body of 1 GB, told or not told beforehand: cut off, and the memory stays small."""
    most = 16 << 20
    assert ask(f"/{KEY}/work?task=run", "POST", JSON, SCENE + b" " * (most - len(SCENE)))[0] == 200
    refused(ask(f"/{KEY}/work?task=run", "POST", JSON, SCENE + b" " * (most - len(SCENE) + 1)), "more than a scene may have", (413, 0))
    refused(ask(f"/{KEY}/work?task=run", "POST", {**JSON, "Content-Length": str(1 << 30)}, b"{"), "1 GB", (413, 0))
    link = socket.create_connection(("127.0.0.1", PORT), timeout=20)
    link.sendall(f"POST /{KEY}/work?task=run HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
    piece, sent = b"100000\r\n" + b"a" * (1 << 20) + b"\r\n", 0
    try:
        while sent < 1 << 30:
            link.sendall(piece)
            sent += 1 << 20
    except OSError:
        pass
    link.close()
    assert sent < 200 << 20, f"{sent >> 20} MB were taken"
    with open(f"/proc/{PROCESS.pid}/status", encoding="utf-8") as file:
        most = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1])
    assert most < 400 << 10, f"{most >> 10} MB of memory"
    alive()


def check_broken():
    """Texts that are no scenes are answered with their errors."""
    for text in (b"", b"{", b"\x00\xff\xfe", b"[" * 100000, b"{}" * 1000, b'{"saltus": 1e999}', "{\"name\": \"é\u2028\"}".encode()):
        code, body = ask(f"/{KEY}/work?task=run&page=broken&number=1", "POST", JSON, text)
        told = json.loads(body[4:4 + int.from_bytes(body[:4], "little")])
        assert code == 200 and told["errors"] and "format" not in told, text[:20]
    for query in ("", "?task=rm", "?task=run%00", "?task="):
        assert ask(f"/{KEY}/work{query}", "POST", JSON, SCENE)[0] in (400, 200)
    for line in (b"GET / HTTP/9.9\r\n\r\n", b"\r\n\r\n\r\n", b"\x16\x03\x01\x02\x00", b"GET " + b"/" * 70000 + b" HTTP/1.1\r\n\r\n"):
        link = socket.create_connection(("127.0.0.1", PORT), timeout=10)
        link.sendall(line)
        link.close()
    alive()


def check_many():
    """A thousand requests at once."""
    codes, lock = [], threading.Lock()

    def one(k):
        try:
            code = ask(f"/{KEY}/work?task=sens&page=p{k % 50}&number={k}", "POST", JSON, SCENE, wait=60)[0]
        except OSError:
            code = 0
        with lock:
            codes.append(code)

    threads = [threading.Thread(target=one, args=(k,)) for k in range(1000)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert set(codes) <= {200, 409, 0} and codes.count(200) > 0, {c: codes.count(c) for c in set(codes)}
    alive()
    print({c: codes.count(c) for c in sorted(set(codes))}, "of a thousand requests at once")


def check_silent():
    """Connections that say nothing do not lock others out."""
    links = [socket.create_connection(("127.0.0.1", PORT), timeout=30) for _ in range(30)]
    for link in links:
        link.sendall(b"GET /")
    alive()
    for link in links:
        link.close()


def check_gone():
    """Who goes in the middle of a run leaves nothing running; a later request of a page stops an earlier one."""
    slow = json.loads(SCENE)
    slow["simulation"].update(duration=1e6, output=100)
    body = json.dumps(slow).encode()
    links = []
    for k in range(8):
        link = socket.create_connection(("127.0.0.1", PORT), timeout=10)
        link.sendall(f"POST /{KEY}/work?task=run&page=g{k}&number=1 HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        links.append(link)
    time.sleep(0.3)
    for link in links:
        link.close()
    started = time.time()
    assert ask(f"/{KEY}/work?task=run&page=after&number=1", "POST", JSON, SCENE)[0] == 200
    assert time.time() - started < 2, "the runs of those who have gone go on"
    codes = []
    first = threading.Thread(target=lambda: codes.append(ask(f"/{KEY}/work?task=run&page=same&number=1", "POST", JSON, body)[0]))
    first.start()
    time.sleep(0.3)
    started = time.time()
    assert ask(f"/{KEY}/work?task=run&page=same&number=2", "POST", JSON, SCENE)[0] == 200
    first.join()
    assert codes == [409] and time.time() - started < 2, (codes, time.time() - started)
    alive()


def check_save():
    """A file that may not be written stays; one that is gone is made again where that is wanted, and only there."""
    save = lambda stamp, body: ask(f"/{KEY}/save", "POST", {**JSON, "If-Match": stamp}, body)[0]
    os.chmod(PATH, 0o444)
    if os.geteuid() != 0:  # who may everything is not refused
        assert save("*", b"{}") == 500
        alive()
    os.remove(PATH)
    assert ask(f"/{KEY}/scene")[0] == 404 and save("1-2", SCENE) == 500 and not os.path.exists(PATH)
    os.symlink(f"{WORK}/nowhere", PATH)
    assert save("*", SCENE) == 500 and os.path.islink(PATH), "a link that leads nowhere"
    os.remove(PATH)
    assert save("*", SCENE) == 200
    alive()


def check_end():
    """Ctrl-C ends it in the middle of a run, at once."""
    slow = json.loads(SCENE)
    slow["simulation"].update(duration=1e6, output=100)
    thread = threading.Thread(target=lambda: ask(f"/{KEY}/work?task=run&page=end&number=1", "POST", JSON, json.dumps(slow).encode()))
    thread.start()
    time.sleep(0.3)
    started = time.time()
    PROCESS.send_signal(signal.SIGINT)
    assert PROCESS.wait(10) == 0 and time.time() - started < 3, "it does not end"
    thread.join()
    with open(PATH, "rb") as file:
        assert file.read() == SCENE, "the scene was written"
    assert sorted(os.listdir(WORK)) == ["scene.json"], os.listdir(WORK)


shutil.copy(f"{SCENES}/five_bar_impact.json", PATH)
with open(PATH, "rb") as scene_file:
    SCENE = scene_file.read()
PROCESS, PORT, KEY = start()
try:
    check_key()
    check_places()
    check_others()
    check_headers()
    check_broken()
    check_large()
    check_silent()
    check_many()
    check_gone()
    check_save()
    check_end()
    again = start()
    assert again[2] != KEY, "the key is the same"
    again[0].kill()
finally:
    PROCESS.kill()
