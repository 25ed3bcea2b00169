"""The pages of a report in a real browser, opened from the file system."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.patience import patient
from tests.report import page_scripts as scripts
from tests.report.browser import browser, needs_browser

import vouch
from vouch.c.checks.base import Category, Check, Trigger
from vouch.c.ir import Location
from vouch.c.sources import Sources
from vouch.report.item import Item
from vouch.report.model import Report, read, report_of
from vouch.report.site import write
from vouch.result import CheckResult, RunResult
from vouch.steps import Change, TraceStep
from vouch.verdict import Exit, Verdict

pytestmark = needs_browser

PROGRAM = """struct ring { unsigned char head; int samples[4]; };
static int total;

static int half(int v)
{
    int h = v / 2;
    total += h;
    return h;
}

int put(struct ring *ring, int sample)
{
    int kept = half(sample);
    int list[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++) {
        list[i] = half(kept + i);
    }
    ring->samples[0] = list[1];
    return 100 / (ring->head - 3);
}

int safe(int x)
{
    return x / 2;
}
"""

HOSTILE = "</script><script>window.hit=1</script>\"'><img src=x onerror=window.hit=1>"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunResult]:
    folder = tmp_path_factory.mktemp("site")
    source = folder / "ring.c"
    source.write_text(PROGRAM)
    result = vouch.check(source, checks=["division-by-zero", "bounds"], jobs=1)
    write([report_of(result)], folder / "pages")
    return folder / "pages", result


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with browser(tmp_path_factory.mktemp("profile")) as driver:
        yield driver
        troubles = [e["message"] for e in driver.get_log("browser") if e["level"] == "SEVERE"]
        assert not troubles


def open_page(driver: Any, folder: Path, page: str = "index.html", **values: Any) -> None:
    driver.get("about:blank")
    driver.get(f"{(folder / page).as_uri()}#{urlencode(values)}")
    wait(driver, scripts.READY[page])


def wait(driver: Any, condition: str, *arguments: Any, seconds: float = 20) -> Any:
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(driver, seconds, 0.02).until(lambda d: d.execute_script(condition, *arguments))


def press(driver: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(driver).send_keys(*keys).perform()


def texts(driver: Any, selector: str) -> list[str]:
    found: list[str] = driver.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector
    )
    return found


def expected(trace: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The same from the JSON document, by the rule that the manual states."""
    values: dict[tuple[str, str], str] = {}
    calls: list[str] = []
    for number, step in enumerate(trace):
        values = {k: v for k, v in values.items() if k[0] == "null" or int(k[0]) <= step["depth"]}
        changed = {("null" if c["frame"] is None else str(c["frame"]), c["name"]) for c in step["changes"]}
        for change in step["changes"]:
            frame = "null" if change["frame"] is None else str(change["frame"])
            values[frame, change["name"]] = change["value"]
        calls = [*calls[: step["depth"]], step["function"]]
        yield {
            "now": step["what"],
            "counter": f"{number + 1} / {len(trace)}",
            "line": step["line"],
            "stack": calls[::-1],
            "values": {(*key, value, key in changed) for key, value in values.items()},
        }


def shown(driver: Any) -> dict[str, Any]:
    found: dict[str, Any] = driver.execute_script(scripts.SHOWN)
    return {**found, "values": {tuple(row) for row in found["values"]}}


def violated(result: RunResult) -> tuple[str, list[dict[str, Any]]]:
    document = json.loads(json.dumps(result.to_json()))
    check = next(c for c in document["checks"] if c["verdict"] == "unsafe")
    return check["id"], check["trace"]


