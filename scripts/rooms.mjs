/**
 * The import rules of the rooms as ESLint configuration. A room may import what its README says and nothing else; `npm run lint` fails otherwise,
 * and scripts/rooms.test.ts proves that each rule bites.
 */

const ROOMS = ['shared', 'formats', 'session', 'analysis', 'paint', 'main', 'preload', 'renderer', 'cli']

/** Rooms that each room may import (itself always). */
export const MAY_IMPORT = {
  shared: [],
  formats: ['shared'],
  session: ['shared', 'formats'],
  analysis: ['shared'],
  paint: ['shared'],
  main: ['shared', 'session', 'analysis'],
  preload: ['shared'],
  renderer: ['shared', 'paint'],
  cli: ['shared', 'formats', 'session', 'analysis', 'paint', 'main'],
}

/** Packages that only certain rooms may import. */
export const OWNED = [
  { packages: ['electron'], rooms: ['main', 'preload'] },
  // A native library: the desktop program never loads it.
  { packages: ['@napi-rs/canvas'], rooms: ['cli'] },
  // The second reader of snapshots; never the one whose figures are shown.
  { packages: ['pickleparser'], rooms: ['formats'] },
  { packages: ['react', 'react-dom', 'echarts', 'zustand', 'tinykeys'], rooms: ['renderer'] },
]

const BUILTINS_FREE = ['shared', 'analysis', 'paint', 'renderer', 'preload']

const forbidden = room => {
  const patterns = []
  const others = ROOMS.filter(r => r !== room && !MAY_IMPORT[room].includes(r))
  if (others.length)
    patterns.push({
      // `../../session/x` from this room, at any depth; a folder of the same name inside the room is reached by `./`.
      // The text of tokens.css is data, not code: who draws without a page takes the colours from it.
      regex: `^(\\.\\./)+(${others.join('|')})(/|$)${room === 'cli' ? '(?!tokens\\.css\\?raw$)' : ''}`,
      message: `${room} may import only: ${['its own files', ...MAY_IMPORT[room]].join(', ')}.`,
    })
  const owned = OWNED.filter(o => !o.rooms.includes(room)).flatMap(o => o.packages)
  if (owned.length) patterns.push({ regex: `^(${owned.join('|')})(/|$)`, message: `This package does not belong into ${room}.` })
  if (BUILTINS_FREE.includes(room)) patterns.push({ regex: '^node:', message: `${room} runs without Node.` })
  if (room === 'shared')
    patterns.push({ regex: '^(?!valibot$|@msgpack/msgpack$)[a-z@]', message: 'shared imports nothing but valibot and msgpack.' })
  return patterns
}

const SHELLS = ['src/main/index.ts', 'src/main/workers.ts']

export const roomRules = [
  ...ROOMS.map(room => ({
    files: [`src/${room}/**/*.{ts,tsx}`],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [...forbidden(room), { regex: '\\?nodeWorker$', message: 'Only the shells make workers.' }] },
      ],
    },
  })),
  {
    // Readers run inside the worker entries; the host only sends them files.
    files: ['src/main/host/*.worker.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            ...forbidden('cli'),
            { regex: '^@napi-rs/canvas', message: 'The command line draws, the desktop does not load this.' },
          ],
        },
      ],
    },
  },
  { files: SHELLS, rules: { 'no-restricted-imports': ['error', { patterns: forbidden('main') }] } },
  {
    // Tests compare with independent readers and may use Node to reach the samples.
    files: ['src/**/*.test.{ts,tsx}'],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    // Only the Electron part of main knows Electron.
    files: ['src/main/host/**/*.ts', 'src/main/browser/**/*.ts'],
    ignores: ['**/*.test.ts', '**/*.worker.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            ...forbidden('main'),
            { regex: '^electron$', message: 'The host is shell-neutral.' },
            { regex: '\\?nodeWorker$', message: 'Only the shells make workers.' },
          ],
        },
      ],
    },
  },
]
