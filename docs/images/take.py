"""Takes the pictures of this folder: `python docs/images/take.py`, with chromium, its driver and selenium.

The pages are those of the shipped examples, so the pictures show what a reader gets.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

# Name, site, page with its address, width, height, theme.
SHOTS = (
    ("overview", "sensor", "index.html", 1440, 900, "light"),
    ("checks", "sensor", "index.html#view=checks", 1440, 700, "light"),
    ("check", "sensor", "check.html#id=registers_read_raw.bounds.1&step=21", 1440, 900, "light"),
    ("check-dark", "sensor", "check.html#id=ring_average.signed-overflow.1", 1440, 900, "dark"),
    ("phone", "sensor", "check.html#id=ring_put.bounds.1", 390, 844, "light"),
    ("network", "digits", "check.html#id=digits.onnx.robustness.robustness", 1440, 900, "light"),
)


def sites(folder: Path) -> None:
    sensor = ("check", "examples/sensor/defective")
    digits = ("nn", "robust", "examples/nn/digits.onnx", "--input", "examples/nn/digits_zero.csv")
    digits += ("--radius", "4", "--lower", "0", "--upper", "16")
    for name, words in (("sensor", sensor), ("digits", digits)):
        line = [sys.executable, "-m", "vouch", *words, "--html", str(folder / name)]
        subprocess.run(line, cwd=ROOT, check=False, stdout=subprocess.DEVNULL, env=dict(os.environ))


def take(driver: Any, folder: Path) -> None:
    for name, site, page, width, height, theme in SHOTS:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get("about:blank")
        driver.get((folder / site / page.partition("#")[0]).as_uri() + "#" + page.partition("#")[2])
        driver.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        time.sleep(1.0)
        driver.save_screenshot(str(HERE / f"{name}.png"))
        small(HERE / f"{name}.png")
        print(HERE / f"{name}.png")


def small(path: Path) -> None:
    """As many colours as a page has, in half of the bytes."""
    from PIL import Image

    full = Image.open(path).convert("RGB")
    palette = Image.Quantize.MAXCOVERAGE
    full.quantize(256, method=palette, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    from tests.report.browser import browser

    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        sites(folder)
        with browser(folder / "profile") as driver:
            take(driver, folder)


if __name__ == "__main__":
    main()