def test_step_through_the_whole_trace(site: tuple[Path, RunResult], chromium: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    folder, result = site
    name, trace = violated(result)
    wanted = list(expected(trace))
    assert len(wanted) > 20
    assert max(step["depth"] for step in trace) == 1
    open_page(chromium, folder, "check.html", id=name)
    assert shown(chromium) == wanted[-1]  # where it fails is what a reader wants to see first
    for number in range(len(wanted) - 2, -1, -1):
        press(chromium, Keys.ARROW_LEFT)
        assert shown(chromium) == wanted[number]
    for number in range(1, len(wanted)):
        chromium.find_element("id", "forward").click()
        assert shown(chromium) == wanted[number]
    assert f"step={len(wanted)}" in chromium.current_url


def test_into_over_and_out_of_calls(site: tuple[Path, RunResult], chromium: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    folder, result = site
    name, trace = violated(result)
    open_page(chromium, folder, "check.html", id=name, step=1)
    at = [0]

    def now() -> int:
        at[0] = int(shown(chromium)["counter"].split(" / ")[0]) - 1
        return at[0]

    first = next(i for i, step in enumerate(trace) if step["kind"] == "call")
    press(chromium, "i")
    assert trace[now()]["depth"] == 1
    assert at[0] == first + 1
    press(chromium, "u")
    assert trace[now()]["kind"] == "return"
    press(chromium, "U")
    press(chromium, "o")
    press(chromium, Keys.HOME)
    assert now() == 0
    for _ in range(first):
        press(chromium, "o")
    assert trace[now()]["kind"] == "call"
    press(chromium, "o")
    assert trace[now()]["kind"] == "return"
    press(chromium, "O")
    assert now() == first
    press(chromium, Keys.END)
    assert now() == len(trace) - 1


def test_filter_search_sort_and_links(site: tuple[Path, RunResult], chromium: Any) -> None:
    folder, result = site
    open_page(chromium, folder, "index.html", view="checks")
    assert len(texts(chromium, "#rows .row")) == len(result.checks)
    chromium.find_element("css selector", ".chip[data-verdict=unsafe]").click()
    unsafe = [r for r in result.checks if r.verdict is Verdict.UNSAFE]
    assert len(texts(chromium, "#rows .row")) == len(unsafe)
    assert "verdict=unsafe" in chromium.current_url
    chromium.get("about:blank")
    open_page(chromium, folder, "index.html", view="checks", verdict="safe", q="half")
    wanted = [r for r in result.checks if r.verdict is Verdict.SAFE and "half" in r.check.function]
    assert len(texts(chromium, "#rows .row")) == len(wanted) > 0
    open_page(chromium, folder, "index.html", view="checks", sort="place", down=1)
    lines = [int(text.rpartition(":")[2]) for text in texts(chromium, "#rows .c-place")]
    assert lines == sorted(lines, reverse=True)
    chromium.find_element("css selector", "#heads [data-sort=place] button").click()
    lines = [int(text.rpartition(":")[2]) for text in texts(chromium, "#rows .c-place")]
    assert lines == sorted(lines)


def test_by_keyboard_alone(site: tuple[Path, RunResult], chromium: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    folder, result = site
    open_page(chromium, folder)
    press(chromium, "?")
    assert chromium.execute_script("return document.querySelector('#help').open")
    press(chromium, Keys.ESCAPE)
    assert not chromium.execute_script("return document.querySelector('#help').open")
    press(chromium, "g", "c")
    wait(chromium, "return !document.querySelector('#checks').hidden")
    press(chromium, "/")
    press(chromium, "head")
    wanted = [r for r in result.checks if "head" in r.check.message]
    counted = f"{len(wanted)} of {len(result.checks)} checks"
    wait(chromium, "return document.querySelector('#shown').textContent === arguments[0]", counted)
    press(chromium, Keys.TAB)
    press(chromium, "j")
    press(chromium, Keys.ESCAPE)
    press(chromium, "j", "j", "k")
    current = texts(chromium, "#rows .row.current .c-message a")
    press(chromium, Keys.ENTER)
    wait(
        chromium,
        "return document.querySelector('#message') && document.querySelector('#message').textContent",
    )
    assert texts(chromium, "#message") == current


def test_dark_and_light(site: tuple[Path, RunResult], chromium: Any) -> None:
    folder, _ = site
    ground = "return getComputedStyle(document.documentElement).backgroundColor"
    open_page(chromium, folder)
    seen = set()
    for name in ("light", "dark"):
        chromium.find_element("id", "theme").click()
        assert texts(chromium, "#theme-name") == [name]
        seen.add(chromium.execute_script(ground))
        for page in ("index.html", "source.html"):
            open_remembering(chromium, folder, page, name)
            assert min(contrasts(chromium)) >= 4.5
    assert len(seen) == 2
    press(chromium, "d")
    assert texts(chromium, "#theme-name") == ["auto"]


def open_remembering(driver: Any, folder: Path, page: str, name: str) -> None:
    """Pages open with the choice made last. The browser hands storage from one process to the next some time
    after the click, under load a second later: opened again, a page has it."""
    until = time.monotonic() + patient(10)
    open_page(driver, folder, page)
    while driver.execute_script("return document.documentElement.dataset.theme") != name:
        assert time.monotonic() < until, f"{page} does not remember {name}"
        open_page(driver, folder, page)


def contrasts(driver: Any) -> list[float]:
    found: list[float] = driver.execute_script(scripts.CONTRASTS)
    assert found
    return found


def test_everything_has_a_name_for_those_who_do_not_see_it(
    site: tuple[Path, RunResult], chromium: Any
) -> None:
    folder, result = site
    for page, values in (
        ("index.html", {}),
        ("index.html", {"view": "checks"}),
        ("check.html", {"id": violated(result)[0]}),
        ("source.html", {"file": 0}),
    ):
        open_page(chromium, folder, page, **values)
        assert chromium.execute_script(scripts.UNNAMED) == []
        assert (
            chromium.execute_script("return document.querySelectorAll('section:not([hidden]) h1').length")
            >= 1
        )
        assert chromium.execute_script("return document.documentElement.lang") == "en"


def test_source_page_has_a_mark_at_each_check(site: tuple[Path, RunResult], chromium: Any) -> None:
    folder, result = site
    open_page(chromium, folder, "source.html", file=0, line=19)
    wait(chromium, "return document.querySelectorAll('#line-checks li').length")
    marked = chromium.execute_script(
        "return [...document.querySelectorAll('a.mark')].map(e => Number(e.parentElement.dataset.line))"
    )
    assert marked == sorted({r.check.location.line for r in result.checks})
    code = chromium.execute_script(
        "return [...document.querySelectorAll('.line code')].map(e => e.textContent)"
    )
    assert code == PROGRAM.splitlines()
    assert any("ring->head" in text for text in texts(chromium, "#line-checks li"))


def test_on_a_phone(site: tuple[Path, RunResult], chromium: Any) -> None:
    folder, result = site
    size = chromium.get_window_size()
    metrics = {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        for page, values in (("index.html", {}), ("check.html", {"id": violated(result)[0]})):
            open_page(chromium, folder, page, **values)
            assert chromium.execute_script("return document.documentElement.scrollWidth <= innerWidth + 1")
        assert chromium.execute_script(scripts.REACHABLE)
    finally:
        chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        chromium.set_window_size(size["width"], size["height"])


def test_pages_follow_an_analysis(site: tuple[Path, RunResult], chromium: Any) -> None:
    """The page shows what is new without being loaded again."""
    from vouch.report.live import Live, Server

    _, result = site
    live = Live()
    server = Server("127.0.0.1", 0, live)
    live.show([report_of(replace(result, checks=result.checks[:1]))], 1)
    live.say("engine, 1 of 9 checks decided")
    server.start()
    try:
        chromium.get("about:blank")
        chromium.get(server.url)
        wait(
            chromium, "return document.querySelector('#live').textContent === 'engine, 1 of 9 checks decided'"
        )
        before = texts(chromium, "#headline")
        live.show([report_of(result)], 2)
        live.say("done", done=True)
        wait(chromium, "return document.querySelector('#headline').textContent !== arguments[0]", before[0])
        assert str(len(result.checks)) in texts(chromium, "#headline")[0]
    finally:
        server.stop()


def test_a_notebook_steps_through_a_trace(
    site: tuple[Path, RunResult], chromium: Any, tmp_path: Path
) -> None:
    from selenium.webdriver.common.keys import Keys

    _, result = site
    page = tmp_path / "cell.html"
    page.write_text(f"<!doctype html><meta charset=utf-8>{result._repr_html_()}", encoding="utf-8")
    chromium.get(page.as_uri())
    chromium.find_element("css selector", "details summary").click()
    _, trace = violated(result)
    visible = (
        "return [...document.querySelectorAll('.vouch-step')].filter(e => !e.hidden)"
        ".map(e => e.querySelector('b').textContent)"
    )
    assert chromium.execute_script(visible) == [trace[-1]["what"]]
    chromium.find_element("css selector", ".vouch-trace").send_keys(Keys.HOME)
    assert chromium.execute_script(visible) == [trace[0]["what"]]
    chromium.find_element("css selector", "button[aria-label='one step forwards']").click()
    assert chromium.execute_script(visible) == [trace[1]["what"]]


def test_pages_of_networks(tmp_path: Path, chromium: Any) -> None:
    """Pictures of an input that is one, bars for each output, both networks side by side, coloured grids."""
    original = [float(i % 5) for i in range(16)]
    point = [value + (0.5 if i == 3 else 0.0) for i, value in enumerate(original)]
    answer = {
        "verdict": "unsafe",
        "engine": "bounds",
        "seconds": 1.0,
        "counterexample": {"input": point, "output": [1.0, -2.0, 0.5]},
        "output_bounds": [[0.0, 2.0], [-3.0, 1.0], [None, 1.0]],
        "question": {"network": "n.onnx", "input_shape": [1, 4, 4], "original": original, "radius": 0.5},
        "history": [[0.0, 0.0], [0.5, 0.25], [1.0, 0.75]],
        "replayed": True,
    }
    found = {"input": [0.5], "reference": [1.0, 0.0], "test": [0.25, 0.75]}
    compared = {"verdict": "different", "region": "a box", "property": "top-1", "counterexample": found}
    widths = {
        "properties": ["p", "q"],
        "widths": [
            {"bits": 8, "format": "4.4", "verdicts": {"p": "unsafe", "q": "safe"}, "seconds": 0.1},
            {"bits": 9, "format": "4.5", "verdicts": {"p": "safe", "q": "safe"}, "seconds": 0.2},
        ],
        "smallest": {"bits": 9, "format": "4.5"},
    }
    write([read(document) for document in (answer, compared, widths)], tmp_path / "pages")
    folder = tmp_path / "pages"
    open_page(chromium, folder, "check.html", id="n.onnx.robustness.robustness")
    captions = texts(chromium, "figcaption")
    assert captions == ["original", "counterexample", "difference, at most 0.5"]
    red = (
        "const c = document.querySelectorAll('canvas')[2]; const s = c.width / 4;"
        "return [...c.getContext('2d').getImageData(3.5 * s, 0.5 * s, 1, 1).data]"
    )
    assert chromium.execute_script(red) == [255, 0, 0, 255]  # the fourth number of the first row grew
    assert len(texts(chromium, ".outputs tr")) == 3
    assert texts(chromium, ".outputs tr:nth-child(2) .number div")[0] == "-2"
    assert len(texts(chromium, ".chart .curve")) == 1
    open_page(chromium, folder, "check.html", id="test.equivalence.1")
    assert texts(chromium, ".keys .swatch") == ["reference", "test"]
    assert texts(chromium, ".outputs div.best") == ["1", "0.75"]  # each decides for another class
    open_page(chromium, folder)
    assert texts(chromium, ".grid .v-unsafe") == ["F"]
    assert len(texts(chromium, ".grid .v-safe")) == 3


# ---------------------------------------------------------------- hand-made results


def made(number: int, file: str, line: int, message: str, verdict: Verdict, **more: Any) -> CheckResult:
    function = more.pop("function", f"f{number % 700}")
    place = Location(file, line, 5, function)
    category = list(Category)[number % 9]
    check = Check(
        f"{function}.{category}.{number}", category, place, function, message, Trigger.REACHED, None
    )  # type: ignore[arg-type]
    return CheckResult(check, verdict, **more)


def test_names_and_contents_stay_text(tmp_path: Path, chromium: Any) -> None:
    """A file, a function, a message, values and a line that try to become markup or script."""
    name = f"x{HOSTILE.replace('/', '')}.c"
    source = tmp_path / name
    source.write_text(f"int x; // {HOSTILE}\n" * 3)
    file = str(source)
    step = TraceStep(
        file,
        2,
        HOSTILE,
        "assign",
        HOSTILE,
        changes=(Change(HOSTILE, HOSTILE, HOSTILE, 0), Change(HOSTILE, HOSTILE)),
    )
    bad = made(
        1, file, 2, HOSTILE, Verdict.UNSAFE, function=HOSTILE, trace=[step], reason=HOSTILE,
        inputs={HOSTILE: HOSTILE}, precondition=HOSTILE, assumptions=[HOSTILE], decided_by=HOSTILE,
    )  # fmt: skip
    bad.check.id = HOSTILE
    result = RunResult([HOSTILE], [bad], warnings=[HOSTILE], sources=Sources(roots=[str(tmp_path)]))
    result.configuration = {"entry": [HOSTILE]}
    write([report_of(result)], tmp_path / "pages")
    for page, values in (
        ("index.html", {}),
        ("index.html", {"view": "checks", "q": HOSTILE}),
        ("check.html", {"id": HOSTILE}),
        ("check.html", {"id": HOSTILE + "no"}),
        ("source.html", {"file": 0, "line": 2}),
        ("source.html", {"file": HOSTILE, "line": HOSTILE}),
    ):
        open_page(chromium, tmp_path / "pages", page, **values)
        assert chromium.execute_script("return [window.hit, document.querySelectorAll('img').length]") == [
            None,
            0,
        ]
        assert HOSTILE in chromium.execute_script("return document.body.textContent") or "no" in str(values)
    for path in (tmp_path / "pages").rglob("*"):
        if path.is_file():
            assert "<script>window" not in path.read_text(encoding="utf-8"), path


def test_the_policy_stops_what_is_not_ours(site: tuple[Path, RunResult], chromium: Any) -> None:
    """Should a page ever hand text to a sink, the browser refuses; so it does for scripts from elsewhere."""
    folder, _ = site
    open_page(chromium, folder)
    hit, refused = chromium.execute_script(scripts.ATTEMPTS)
    assert hit == 0
    assert refused == 4
    chromium.get_log("browser")  # what was refused is reported there, and expected


def test_ninety_thousand_checks_without_a_pause(tmp_path: Path, chromium: Any) -> None:
    """As many checks as SQLite has: no task of the page keeps it from answering for more than 200 ms."""
    files = [f"/nowhere/src/file_{i}.c" for i in range(120)]
    verdicts = [Verdict.SAFE] * 17 + [Verdict.UNSAFE, Verdict.UNKNOWN, Verdict.COND_UNSAFE]
    names = [str(category) for category in Category]
    items = tuple(
        Item(
            id=f"f{i % 700}.{names[i % 9]}.{i}",
            category=names[i % 9],
            message=f"a{i % 997} + b{i % 13} overflows int",
            verdict=verdicts[i % 20],
            file=files[i % 120],
            line=i % 3000 + 1,
            function=f"f{i % 700}",
        )
        for i in range(90_000)
    )
    write([Report("c", "C code", items, {}, Exit.VIOLATED)], tmp_path / "pages")
    added = chromium.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": scripts.PAUSES})
    try:
        # The machine may be busy with something else: what counts is what the page can do.
        allowed, longest = patient(200), _longest_pause(chromium, tmp_path / "pages")
        if longest > allowed:
            longest = min(longest, _longest_pause(chromium, tmp_path / "pages"))
        print(f"longest pause with 90,000 checks: {longest:.0f} ms")
        assert longest <= max(allowed, patient(200))
    finally:
        chromium.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def _longest_pause(driver: Any, folder: Path) -> float:
    """Open the list, search, sort by everything, filter, scroll."""
    open_page(driver, folder, "index.html", view="checks")
    assert texts(driver, "#shown") == ["90,000 of 90,000 checks"]
    press(driver, "/")
    press(driver, "a77 + b")
    wait(driver, "return !document.querySelector('#shown').textContent.startsWith('90')")
    for name in ("place", "function", "time", "category"):
        driver.find_element("css selector", f"#heads [data-sort={name}] button").click()
    driver.find_element("css selector", ".chip[data-verdict=unsafe]").click()
    driver.find_element("id", "clear").click()
    for share in (0.1, 0.5, 0.99):
        driver.execute_script(
            "const s = document.querySelector('#scroll'); s.scrollTop = arguments[0] * s.scrollHeight", share
        )
        wait(driver, "return document.querySelectorAll('#rows .row').length > 5")
    assert len(texts(driver, "#rows .row")) < 120  # only what is in view
    longest: float = driver.execute_script(
        "return new Promise(r => setTimeout(() => r(window.longest), 100))"
    )
    return longest
