"""What trials share: servers as processes, devices, tokens, faults, and the verdict."""
