"""`python -m trajview`, and the console script."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    try:
        from trajview.cli.front import run
    except KeyboardInterrupt:  # at once; from then on it is heeded there
        raise SystemExit(130) from None
    run()


if __name__ == "__main__":
    main()
