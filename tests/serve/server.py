#!/usr/bin/env python3
"""`trainyard serve` as its page and as people who mean harm reach it.

    server.py PROGRAM

Answers beside those of the verbs; clients that are half-open, slow, malformed, oversized, of another name or without the
token; questions that are taken back, need too much, or name files that are none of theirs; the end by signals.
"""
import http.client
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
SLOW = 10 if "asan" in PROGRAM else 1  # under sanitizers
HALF_OPEN = 1000
SEARCH = """[facility]
devices = 16384
hb_domain = "dgx-h100"
[model]
name = "llama3-405b"
[mapping]
tensor = { search = [1, 2, 4, 8] }
pipeline = { search = [1, 2, 4, 8, 16] }
context = { search = [1, 2, 4] }
virtual_stages = { search = [1, 2, 4, 8] }
microbatch = { search = [1, 2, 4] }
zero_stage = { search = [0, 1, 2, 3] }
recompute = { search = "all" }
[network]
scale_out_efficiency = { search = { from = 0.1, to = 1, step = 0.0001 } }
"""
failures = []


def check(true, message):
    if not true:
        failures.append(message)


def heed_interrupts():
    """Shells start what stands behind a `&` with interrupts ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Serve:
    """A server on a free port."""

    def __init__(self, *flags):
        self.process = subprocess.Popen([PROGRAM, "serve", "--port", "0", *flags], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, preexec_fn=heed_interrupts)
        line = self.process.stdout.readline()
        self.port, self.token = re.search(r"http://127\.0\.0\.1:(\d+)/#token=(\w+)", line).groups()
        self.port = int(self.port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def heads(self, **changes):
        out = {"Host": f"127.0.0.1:{self.port}", "X-Trainyard-Token": self.token, "Content-Type": "application/json"}
        out.update({k.replace("_", "-"): v for k, v in changes.items()})
        return {k: v for k, v in out.items() if v is not None}

    def request(self, method, path, body=None, **changes):
        """Status, headers, text."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        link.request(method, path, body, self.heads(**changes))
        answer = link.getresponse()
        out = answer.status, dict(answer.getheaders()), answer.read().decode()
        link.close()
        return out

    def ask(self, kind, text, **options):
        """The last line of an answer."""
        status, _, lines = self.request("POST", "/api/" + kind, json.dumps({"name": "it", "text": text, **options}))
        return json.loads(lines.strip().split("\n")[-1]) if status == 200 else {"status": status}

    def lines(self, kind, text):
        """All lines of an answer."""
        return [json.loads(line) for line in self.request("POST", "/api/" + kind, json.dumps({"name": "it", "text": text}))[2].strip().split("\n")]

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=10 * SLOW)

    def raw(self, data):
        """The status of the answer to these bytes; 0: closed without one."""
        with self.connect() as link:
            link.sendall(data)
            try:
                first = link.recv(65536)
            except ConnectionError:
                first = b""
        return int(first.split(b" ")[1]) if first.startswith(b"HTTP/1.1 ") else 0

    def children(self):
        path = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return path.read_text().split()


def verb(*words):
    return json.loads(subprocess.run([PROGRAM, *words], capture_output=True, text=True).stdout)


def without_costs(record):
    """What does not differ from run to run, and not by what the scenario is called."""
    return {k: v for k, v in record.items() if k not in ("provenance", "run", "processor_s")}


