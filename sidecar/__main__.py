"""`python -m sidecar` is the command `memory-sidecar`."""

from sidecar.cli.entry import main

if __name__ == "__main__":
    main()
