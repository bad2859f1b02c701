"""`python -m sidecar` is `memory-sidecar`."""

import sys

from sidecar.cli.main import main

sys.exit(main())
