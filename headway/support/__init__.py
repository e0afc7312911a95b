"""Small helpers that know nothing of parsing: argument checks, threads, processes, interrupts, safe writing."""
