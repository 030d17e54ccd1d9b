/** What `--help` says. */

export type CommandName =
  | 'inspect'
  | 'snapshot'
  | 'trace'
  | 'at'
  | 'export'
  | 'sample'
  | 'serve'
  | 'system'
  | 'schema'
  | 'chain'
  | 'search'
  | 'gaps'
  | 'stats'
  | 'live'
  | 'summary'
  | 'fragmentation'
  | 'growth'
  | 'compare'

interface CommandHelp {
  readonly usage: string
  readonly operand: string
  readonly summary: string
  readonly details: string
}

const JSON_LINE = '  --json      one JSON document on stdout, everything else on stderr'

export const COMMANDS: Readonly<Record<CommandName, CommandHelp>> = {
  inspect: {
    usage: 'inspect PATH [--neff-dir DIR]... [--json]',
    operand: 'PATH',
    summary: 'what a profile_output folder (or a part of it, or one file) holds',
    details: `Lists the sessions below PATH with their files: kind by content, size, state and a few facts. Traces, snapshots, NEFFs and NTFFs
are read whole, so that their state and facts are sure; ranks are checked against each other, and every NTFF is paired with its NEFF.

  --neff-dir DIR   look for NEFFs below DIR too (a compiler cache); may be given several times
${JSON_LINE}`,
  },
  snapshot: {
    usage: 'snapshot FILE [--verify] [--json]',
    operand: 'FILE',
    summary: 'the figures of a PyTorch memory snapshot',
    details: `Replays the allocator history of FILE (pickle, JSON, or a page of _memory_viz; gzip too). Nothing in it is executed.
ActiveBytes and AllocatedBytes count requested bytes; an event index of -1 is the start state. BlockRoundedBytes are what
torch.cuda.memory_allocated() counts, where the file confirms how its block sizes come about.

  --verify    reads FILE a second time with another reader and another replay (files up to 64 MB) and sets the figures side by side;
              exit code 1 when one differs
${JSON_LINE}`,
  },
  live: {
    usage: 'live FILE [--device D] [--at EVENT|start|peak|end] [--by stack|frame|file|size] [--limit N] [--json]',
    operand: 'FILE',
    summary: 'what a memory snapshot holds live at a moment, by stack, frame, file or size',
    details: `Replays FILE as \`snapshot\` does and groups the active allocations of a device in the state after an event: requested bytes and count.

  --device D   the first device with a history by default
  --at EVENT   index of an event (-1 is the state at the start), start, peak (default: the highest active total) or end
  --by KEY     stack (default), frame (the innermost), file (of that frame) or size. A frame is FILE:LINE:NAME. Blocks from before the
               recording have the frames of the segment table; what has none, or is known only from its free, is "(no stack)"
  --limit N    groups for people (20); --json has all
${JSON_LINE}

--json: {device, event, by, totalBytes, count, groups: [{key, bytes, count}], diagnostics}. The frames of a stack are lines of its key, the
innermost first. totalBytes is the sum of the groups; null, as that of a group, where the file lacks a size.`,
  },
  summary: {
    usage: 'summary FILE [--device D] [--from EVENT] [--to EVENT] [--json]',
    operand: 'FILE',
    summary: "the figures of torch's memory_summary and memory_stats, for any range of a snapshot's history",
    details: `Prints the table of torch_neuronx.memory_summary() for a device: current in the state after --to, the peak of the range, and what the events
of the range allocated and freed. What FILE does not tell is a dash, and why is said below.

  --device D     the first device with a history by default
  --from EVENT   the moment to count from, as if the counters were reset then (start by default): the peak includes the state after EVENT,
                 allocated and freed are the events after it. An index (-1 is the start), start, peak or end
  --to EVENT     the last event (end by default)
${JSON_LINE}

--json: {device, from, to, allocations, frees, ooms, retries, stats, notes, table, diagnostics}. stats has the flat keys of memory_stats:
{allocation, allocated_bytes, requested_bytes, active, active_bytes, reserved_bytes, segment, inactive_split, inactive_split_bytes}.
{all, large_pool, small_pool}.{current, peak, allocated, freed} and counters; null is not known.`,
  },
  fragmentation: {
    usage: 'fragmentation FILE [--device D] [--at EVENT|start|peak|end] [--capacity BYTES] [--request BYTES] [--json]',
    operand: 'FILE',
    summary: "fragmentation of the allocator's memory at a moment, and whether a request would fit",
    details: `Rebuilds the segments and blocks of a device in the state after an event and gives the figures of Neuron's memory guide, for the device and
for the small and the large pool: internal (block sizes minus requested bytes), largest free chunk, density (reserved / address span), and what
empty_cache would return (wholly free segments of the default pool). What FILE does not tell is null, and why is said.

  --device D         the first device with a history by default
  --at EVENT         index of an event (-1 is the start), start, peak or end (default)
  --capacity BYTES   of the device, which a snapshot does not hold. With it: total free (capacity minus all blocks that are handed out), external
                     (what of the unreserved memory is outside its largest region) and the index, (internal + external) / total free.
                     Memory that others hold counts as free
  --request BYTES    would that many bytes fit now, and why (not)
${JSON_LINE}`,
  },
  growth: {
    usage: 'growth FILE --from EVENT --to EVENT [--device D] [--by stack|frame|file|size] [--limit N] [--json]',
    operand: 'FILE',
    summary: 'what was allocated after one moment of a snapshot and is still live at another',
    details: `Groups the allocations of a device that were made after --from and are active in the state after --to, and tells what of the first state is gone.

  --from EVENT   index of an event (-1 is the start), start, peak or end
  --to EVENT     the same; not before --from
  --device D     the first device with a history by default
  --by KEY       stack (default), frame, file or size, as in \`live\`
  --limit N      groups for people (20); --json has all
${JSON_LINE}

--json: {device, by, from, to, fromBytes, toBytes, totalBytes, count, freedBytes, freedCount, groups: [{key, bytes, count}], diagnostics}.
toBytes = fromBytes + totalBytes - freedBytes.`,
  },
  compare: {
    usage: 'compare FILE FILE [--at EVENT|start|peak|end] [--device D] [--by stack|frame|file|size] [--limit N] [--json]',
    operand: 'two FILEs',
    summary: 'what is live in two memory snapshots, side by side: before and after, rank and rank',
    details: `Groups what is active in both files at a moment, at their own peaks by default, and gives the difference, the second minus the first.
Paths are made comparable: of packages what follows site-packages/, of own files the folders that differ between the files are "…/".

  --at EVENT   index of an event (-1 is the start) of both, start, peak (default) or end
  --device D   of both; the first device with a history by default
  --by KEY     stack (default), frame, file or size, as in \`live\`. Line numbers stay: a line that moved is another key
  --limit N    groups for people (20); --json has all
${JSON_LINE}

--json: {by, a: {file, device, event, totalBytes, count}, b, diffBytes, diffCount, groups: [{key, aBytes, bBytes, diffBytes, aCount, bCount,
diffCount}], roots: [{a, b, files}], diagnostics}. roots are the folders that were taken for one.`,
  },
  trace: {
    usage: 'trace FILE [--json]',
    operand: 'FILE',
    summary: 'the figures of a Chrome trace',
    details: `Reads FILE (Chrome trace JSON, gzip too), of any size.

${JSON_LINE}`,
  },
  at: {
    usage: 'at PATH --time NS [--json]',
    operand: 'PATH',
    summary: 'what the views show at one instant',
    details: `Which slices of the framework's and the runtime's traces below PATH cover the instant, how many bytes each allocator has active, and what
each HBM holds by the runtime's own total. The id of a slice in --json is what \`chain --event\` takes.

  --time NS   Unix time in nanoseconds
${JSON_LINE}`,
  },
  chain: {
    usage: 'chain PATH (--event ID | --name NAME [--nth N]) [--json]',
    operand: 'PATH',
    summary: 'what caused an event and what it caused, down to the device and its NEFF',
    details: `Follows flows, correlation, sequence, execution and tracking ids and the framework mapping of a session in both directions: framework
operator, framework stream, neuron_rt, neuron_hw, and the NEFF and NTFF of the model that ran. Where nothing is linked it says why.

  --event ID    FILE:ROW, the \`id\` of slices in \`at PATH --time NS --json\` and of events in this command's own answer. FILE is relative to
                PATH (or ends as it does, if only one file does); ROW is the place of the event among those of the file, from 0
  --name NAME   the event of this name that starts first, in the first session that has one
  --nth N       with --name: the Nth of them (1)
${JSON_LINE}

--json gives {event, upstream, downstream, cut, noUpstream, noDownstream, deviceNs, model, models, diagnostics}. Links are {from, to, by, value,
inferred}, nearest first; events {id, name, layer, track, startNs, durNs, flowId} with startNs in Unix ns. cut counts links that were not listed,
deviceNs is the time that hardware events downstream cover together.`,
  },
  search: {
    usage: 'search PATH TEXT [--regex] [--case] [--in names,args,stacks] [--limit N] [--json]',
    operand: 'PATH and TEXT',
    summary: 'events by name, args and stack',
    details: `Finds events of the framework's and the runtime's traces of all sessions below PATH. An event counts once, wherever TEXT stands in it.

  --regex      TEXT is a regular expression (RE2 syntax: no look-around, no back references; 1,000 steps at most)
  --case       upper and lower case differ
  --in LIST    names: of slices and instants. args: the args of framework events as JSON text, attributes and ids of runtime events.
               stacks: Python functions that enclose the event (with_stack=True) and call stacks among its args. All three by default
  --limit N    hits that are listed (1000); all are counted
${JSON_LINE}

The id of a hit is what \`chain --event\` takes.`,
  },
  gaps: {
    usage: 'gaps PATH [--min NS] [--json]',
    operand: 'PATH',
    summary: 'where NeuronCores stood idle, and what the host did meanwhile',
    details: `Stretches without a hardware event on a NeuronCore, between two events of it, longest first, of all sessions below PATH. Before the first
and after the last event of a core, in what its ring buffer has lost, and where one end of an event is missing nothing is known, and
nothing is a gap. Busy and idle add up to known.

  --min NS    shortest gap that is listed, in nanoseconds (0)
${JSON_LINE}`,
  },
  export: {
    usage: 'export PATH --out FILE.png|svg|json [--view timeline|allocator|hbm|both] [--from NS --to NS] [options] [--json]',
    operand: 'PATH',
    summary: 'draw the timeline or memory as PNG or SVG; write a window of events as Chrome trace JSON',
    details: `Draws what the program's Export dialog draws, without a window: title, time range, scale, legend and source files are in the picture.
PATH is a session folder, a tree (its first session, unless --session or --rank tells which), a trace or a snapshot.

  --out FILE       the end of the name tells what is written: .svg shapes and text, .json the events as Chrome trace JSON (which Perfetto
                   opens), anything else a PNG, 8-bit RGBA
  --view VIEW      timeline: the System Trace; allocator: active memory of the PyTorch allocator; hbm: device memory by usage;
                   both: the timeline above the allocator. Without it the timeline where there is a trace, else the allocator
  --from NS        first time, Unix nanoseconds; together with --to. Without them the whole recording
  --to NS          first time that is not shown
  --filter WORDS   only tracks with all of these words in their names
  --grouping NAME  default, cpu-device, neuroncore, thread, process or instance
  --width W        width in px, 320 to 16384 (2560); text and lines grow with it in steps of 1280
  --height H       height in px, 240 to 16384; what the content needs by default. At most 67,108,864 px in all
  --theme THEME    light (default) or dark
  --session DIR    the session's folder below PATH
  --rank N         the rank, where there are several
  --device N       the device, where there are several
  --hbm N          the HBM of the device
  --json           one JSON document on stdout, everything else on stderr

--json tells where the plot lies, in px: {width, height, plot: {x0, x1, y0, y1}, fromNs, toNs, maxBytes}. x0 is fromNs, x1 (the first column
outside) is toNs; a column of the allocator shows its highest total, y1 is 0 bytes and y0 is maxBytes (null for the timeline). A snapshot
without times is drawn over the index of its events: fromNs and toNs are then null, fromEvent and toEvent tell the range.

A .json has slices whole that touch the range, at most 64 MiB; {events, cut} tell how many were written and how many did not fit. What is
merged, left out or not as in the files is told as diagnostics.`,
  },
  stats: {
    usage: 'stats PATH [--from NS] [--to NS] [--by name|track|category] [--sort COLUMN] [--limit N] [--json | --csv]',
    operand: 'PATH',
    summary: 'statistics of slices by name, track or category: count, total, self, median, p95, …',
    details: `Counts the complete slices (X, matched B/E, paired events of the runtime) of the traces at PATH: a file, or a session folder with all its
traces on one clock. Asynchronous operations (b/e) and instants are not counted, nor are slices with one end missing; how many is told.

With a range durations are clipped to it, and slices that only touch it are left out. self is the duration without what direct children on
the same track cover; wall the time that at least one slice of a row covers, over all tracks; overlap the time that two or more cover.
Median and p95 are by nearest rank.

  --from NS      first time, Unix nanoseconds (of the trace's own clock where that is not known); without it from the first event
  --to NS        first time that is not counted; without it to the last event
  --by KEY       name (default), track or category ("None" where an event has none)
  --sort COLUMN  key, count, total (default), self, wall, overlap, min, max, mean, median or p95; largest first, keys from A
  --limit N      rows; all of them by default, 50 for people
  --csv          all figures in ns as CSV on stdout, for files: names as they are
${JSON_LINE}

--json: {by, fromNs, toNs, rows: [{key, count, totalNs, selfNs, minNs, maxNs, meanNs, medianNs, p95Ns, wallNs, overlapNs, longest}], matching,
slices, unmatched, wallNs, session, files, diagnostics}. fromNs and toNs are the first and last time of the events where none is asked.`,
  },
  system: {
    usage: 'system PATH [--source NAME] [--json]',
    operand: 'PATH',
    summary: "the runtime's own view of a session: events, device memory, host samples, clocks",
    details: `Decodes ntrace.pb, trace_info.pb, cpu_util.pb and host_mem.pb of the session at PATH, or an export of Neuron Explorer beside them.
Their schema is not public: the document says which one was used (an imported one, the built-in reconstruction, or what the data
shows) and which checks it passed. Where none passes nothing is decoded (events 0, origin null). See \`help schema\`.

events counts messages (a slice is two). dropped is at least how many are known to be lost. peakNs and startNs are Unix ns.

  --source NAME   ntrace, explorer-parquet, explorer-json or perfetto, where the session has several
${JSON_LINE}`,
  },
  schema: {
    usage: 'schema import FILE | list | show ID | remove ID [--json]',
    operand: 'FILE or ID',
    summary: "exact schemas for the runtime's files: import, list, show, remove",
    details: `import takes a .proto file, a descriptor set (protoc --descriptor_set_out), or a binary such as libnrt.so, which is searched
for descriptors of package ntff as bytes and never loaded or run. What is found is kept in the settings of the user and
tried first on ntrace.pb, trace_info.pb, cpu_util.pb and host_mem.pb. ID is the begin of the hash that list shows.

${JSON_LINE}`,
  },
  sample: {
    usage: 'sample DIR [--ranks N] [--steps N] [--seed S] [--json]',
    operand: 'DIR',
    summary: 'write a sample profile',
    details: `Writes the run of a small training loop below DIR: one session folder per rank with trace.json,
memory_snapshot_rank<N>.pickle, the runtime's files (ntrace.pb and others), two NEFFs, an NTFF and a framework mapping. The same numbers give the same bytes.

  --ranks N   processes of the run (2)
  --steps N   training steps (4)
  --seed S    seed of the random numbers (1)
${JSON_LINE}`,
  },
  serve: {
    usage: 'serve PATH [--port N] [--host ADDRESS --allow-remote]',
    operand: 'PATH',
    summary: 'show PATH in a browser (for hosts without a display)',
    details: `Serves the program on 127.0.0.1 and prints the address with its secret token. Only files below PATH are read.

  --port N         port; a free one by default
  --host ADDRESS   another address of this machine (0.0.0.0 for all). One that others can reach wants --allow-remote
  --allow-remote   others may reach the program. It speaks plain HTTP: whoever is between can read along. A tunnel is safer:
                   ssh -L PORT:127.0.0.1:PORT USER@HOST`,
  },
}

export function help(topic: CommandName | null): string {
  if (topic) return `Usage: neuron-workbench ${COMMANDS[topic].usage}\n\n${COMMANDS[topic].details}\n`
  const width = Math.max(...Object.keys(COMMANDS).map(n => n.length))
  const list = Object.entries(COMMANDS).map(([name, c]) => `  ${name.padEnd(width)}  ${c.summary}`)
  return `Usage: neuron-workbench COMMAND

${list.join('\n')}

  --help, help COMMAND   this text, or that of a command
  --version              the version

Exit codes: 0 something was read (diagnostics or not), 1 nothing could be read, what was
named is not there or --verify found a difference, 2 wrong usage.
`
}