def check_answers(serve):
    text = {s["name"]: s["text"] for s in json.loads(serve.request("GET", "/api/scenarios")[2])}
    llama = text["llama3-405b"]
    answer = serve.ask("plan", llama)
    check(without_costs(answer["result"]["plan"]) == without_costs(verb("plan", "llama3-405b", "--json")), "plan differs")
    step = serve.ask("step", llama)["result"]
    check(step["step"]["step_s"] == verb("step", "llama3-405b", "--json")["step_s"], "step differs")
    check(len(step["operations"]["rows"]) > 1000, "a step without operations")
    months = serve.ask("goodput", text["llama3-405b-months"])["result"]
    check(months["ettr"] == verb("goodput", "llama3-405b-months", "--json")["ettr"], "months differ")
    networks = serve.ask("networks", text["topologies"])["result"]
    check(networks["networks"]["designs"] == verb("network", "topologies", "--json")["designs"], "networks differ")
    # A first look before the whole: fewer runs of the same months, designs whose effect takes longer.
    first, whole = serve.lines("goodput", text["llama3-405b-months"])
    check((first["draft"]["runs"], whole["result"]["runs"]) == (100, 1000), "the first look at months")
    first, whole = (line.get("draft") or line.get("result") for line in serve.lines("networks", text["deepseek-v3-h800"]))
    check(first["svg"] == whole["svg"], "the first look at networks has another drawing")
    check(all("step_s" not in design for design in first["networks"]["designs"]), "the first look at networks knows steps")
    check(any("step_s" in design for design in whole["networks"]["designs"]), "networks without steps")
    check(len(list(serve.lines("networks", text["hotnets24-dense"]))) == 1, "a first look at what is there at once")
    flows = serve.ask("simulate", text["ndp-permutation"], network="flow")["result"]
    check(flows["simulation"]["fct_s"] == verb("simulate", "ndp-permutation", "--network", "flow", "--json")["fct_s"],
          "simulation differs")
    site = serve.ask("site", text["hotnets24-dense"])["result"]
    check(site["site"]["power_mw"] == verb("site", "hotnets24-dense", "--json")["power_mw"], "site differs")
    check(site["svg"].startswith("<svg"), "no map")
    small = text["megatron-175b"].replace("microbatch = 1", "microbatch = { search = [1, 2, 4] }")
    found = serve.ask("search", small)["result"]
    best = verb("search", "megatron-175b", "--set", "mapping.microbatch={search=[1,2,4]}", "--json")["best"]
    check(found["search"]["best"] == best, f"search: {found['search']['best']}, not {best}")
    check(found["points"][0]["settings"] == [f"mapping.microbatch={best['mapping.microbatch']}"], "settings of a point")
    check(serve.ask("report", llama)["result"]["html"].rstrip().endswith("</html>"), "no report")
    check(len(serve.ask("sweep", llama)["result"]["charts"][0]["lines"][0]["points"]) == 5, "sweep")


def check_refusals(serve):
    answer = serve.ask("plan", "[facility]\ndevices = -1\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n")
    check(answer["findings"][0]["line"] == 2, f"place of a finding: {answer}")
    free = serve.ask("plan", "[facility]\ndevices = {search=[8, 16]}\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n")
    check(free == {"free": [{"key": "facility.devices", "values": 2, "line": 2, "column": 1}]}, f"what is left free: {free}")
    check("findings" in serve.ask("plan", "= ["), "TOML that is none")
    check("findings" in serve.ask("plan", "\udcff".encode(errors="surrogateescape").decode("latin1")), "bytes")
    check("findings" in serve.ask("step", "", network="nonsense"), "option that is none")
    tight = "[facility]\ndevices = 8\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-405b\"\n"
    check("infeasible" in serve.ask("plan", tight), "what does not fit")
    for body, status in (("{", 400), ("[" * 100_000, 400), ("null", 200), ("{}", 200), ('{"text":1,"name":"x"}', 200)):
        got, _, text = serve.request("POST", "/api/plan", body)
        check(got == status and (status != 200 or "findings" in text), f"body {body[:20]}: {got} {text[:100]}")
    deep = "[" * 300_000 + "]" * 300_000
    check(serve.request("POST", "/api/plan", deep)[0] == 200, "deep JSON")
    check(serve.request("POST", "/api/nonsense", "{}")[0] == 404, "a kind that is none")


