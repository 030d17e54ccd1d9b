import { describe, expect, it } from 'vitest'
import { matchKeyBindingPress, parseKeybinding } from 'tinykeys'
import { MENU_COMMANDS } from '../../../shared/menu'
import { keyCaps, listens, type KeyContext } from './keys'
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
  it('writes keys that the binding understands', () => {
    for (const key of COMMANDS.flatMap(c => c.keys)) expect(parseKeybinding(key)).toHaveLength(1)
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
  it('by the physical key: W A S D lie together on every layout', () => {
    const press = (key: string, code: string): string | undefined => {
      const event = { key, code, getModifierState: () => false } as unknown as KeyboardEvent
      return COMMANDS.find(c => c.keys.some(k => matchKeyBindingPress(event, parseKeybinding(k)[0])))?.id
    }
    expect(press('z', 'KeyW')).toBe('zoom-in') // AZERTY
    expect(press('q', 'KeyA')).toBe('pan-left')
    expect(press('ц', 'KeyW')).toBe('zoom-in') // Cyrillic
    expect(press('?', 'Slash')).toBe('show-keys')
  })
})

it('writes keys as they stand on the keyboard', () => {
  expect(keyCaps(get('open-folder'), false)).toEqual(['Ctrl', 'O'])
  expect(keyCaps(get('open-folder'), true)).toEqual(['Cmd', 'O'])
  expect(keyCaps(get('zoom-in'), false)).toEqual(['W'])
  expect(keyCaps(get('close-folder'), false)).toEqual([])
})
