"""`python -m trajview`, and the console script."""

from __future__ import annotations


def main() -> None:
    from trajview.cli.main import run

    run()


if __name__ == "__main__":
    main()
