"""A small producer that follows the command line contract, for the benchmark.

It stands in where there is no clone of the real producer: it imports what any
such program imports and derives one rate from two counters. Standard library
only. Run as `python3 -m producer` in this directory, or by python_producer.py.
"""

import argparse
import json
import os
from pathlib import Path


def total(metrics, name):
    """Return the sum of stats.total over all series of a family, None without any."""
    totals = [series["stats"]["total"] for series in metrics.get(name, {}).get("series", [])]
    return sum(totals) if totals else None


def main():
    argparse.ArgumentParser(description=__doc__).parse_args([])
    artifacts = Path(os.environ["RESULT_DIR"], "aiperf_artifacts")
    metrics = json.loads((artifacts / "server_metrics_export.json").read_text())["metrics"]
    cached = total(metrics, "atom:prefix_cache_cached_tokens")
    full = total(metrics, "atom:prefix_cache_full_tokens")
    gpu = round(cached / full, 5) if cached is not None and full else None
    rates = {"gpu": gpu, "cpu": None, "external": None, "overall": gpu}
    row = {"server_metrics": {"cache": {name + "_cache_hit_rate": rate for name, rate in rates.items()}}}
    out = Path(os.environ["AGENTIC_OUTPUT_DIR"], os.environ["RESULT_FILENAME"] + ".json")
    out.write_text(json.dumps(row, indent=2))
    print("saved", out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
