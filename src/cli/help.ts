/** What `--help` says. */

export type CommandName = 'inspect' | 'snapshot' | 'trace' | 'at' | 'sample' | 'serve'

interface CommandHelp {
  readonly usage: string
  readonly operand: string
  readonly summary: string
  readonly details: string
}

const JSON_LINE = '  --json      one JSON document on stdout, everything else on stderr'

export const COMMANDS: Readonly<Record<CommandName, CommandHelp>> = {
  inspect: {
    usage: 'inspect PATH [--json]',
    operand: 'PATH',
    summary: 'what a profile_output folder (or a part of it, or one file) holds',
    details: `Lists the sessions below PATH with their files: kind by content, size, state and a few facts. Traces and snapshots are read whole,
so that their state and facts are sure, and their ranks are checked against each other.

${JSON_LINE}`,
  },
  snapshot: {
    usage: 'snapshot FILE [--json]',
    operand: 'FILE',
    summary: 'the figures of a PyTorch memory snapshot',
    details: `Replays the allocator history of FILE (a pickle; gzip too). Nothing in a pickle is executed.
ActiveBytes and AllocatedBytes count requested bytes; an event index of -1 is the start state.

${JSON_LINE}`,
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
    details: `Which slices of the traces below PATH cover the instant, and how many bytes each allocator has active.

  --time NS   Unix time in nanoseconds
${JSON_LINE}`,
  },
  sample: {
    usage: 'sample DIR [--ranks N] [--steps N] [--seed S] [--json]',
    operand: 'DIR',
    summary: 'write a sample profile',
    details: `Writes the run of a small training loop below DIR: one session folder per rank with trace.json and memory_snapshot_rank<N>.pickle.
The same numbers give the same bytes.

  --ranks N   processes of the run
  --steps N   training steps
  --seed S    seed of the random numbers
${JSON_LINE}`,
  },
  serve: {
    usage: 'serve PATH [--port N]',
    operand: 'PATH',
    summary: 'show PATH in a browser (for hosts without a display)',
    details: `Serves the program on 127.0.0.1 and prints the address with its secret token. Only files below PATH are read.

  --port N    port; a free one by default`,
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

Exit codes: 0 something was read (diagnostics or not), 1 nothing could be read, 2 wrong usage.
`
}
