"""One measured process of a peer: `peers.py FILE` reads a snapshot with pickle.load and prints one JSON line in the shape of run-reader."""
import json, pickle, resource, sys, time

cpu = time.process_time()
started = time.perf_counter()
with open(sys.argv[1], 'rb') as f:
    snapshot = pickle.load(f)
ms = (time.perf_counter() - started) * 1e3
cpu_ms = (time.process_time() - cpu) * 1e3
try:  # what getrusage tells of a process that was started by a larger one is at least the peak of that one
    with open('/proc/self/status') as f:
        peak = next(int(line.split()[1]) for line in f if line.startswith('VmHWM')) / 1024
except (OSError, StopIteration):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024 if sys.platform == 'darwin' else 1024)
print(json.dumps({'ms': ms, 'cpuMs': cpu_ms, 'count': sum(len(t) for t in snapshot['device_traces']), 'rssMb': peak}))
