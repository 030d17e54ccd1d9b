import { describe, expect, it } from 'vitest'
import { parseKeybinding } from 'tinykeys'
import { MENU_COMMANDS } from '../../../shared/menu'
import { GROUPS } from './command'
import { commandFor, keyCaps, listens, type KeyContext } from './keys'
import { command, COMMANDS, runCommand } from './registry'

const free: KeyContext = { repeat: false, defaultPrevented: false, typing: false, modal: false }
const get = (id: string) => {
  const c = command(id)
  if (!c) throw new Error(id)
  return c
}

describe('the registry', () => {
  it('has distinct ids and no key twice', () => {
    expect(new Set(COMMANDS.map(c => c.id)).size).toBe(COMMANDS.length)
    const keys = COMMANDS.flatMap(c => c.keys)
    expect(new Set(keys).size).toBe(keys.length)
  })
  it('knows every command of the native menu', () => {
    for (const id of MENU_COMMANDS) expect(command(id), id).toBeDefined()
  })
  it('writes keys that the binding understands: letters as Key…, in one order of the modifiers', () => {
    for (const key of COMMANDS.flatMap(c => c.keys)) {
      expect(parseKeybinding(key)).toHaveLength(1)
      expect(key).toMatch(/^(\$mod\+)?(Alt\+)?(Shift\+)?(Key[A-Z]|[A-Z][a-zA-Z0-9]+|[^\p{L}\p{N}\s])$/u)
    }
  })
  it('lists each key in the help', () => {
    for (const c of COMMANDS) {
      expect(GROUPS).toContain(c.group)
      if (c.keys.length > 0) expect(keyCaps(c, false).join(''), c.id).not.toBe('')
    }
  })
  it('does not run what cannot run now, nor what it does not know', () => {
    expect(runCommand('zoom-in')).toBe(false)
    expect(runCommand('export-png')).toBe(false)
    expect(runCommand('no-such-command')).toBe(false)
  })
})

describe('which keys are heard', () => {
  it('none while typing, but the chords', () => {
    expect(listens(get('zoom-in'), 'KeyW', free)).toBe(true)
    expect(listens(get('zoom-in'), 'KeyW', { ...free, typing: true })).toBe(false)
    expect(listens(get('open-folder'), '$mod+KeyO', { ...free, typing: true })).toBe(true)
  })
  it('none under a dialog, none that a panel took', () => {
    expect(listens(get('open-folder'), '$mod+KeyO', { ...free, modal: true })).toBe(false)
    expect(listens(get('clear'), 'Escape', { ...free, defaultPrevented: true })).toBe(false)
  })
  it('repeats moves only', () => {
    expect(listens(get('pan-left'), 'KeyA', { ...free, repeat: true })).toBe(true)
    expect(listens(get('go-to-peak'), 'KeyP', { ...free, repeat: true })).toBe(false)
  })
})

describe('which command a key has', () => {
  const press = (key: string, code: string, ...held: readonly string[]): string | undefined =>
    commandFor({
      key,
      code,
      ctrlKey: held.includes('Control'),
      metaKey: held.includes('Meta'),
      altKey: held.includes('Alt'),
      getModifierState: (m: string) => held.includes(m),
    } as KeyboardEvent)?.command.id

  it('takes W A S D by their place: they lie together on every layout', () => {
    expect(press('w', 'KeyW')).toBe('zoom-in')
    expect(press('z', 'KeyW')).toBe('zoom-in') // AZERTY
    expect(press('q', 'KeyA')).toBe('pan-left')
    expect(press('ц', 'KeyW')).toBe('zoom-in') // Cyrillic
    expect(press(',', 'KeyW')).toBe('zoom-in') // Dvorak
  })
  it('takes the other letters as they are written', () => {
    expect(press('m', 'KeyM')).toBe('mark')
    expect(press('m', 'Semicolon')).toBe('mark') // AZERTY
    expect(press('ь', 'KeyM')).toBe('mark') // Cyrillic
    expect(press('M', 'Semicolon', 'Shift')).toBe('mark-named')
    // What AZERTY writes A with is the place of Q.
    expect(press('a', 'KeyQ')).toBe(press('q', 'KeyQ'))
  })
  it('takes chords as they are written', () => {
    expect(press('o', 'KeyS', 'Control')).toBe('open-folder') // Dvorak
    expect(press('O', 'KeyO', 'Control', 'Shift')).toBe('open-file')
    expect(press('w', 'KeyW', 'Control')).toBeUndefined()
  })
  it('takes a sign wherever the layout has it', () => {
    expect(press('?', 'Slash', 'Shift')).toBe('show-keys')
    expect(press('?', 'Minus', 'Shift')).toBe('show-keys') // German
    expect(press('?', 'KeyM', 'Shift')).toBe('show-keys') // AZERTY: beside the comma
  })
  it('finds every key of the registry', () => {
    const mods = { $mod: 'Control', Shift: 'Shift', Alt: 'Alt' } as const
    for (const c of COMMANDS)
      for (const k of c.keys) {
        const parts = k.split('+')
        const name = parts.pop() ?? ''
        const key = /^Key([A-Z])$/.exec(name)?.[1].toLowerCase() ?? name
        const held = parts.map(m => mods[m as keyof typeof mods])
        expect(press(key, name, ...held), k).toBe(c.id)
      }
  })
})

it('writes keys as they stand on the keyboard', () => {
  expect(keyCaps(get('open-folder'), false)).toEqual(['Ctrl', 'O'])
  expect(keyCaps(get('open-folder'), true)).toEqual(['Cmd', 'O'])
  expect(keyCaps(get('zoom-in'), false)).toEqual(['W'])
  expect(keyCaps(get('close-folder'), false)).toEqual([])
})
