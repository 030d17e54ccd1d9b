/** Each import rule of the rooms bites: a forbidden import is an error, an allowed one is not. */
import { join, resolve } from 'node:path'
import { ESLint, type Linter } from 'eslint'
import tseslint from 'typescript-eslint'
import { describe, expect, it } from 'vitest'
import { MAY_IMPORT, OWNED, roomRules } from './rooms.mjs'

const ROOT = resolve(import.meta.dirname, '..')
const eslint = new ESLint({
  cwd: ROOT,
  overrideConfigFile: true,
  overrideConfig: [
    { files: ['**/*.{ts,tsx}'], languageOptions: { parser: tseslint.parser as Linter.Parser } },
    ...(roomRules as Linter.Config[]),
  ],
})

/** Whether a file of this name may import `from`. */
async function may(file: string, from: string): Promise<boolean> {
  const [result] = await eslint.lintText(`import { x } from '${from}'\nexport { x }\n`, { filePath: join(ROOT, file) })
  const messages = result?.messages ?? []
  if (messages.some(m => m.ruleId !== 'no-restricted-imports')) throw new Error(JSON.stringify(messages))
  return messages.length === 0
}

const rooms = Object.keys(MAY_IMPORT)
const ending = (room: string): string => (room === 'renderer' ? 'tsx' : 'ts')

describe.each(rooms)('%s', room => {
  const file = `src/${room}/deep/er/x.${ending(room)}`
  it('imports the rooms of its list and no other', async () => {
    for (const other of rooms.filter(r => r !== room)) {
      const allowed = (MAY_IMPORT as Readonly<Record<string, readonly string[]>>)[room]?.includes(other) ?? false
      for (const from of [`../../../${other}/y`, `../../../${other}`])
        expect([room, from, await may(file, from)]).toEqual([room, from, allowed])
    }
  })
  it('imports its own files', async () => {
    expect(await may(file, './y')).toBe(true)
    expect(await may(file, '../y')).toBe(true)
  })
  it('imports packages of others only where they belong', async () => {
    for (const { packages, rooms: owners } of OWNED)
      for (const name of packages)
        for (const from of [name, `${name}/sub`]) expect([room, from, await may(file, from)]).toEqual([room, from, owners.includes(room)])
  })
})

describe('single rules', () => {
  it('rooms of the page and the vocabulary run without Node', async () => {
    for (const room of ['shared', 'analysis', 'paint', 'renderer', 'preload'])
      expect([room, await may(`src/${room}/x.ts`, 'node:fs')]).toEqual([room, false])
    for (const room of ['formats', 'session', 'main', 'cli']) expect([room, await may(`src/${room}/x.ts`, 'node:fs')]).toEqual([room, true])
  })
  it('shared imports valibot and msgpack only', async () => {
    expect(await may('src/shared/x.ts', 'valibot')).toBe(true)
    expect(await may('src/shared/x.ts', '@msgpack/msgpack')).toBe(true)
    expect(await may('src/shared/x.ts', 'ws')).toBe(false)
    expect(await may('src/shared/x.ts', '@msgpack/other')).toBe(false)
  })
  it('workers are made by the shells', async () => {
    const from = './host/parse.worker?nodeWorker'
    expect(await may('src/main/workers.ts', from)).toBe(true)
    expect(await may('src/main/host/x.ts', from)).toBe(false)
    expect(await may('src/cli/x.ts', from)).toBe(false)
    expect(await may('src/session/x.ts', from)).toBe(false)
  })
  it('the host and the browser shell know no Electron', async () => {
    expect(await may('src/main/host/x.ts', 'electron')).toBe(false)
    expect(await may('src/main/browser/x.ts', 'electron')).toBe(false)
    expect(await may('src/main/desktop/x.ts', 'electron')).toBe(true)
    expect(await may('src/main/index.ts', 'electron')).toBe(true)
  })
  it('readers run in worker entries only', async () => {
    expect(await may('src/main/host/x.ts', '../../formats/y')).toBe(false)
    expect(await may('src/main/host/x.worker.ts', '../../formats/y')).toBe(true)
    expect(await may('src/main/index.ts', '../formats/y')).toBe(false)
  })
})
