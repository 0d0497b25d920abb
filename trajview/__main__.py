"""`python -m trajview`, and the console script."""

from __future__ import annotations


def main() -> None:
    from trajview.cli.front import run

    run()


if __name__ == "__main__":
    main()
