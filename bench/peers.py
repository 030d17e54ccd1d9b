"""One measured process of a peer: `peers.py FILE` reads a snapshot with pickle.load and prints one JSON line in the shape of run-reader."""
import json, pickle, resource, sys, time

cpu = time.process_time()
started = time.perf_counter()
with open(sys.argv[1], 'rb') as f:
    snapshot = pickle.load(f)
ms = (time.perf_counter() - started) * 1e3
cpu_ms = (time.process_time() - cpu) * 1e3
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB on Linux, bytes on macOS
print(json.dumps({
    'ms': ms,
    'cpuMs': cpu_ms,
    'count': sum(len(t) for t in snapshot['device_traces']),
    'rssMb': peak / (1024 * 1024 if sys.platform == 'darwin' else 1024),
}))
