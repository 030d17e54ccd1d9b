/**
 * The theme of the window: dark, light or the system's, kept for the next start. Painting code gets its colours through `makeTheme`,
 * which reads tokens.css from the computed style of an element, so that no colour is written twice.
 */
import { create } from 'zustand'
import type { Theme } from '../../paint/theme'

export type ThemeChoice = 'system' | 'dark' | 'light'
export type ThemeName = Theme['name']

const KEY = 'neuron-workbench.theme'
const LIGHT = '(prefers-color-scheme: light)'

/**
 * Tokens as the painting code asks for them, read once per token from the computed style of `element` (the window, or the root of an export
 * preview that carries its own `data-theme`). A theme is a snapshot: make a new one when the name changes.
 * @throws on a token that tokens.css does not define: no colour is made up.
 */
export function makeTheme(element: Element = document.documentElement): Theme {
  const style = getComputedStyle(element)
  const memo = new Map<string, string>()
  const name = element.closest('[data-theme]')?.getAttribute('data-theme') === 'light' ? 'light' : 'dark'
  return {
    name,
    token: token => {
      const known = memo.get(token)
      if (known !== undefined) return known
      const value = style.getPropertyValue(token).trim()
      if (!value) throw new Error(`unknown design token ${token}`)
      memo.set(token, value)
      return value
    },
  }
}

const stored = (): ThemeChoice => {
  try {
    const v = localStorage.getItem(KEY)
    return v === 'dark' || v === 'light' ? v : 'system'
  } catch {
    return 'system' // storage may be denied; the choice then lasts as long as the window
  }
}

const resolve = (choice: ThemeChoice): ThemeName => (choice === 'system' ? (matchMedia(LIGHT).matches ? 'light' : 'dark') : choice)

interface ThemeState {
  readonly choice: ThemeChoice
  /** The tokens in force; a new object whenever they change. */
  readonly theme: Theme
}

/** Sets `data-theme` on the document and answers the tokens under it. */
function apply(choice: ThemeChoice): Theme {
  document.documentElement.dataset.theme = resolve(choice)
  return makeTheme()
}

const useThemeStore = create<ThemeState>()(() => ({ choice: 'system', theme: { name: 'dark', token: () => '' } }))

/** Puts the kept choice in force and follows the system from then on. Called once, after the style sheets are in place. */
export function startTheme(): void {
  const set = (choice: ThemeChoice): void => useThemeStore.setState({ choice, theme: apply(choice) })
  set(stored())
  matchMedia(LIGHT).addEventListener('change', () => {
    if (useThemeStore.getState().choice === 'system') set('system')
  })
}

export function setThemeChoice(choice: ThemeChoice): void {
  try {
    if (choice === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, choice)
  } catch {
    // see stored()
  }
  useThemeStore.setState({ choice, theme: apply(choice) })
}

/** The next choice of the toggle: system, then the other one than the system's, then the system's, then system again. */
export function nextChoice(choice: ThemeChoice, systemIsLight: boolean): ThemeChoice {
  const order: readonly ThemeChoice[] = systemIsLight ? ['system', 'dark', 'light'] : ['system', 'light', 'dark']
  return order[(order.indexOf(choice) + 1) % order.length]
}

export function toggleTheme(): void {
  setThemeChoice(nextChoice(useThemeStore.getState().choice, matchMedia(LIGHT).matches))
}

/** The theme of the window for painting code; changes identity when the colours change. */
export const useTheme = (): Theme => useThemeStore(s => s.theme)
export const useThemeChoice = (): ThemeChoice => useThemeStore(s => s.choice)
