"""`python -m trajview`, and the console script."""

from __future__ import annotations


def main() -> None:
    """Do what the command line says."""
    from trajview.cli.front import run

    run()


if __name__ == "__main__":
    main()