def check_door(serve):
    status, heads, _ = serve.request("GET", "/")
    check(status == 200 and "frame-ancestors 'none'" in heads["Content-Security-Policy"], "headers of the page")
    check("unsafe" not in heads["Content-Security-Policy"], "inline scripts or styles are allowed")
    for name, value in (("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY")):
        check(heads.get(name) == value, f"{name}: {heads.get(name)}")
    check(serve.request("GET", "/api/about", X_Trainyard_Token=None)[0] == 403, "no token")
    check(serve.request("POST", "/api/plan", "{}", X_Trainyard_Token="0" * 32)[0] == 403, "wrong token")
    check(serve.request("GET", "/", Host=f"evil.example:{serve.port}")[0] == 421, "another Host")
    check(serve.request("GET", "/", Origin="http://evil.example")[0] == 403, "another Origin")
    check(serve.request("OPTIONS", "/api/plan", Origin="http://evil.example")[0] == 403, "preflight")
    for path in ("/../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/api/", "/app.js/..", "/favicon.ico"):
        check(serve.request("GET", path)[0] == 404, f"{path} is served")


def check_malformed(serve):
    host = f"Host: 127.0.0.1:{serve.port}\r\n".encode()
    head = host + f"X-Trainyard-Token: {serve.token}\r\nContent-Type: application/json\r\n".encode()
    for data, status in (
            (b"garbage\r\n\r\n", 400), (b"\0\1\2\3\r\n\r\n", 400), (b"GET / HTTP/1.1\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\n" + host + host + b"\r\n", 400), (b"GET / HTTP/1.0\r\n" + host + b"\r\n", 505),
            (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n" + host + b"\r\n", 431),
            (b"GET / HTTP/1.1\r\n" + host + b"X: " + b"a" * 20_000 + b"\r\n\r\n", 431),
            (b"GET / HTTP/1.1\r\n" + host + b"A: b\r\n" * 5000 + b"\r\n", 431),
            (b"POST /api/plan HTTP/1.1\r\n" + head + b"Content-Length: 2000000\r\n\r\n", 413),
            (b"POST /api/plan HTTP/1.1\r\n" + head + b"Content-Length: -1\r\n\r\n", 400),
            (b"POST /api/plan HTTP/1.1\r\n" + head + b"Content-Length: 99999999999999999999\r\n\r\n", 400),
            (b"POST /api/plan HTTP/1.1\r\n" + head + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", 400),
            (b"POST /api/plan HTTP/1.1\r\n" + head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400)):
        got = serve.raw(data)
        check(got == status, f"{data[:60]}: {got}, not {status}")
    chunks = b"".join(b"10000\r\n" + b" " * 65536 + b"\r\n" for _ in range(20))
    got = serve.raw(b"POST /api/plan HTTP/1.1\r\n" + head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks)
    check(got in (413, 0), f"1.3 MB in chunks: {got}")


def is_closed(link):
    link.settimeout(10 * SLOW)
    try:
        while link.recv(65536):
            pass
    except ConnectionError:
        pass
    except TimeoutError:
        return False
    return True


def said_to(links):
    """How many were told 503, and those that were told nothing yet."""
    told, waiting = 0, []
    for link in links:
        link.setblocking(False)
        try:
            told += link.recv(64).startswith(b"HTTP/1.1 503")
        except BlockingIOError:
            waiting.append(link)
        except ConnectionError:
            pass
    return told, waiting


def check_half_open(serve):
    """1,000 that begin a request: those beyond the cap are told so, and somebody who asks is answered."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, HALF_OPEN + 500), hard))
    links = []
    for _ in range(HALF_OPEN):
        link = serve.connect()
        try:
            link.sendall(b"GET / HTTP/1.1\r\nHo")
        except ConnectionError:
            pass
        links.append(link)
    for _ in range(5):
        check(serve.request("GET", "/api/about")[0] == 200, "nobody is served beside half-open clients")
    told, waiting = said_to(links)
    check(waiting, "answers wait until half-open clients are dropped")
    until = time.monotonic() + 20 * SLOW
    while told < HALF_OPEN - 256 - 50 and waiting and time.monotonic() < until:
        time.sleep(0.05)
        more, waiting = said_to(waiting)
        told += more
    check(told >= HALF_OPEN - 256 - 50, f"of {HALF_OPEN} half-open clients {told} are told 503")
    check(all(is_closed(link) for link in links), "half-open clients stay")
    for link in links:
        link.close()
    print(f"half-open: {told} told 503")


def check_workers(serve):
    """Questions that are taken back, or would take for ever, leave nothing behind."""
    link = http.client.HTTPConnection("127.0.0.1", serve.port, timeout=60)
    link.request("POST", "/api/search", json.dumps({"name": "s", "text": SEARCH}), serve.heads())
    answer = link.getresponse()
    first = json.loads(answer.readline())
    check("progress" in first and first["progress"]["all"] > 0, f"a search that tells nothing: {first}")
    check(len(serve.children()) == 1, "no process of its own")
    start = time.monotonic()
    status = serve.ask("plan", SEARCH.split("[mapping]")[0])
    check("result" in status, "a plan waits for a search")
    print(f"a plan beside a search: {1000 * (time.monotonic() - start):.0f} ms")
    answer.close()
    link.close()
    for _ in range(50 * SLOW):
        if not serve.children():
            break
        time.sleep(0.05)
    check(not serve.children(), "a question that was taken back goes on")


def job(serve, path, body=None):
    """Status, what the server says of work, and the last line of its answer."""
    method = "GET" if body is None else "POST"
    status, _, text = serve.request(method, "/api/jobs" + path, None if body is None else json.dumps(body))
    lines = [json.loads(line) for line in text.strip().split("\n")]
    return status, lines[0].get("job", {}), lines[-1] if len(lines) > 1 else {}


def wait_for(serve, name, states=("ended",), pause=0.05):
    until = time.monotonic() + 20 * SLOW
    while time.monotonic() < until:
        status, now, answer = job(serve, "/" + name)
        early = "outcome" in now or answer
        check(not early or now["state"] == "ended", f"an answer before its work has ended: {now}")
        if status != 200 or now["state"] in states:
            return status, now, answer
        time.sleep(pause)
    return 0, {}, {}


def check_jobs(serve):
    """Work that goes on without a page, is found again, and ends when it is told to."""
    status, begun, _ = job(serve, "/search", {"name": "long", "text": SEARCH})
    check(status == 200 and begun["state"] in ("waiting", "running"), f"begun: {status} {begun}")
    name = begun["id"]
    _, now, _ = wait_for(serve, name, ("running",))
    for _ in range(100 * SLOW):
        listed = json.loads(serve.request("GET", "/api/jobs")[2])["jobs"][-1]
        if "progress" in listed:
            break
        time.sleep(0.05)
    check(listed["id"] == name and listed["progress"]["all"] > 0, f"its progress: {listed}")
    check(listed["question"] == {"name": "long"}, f"its question in short: {listed['question']}")
    check(json.loads(serve.request("GET", f"/api/jobs/{name}/question")[2])["text"] == SEARCH, "its question")
    check("result" in serve.ask("plan", SEARCH.split("[mapping]")[0]), "a plan waits for work")
    _, second, _ = job(serve, "/step", {"name": "second", "text": SEARCH.split("[mapping]")[0]})
    check(second["state"] == "waiting", f"work without a turn: {second}")
    check(job(serve, f"/{name}/cancel", {})[1]["state"] == "cancelled", "cancelled")
    _, ended, answer = wait_for(serve, second["id"])
    check(ended.get("outcome") == "result" and "step" in answer["result"], f"the next one's turn: {ended}")
    for _ in range(50 * SLOW):
        if not serve.children():
            break
        time.sleep(0.05)
    check(not serve.children(), "cancelled work goes on")
    _, failed, answer = wait_for(serve, job(serve, "/search", {"name": "x", "text": "= ["})[1]["id"])
    check(failed["outcome"] == "findings" and answer["findings"], f"what is wrong: {answer}")
    check(job(serve, f"/{second['id']}/forget", {})[0] == 200 and job(serve, "/" + second["id"])[0] == 404, "forgotten")
    for path in ("/" + "0" * 32, "/nonsense", f"/{name}/nonsense", "/../about"):
        check(job(serve, path)[0] == 404, f"{path} is found")
    check(serve.request("GET", "/api/jobs", X_Trainyard_Token=None)[0] == 403, "work without a token")
    for body, wanted in (("[]", 400), ("{", 400), ("null", 400), ('{"x":' + "[" * 300_000 + "]" * 300_000 + "}", 200),
                         ('{"name":"' + "n" * 900_000 + '"}', 200)):
        got = serve.request("POST", "/api/jobs/step", body)
        check(got[0] == wanted and len(got[2]) < 2000, f"a body of work: {got[0]} {got[2][:100]}")


def check_report(serve):
    """A report in a frame: known by its secret name, of nobody's origin."""
    text = SEARCH.split("[mapping]")[0]
    _, ended, answer = wait_for(serve, job(serve, "/report", {"name": "r", "text": text, "of": "years"})[1]["id"])
    check(ended.get("outcome") == "result", f"a report of years: {answer}")
    for of in ("plan", "goodput", "years"):  # the page is there as soon as the answer is
        begun = job(serve, "/report", {"name": "r", "text": text, "of": of})[1]["id"]
        wait_for(serve, begun, pause=0)
        check(serve.request("GET", "/report/" + begun, X_Trainyard_Token=None)[0] == 200, f"the page of {of}")
    status, heads, page = serve.request("GET", "/report/" + ended["id"], X_Trainyard_Token=None)
    check(status == 200 and page == answer["result"]["html"], "the report in a frame")
    policy = heads["Content-Security-Policy"]
    check("sandbox" in policy and "allow-same-origin" not in policy and "connect-src" not in policy, f"its policy: {policy}")
    check(serve.request("GET", "/report/" + "0" * 32)[0] == 404, "a report that is none")
    _, ended, answer = wait_for(serve, job(serve, "/report", {"name": "r", "text": text, "of": "yeers"})[1]["id"])
    check("did you mean 'years'?" in str(answer), f"a kind of report that is none: {answer}")
    _, ended, answer = wait_for(serve, job(serve, "/report", {"name": "r", "text": text, "of": "site"})[1]["id"])
    check("needs a section 'site'" in str(answer), f"a report without its section: {answer}")
    small = "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n"
    for kind, words in (("search", "[mapping]\ntensor = { search = [1, 2] }\n"), ("step", ""), ("plan", "")):
        _, ended, answer = wait_for(serve, job(serve, "/" + kind, {"name": "r", "text": small + words})[1]["id"])
        status, heads, page = serve.request("GET", "/report/" + ended["id"], X_Trainyard_Token=None)
        check("result" in answer, f"kept work: {answer}")
        if kind == "plan":
            check(status == 404, "a plan with a page that nobody asked for")
        else:
            check(status == 200 and page.strip().endswith("</html>") and "sandbox" in heads["Content-Security-Policy"],
                  f"the page of finished work, {kind}: {status}")
    check("page" not in serve.ask("search", small + "[mapping]\ntensor = { search = [1, 2] }\n"), "a page that is not kept")
    for kind, example in (("long-haul", "[long_haul] with sites = 2"), ("simulate", "[simulation] with traffic = ")):
        _, ended, answer = wait_for(serve, job(serve, "/report", {"name": "r", "text": text, "of": kind})[1]["id"])
        check(example in str(answer), f"an example of the section that lacks: {answer}")
    for _ in range(70):
        job(serve, "/plan", {"name": "many", "text": text})
    wait_for(serve, json.loads(serve.request("GET", "/api/jobs")[2])["jobs"][-1]["id"])
    check(len(json.loads(serve.request("GET", "/api/jobs")[2])["jobs"]) <= 64, "more work is kept than may be")


def check_limits():
    with Serve("--time", "1 s", "--workers", "1") as serve:
        answer = serve.ask("search", SEARCH)
        check("--time" in answer.get("failed", ""), f"a search without end: {answer}")
        check("result" in serve.ask("plan", SEARCH.split("[mapping]")[0]) or SLOW > 1, "the worker is not free again")
    if SLOW == 1:
        with Serve("--memory", "1 GB") as serve:
            large = ("[facility]\ndevices = 4000000\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n[[design]]\nname = \"a\"\n"
                     "topology = \"fat_tree\"\nhosts = 8000000\nradix = 1024\n[simulation]\ntraffic = \"permutation\"\nbytes = \"1 GB\"\n")
            answer = serve.ask("simulate", large)
            check("result" not in answer, f"more memory than allowed: {str(answer)[:200]}")


def check_files():
    """Files of scenarios: none, or those of the folder."""
    site = SEARCH.split("[mapping]")[0] + "[site]\ngrid = \"{}\"\n"
    grid = pathlib.Path(__file__).resolve().parent.parent.parent / "data" / "grid-small"
    with Serve() as serve:
        answer = serve.ask("site", site.format(grid))
        check("may not read" in str(answer), f"a file without --folder: {answer}")
    with tempfile.TemporaryDirectory() as folder:
        for name in grid.iterdir():
            (pathlib.Path(folder) / "grid").mkdir(exist_ok=True)
            (pathlib.Path(folder) / "grid" / name.name).write_bytes(name.read_bytes())
        os.symlink(grid, pathlib.Path(folder) / "out")
        with Serve("--folder", folder) as serve:
            check("may not read" not in str(serve.ask("site", site.format("grid"))), "a file of the folder")
            for path in ("..", "../..", "/etc", str(grid), "out", "grid/../../x"):
                check("may not read" in str(serve.ask("site", site.format(path))), f"{path} is read")


def check_ends():
    for number in (signal.SIGINT, signal.SIGTERM):
        with Serve() as serve:
            with serve.connect() as link:
                link.sendall(b"GET / HTTP/1.1\r\n")
                serve.process.send_signal(number)
                check(serve.process.wait(10 * SLOW) == 0, f"the end by {number}")
    for flags, word in ((["--listen", "nonsense"], "no address"), (["--folder", "no/such"], "no folder"),
                        (["--memory", "1 kB"], "out of range"), (["--time", "1"], "--time")):
        ran = subprocess.run([PROGRAM, "serve", "--check", *flags], capture_output=True, text=True)
        check(ran.returncode == 2 and word in ran.stderr, f"{flags}: {ran.returncode} {ran.stderr}")
    with Serve() as serve:
        ran = subprocess.run([PROGRAM, "serve", "--port", str(serve.port)], capture_output=True, text=True)
        check(ran.returncode == 2 and "use" in ran.stderr, f"a port in use: {ran.stderr}")


def main():
    with Serve("--workers", "2") as serve:
        for part in (check_answers, check_refusals, check_door, check_malformed, check_workers, check_jobs, check_report, check_half_open):
            start = time.monotonic()
            part(serve)
            print(f"{part.__name__}: {time.monotonic() - start:.1f} s")
            if serve.process.poll() is not None:
                raise SystemExit(f"the server ended in {part.__name__}: {serve.process.returncode}")
        check(serve.ask("plan", SEARCH.split("[mapping]")[0]).get("result") is not None, "it no longer answers")
    check_limits()
    check_files()
    check_ends()
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
