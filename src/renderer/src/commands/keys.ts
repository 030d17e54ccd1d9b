/** Binds the registry to the keyboard. */
import { matchKeyBindingPress, parseKeybinding } from 'tinykeys'
import { onMenu } from '../state/session'
import { COMMANDS, runCommand, type Command } from './registry'

/** What of a keydown decides whether a command hears it. */
export interface KeyContext {
  readonly repeat: boolean
  readonly defaultPrevented: boolean
  /** The focus is in a text field, a select or something else that takes letters. */
  readonly typing: boolean
  /** A modal dialog is open: it has the keyboard. */
  readonly modal: boolean
}

/** Whether a command may act on a key. Nothing happens while typing or under a dialog; Ctrl and Cmd chords go through text fields, as in other programs. */
export function listens(c: Command, key: string, k: KeyContext): boolean {
  if (k.defaultPrevented || k.modal) return false
  if (k.typing && !key.includes('$mod')) return false
  return !k.repeat || c.repeat === true
}

/** Input types that take no letters. */
const NO_TEXT: ReadonlySet<string> = new Set(['checkbox', 'radio', 'button', 'range', 'color', 'file', 'submit', 'reset'])

export function isTyping(e: Event): boolean {
  const t = e.composedPath()[0]
  if (!(t instanceof HTMLElement)) return false
  if (t instanceof HTMLInputElement) return !NO_TEXT.has(t.type)
  return t instanceof HTMLTextAreaElement || t instanceof HTMLSelectElement || t.isContentEditable
}

const BY_PLACE: ReadonlySet<string> = new Set(['KeyW', 'KeyA', 'KeyS', 'KeyD'])

/**
 * The `Key…` that an event means; null for a sign or a named key. W, A, S and D are taken by their place on the keyboard; the other letters by what the layout writes, so that
 * M is the key with the M on it, and by their place where the layout writes no Latin letter. A letter that lies elsewhere but is one of the four (AZERTY's A) means the key at
 * its place. With Ctrl or Cmd every letter is what is written, as in other programs.
 */
export function letterOf(e: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey'>): string | null {
  const place = e.code.startsWith('Key') ? e.code : null
  const written = /^[a-z]$/i.test(e.key) ? `Key${e.key.toUpperCase()}` : /^\p{L}$/u.test(e.key) ? place : null
  if (e.ctrlKey || e.metaKey) return written
  return BY_PLACE.has(e.code) || (written !== null && BY_PLACE.has(written)) ? place : written
}

const PRESSES = COMMANDS.flatMap(command => command.keys.map(key => ({ command, key, press: parseKeybinding(key)[0] })))

/** The command of a key, null for none; `key` is the notation that it was bound with. */
export function commandFor(e: KeyboardEvent): { readonly command: Command; readonly key: string } | null {
  const letter = letterOf(e)
  // A sign that some layout writes with Shift or AltGr is the same sign everywhere.
  const sign = letter === null && /^[^\p{L}\p{N}\s]$/u.test(e.key) && (!(e.ctrlKey || e.altKey) || e.getModifierState('AltGraph'))
  const typed = {
    // A letter is no sign as well: where a layout has a comma at the place of W, it zooms and nothing else; and a sign is no letter by its place.
    key: letter ?? e.key,
    code: letter ?? (e.code.startsWith('Key') ? '' : e.code),
    getModifierState: (m: string) => !sign && e.getModifierState(m),
  } as KeyboardEvent
  return PRESSES.find(p => matchKeyBindingPress(typed, p.press)) ?? null
}

/** Starts listening to keys and to the native menu. Answers a function that stops it. */
export function bindKeys(target: Window = window): () => void {
  const onKeyDown = (e: KeyboardEvent): void => {
    const found = e.isComposing ? null : commandFor(e)
    if (!found) return
    const context = {
      repeat: e.repeat,
      defaultPrevented: e.defaultPrevented,
      typing: isTyping(e),
      modal: document.querySelector('dialog:modal') !== null,
    }
    if (listens(found.command, found.key, context) && runCommand(found.command.id)) e.preventDefault()
  }
  target.addEventListener('keydown', onKeyDown)
  const offMenu = onMenu(id => void runCommand(id))
  return () => {
    target.removeEventListener('keydown', onKeyDown)
    offMenu()
  }
}

const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform)

/** The key of a command as caps for the help: `['Ctrl', 'O']`. */
export function keyCaps(c: Command, mac = isMac()): readonly string[] {
  const shown = c.shown ?? c.keys[0]
  return shown ? shown.split(' ').map(k => (k === 'Mod' ? (mac ? 'Cmd' : 'Ctrl') : k)) : []
}
