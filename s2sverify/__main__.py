"""``python -m s2sverify``."""

from s2sverify.cli import run

if __name__ == "__main__":
    run()
