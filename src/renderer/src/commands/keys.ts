/** Binds the registry to the keyboard. */
import { tinykeys } from 'tinykeys'
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

/** Starts listening to keys and to the native menu. Answers a function that stops it. */
export function bindKeys(target: Window = window): () => void {
  const map: Record<string, (e: KeyboardEvent) => void> = {}
  for (const c of COMMANDS)
    for (const key of c.keys)
      map[key] = e => {
        const context = {
          repeat: e.repeat,
          defaultPrevented: e.defaultPrevented,
          typing: isTyping(e),
          modal: document.querySelector('dialog:modal') !== null,
        }
        if (listens(c, key, context) && runCommand(c.id)) e.preventDefault()
      }
  const off = [tinykeys(target, map), onMenu(id => void runCommand(id))]
  return () => off.forEach(f => f())
}

const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform)

/** The key of a command as caps for the help: `['Ctrl', 'O']`. */
export function keyCaps(c: Command, mac = isMac()): readonly string[] {
  const shown = c.shown ?? c.keys[0]
  return shown ? shown.split(' ').map(k => (k === 'Mod' ? (mac ? 'Cmd' : 'Ctrl') : k)) : []
}
