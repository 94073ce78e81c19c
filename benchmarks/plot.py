"""Each program's place: its time over the least time that the machine allows, on a logarithmic axis, as SVG.

    python plot.py RESULTS.json FILE.svg [--peers PEERS.jsonl]

RESULTS.json is what `compare.py --json` writes; PEERS.jsonl is what peers.py prints, for more marks a program.
Programs whose limit is under 0.05 ms have no place: their time is that of a call. Colours suit light and dark pages.
"""
import argparse
import json
import math
import pathlib
from xml.sax.saxutils import escape

# Name in the rows, name in the legend, colour, shape.
SERIES = [("sinter", "sinter", "#2f81d6", "circle"), ("jax", "JAX", "#d9772b", "diamond"),
          ("numpy", "NumPy", "#7a9a3b", "square"), ("torch", "PyTorch", "#b8528f", "triangle"),
          ("inductor", "torch.compile", "#7b6fd0", "cross")]
LEAST_MS = 0.05
ROW, LABELS, PLOT, RIGHT, TOP, BOTTOM = 18, 230, 560, 60, 58, 34


def merged(rows, peers):
    """Rows of compare.py with the times that lines of peers.py have for other peers."""
    more = {p["name"]: p for p in peers if "name" in p}
    out = []
    for row in rows:
        row = dict(row)
        for key, *_ in SERIES:
            other = more.get(row["name"], {}).get(key)
            if key not in row and isinstance(other, dict):
                row[key] = other["run"]
        out.append(row)
    return out


def places(row):
    """Times over the limit, by series."""
    if not row.get("ok") or not row.get("limit") or row["limit"] <= LEAST_MS:
        return {}
    return {key: row[key] / row["limit"] for key, *_ in SERIES if row.get(key)}


def ticks(low, high):
    """1, 2 and 5 times powers of ten from low to high."""
    out = []
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        out += [m * 10. ** power for m in (1, 2, 5) if low * .999 <= m * 10. ** power <= high * 1.001]
    return out


def mark(shape, x, y, colour):
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
    points = {"diamond": [(0, -5), (5, 0), (0, 5), (-5, 0)], "square": [(-4, -4), (4, -4), (4, 4), (-4, 4)],
              "triangle": [(0, -5), (5, 4), (-5, 4)]}.get(shape)
    if points:
        return f'<polygon points="{" ".join(f"{x + a:.1f},{y + b:.1f}" for a, b in points)}" fill="{colour}"/>'
    return (f'<path d="M{x - 4:.1f},{y - 4:.1f} l8,8 m0,-8 l-8,8" stroke="{colour}" stroke-width="2" fill="none"/>')


def number(v):
    return f"{v:g}"


def svg(rows, title="Time over the machine's limit"):
    """The text of the drawing; programs with the best place of sinter first."""
    placed = [(row["name"], places(row)) for row in rows]
    placed = sorted(((n, p) for n, p in placed if p), key=lambda v: v[1].get("sinter", math.inf))
    all_places = [v for _, p in placed for v in p.values()] or [1.]
    low, high = min(1., *all_places) / 1.1, max(2., *all_places) * 1.1
    width, height = LABELS + PLOT + RIGHT, TOP + ROW * len(placed) + BOTTOM
    at = lambda v: LABELS + PLOT * math.log(v / low) / math.log(high / low)
    used = [s for s in SERIES if any(s[0] in p for _, p in placed)]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">',
           "<style>text{font:12px sans-serif;fill:#59636e}.title{font-size:14px;font-weight:bold}"
           ".grid{stroke:#8c959f;stroke-opacity:.3}.limit{stroke:#59636e;stroke-opacity:.9}"
           "@media(prefers-color-scheme:dark){text{fill:#b1bac4}.limit{stroke:#b1bac4}}</style>",
           f'<text class="title" x="8" y="20">{escape(title)}</text>']
    x = LABELS
    for _, legend, colour, shape in used:
        out += [mark(shape, x, 38, colour), f'<text x="{x + 10}" y="42">{legend}</text>']
        x += 30 + 8 * len(legend)
    bottom = TOP + ROW * len(placed)
    for t in ticks(low, high):
        kind = "limit" if t == 1 else "grid"
        out.append(f'<line class="{kind}" x1="{at(t):.1f}" y1="{TOP - 6}" x2="{at(t):.1f}" y2="{bottom}"/>')
        out.append(f'<text x="{at(t):.1f}" y="{bottom + 18}" text-anchor="middle">{number(t)}</text>')
    for k, (name, p) in enumerate(placed):
        y = TOP + ROW * k + ROW / 2
        out.append(f'<text x="{LABELS - 12}" y="{y + 4:.1f}" text-anchor="end">{escape(name)}</text>')
        out.append(f'<line class="grid" x1="{at(min(p.values())):.1f}" y1="{y:.1f}" x2="{at(max(p.values())):.1f}" y2="{y:.1f}"/>')
        # sinter last, so that it is on top.
        for key, legend, colour, shape in reversed(used):
            if key in p:
                out.append(f"<g><title>{escape(name)}: {legend} {p[key]:.2f}</title>{mark(shape, at(p[key]), y, colour)}</g>")
    return "\n".join(out + ["</svg>"]) + "\n"


def read_peers(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")] if path else []


def main():
    a = argparse.ArgumentParser()
    a.add_argument("results", type=pathlib.Path)
    a.add_argument("svg", type=pathlib.Path)
    a.add_argument("--peers", type=pathlib.Path)
    a = a.parse_args()
    a.svg.write_text(svg(merged(json.loads(a.results.read_text())["rows"], read_peers(a.peers))))


if __name__ == "__main__":
    main()
