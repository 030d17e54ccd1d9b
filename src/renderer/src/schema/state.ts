/** The trace schemas that the user imported, as the host keeps them, and what the last import found. */
import { create } from 'zustand'
import type { SchemaAdded, SchemaInfo } from '../../../shared/schema-api'
import { request, words } from '../state/session'
import { openDialog } from '../shell/ui'

export type Outcome =
  | { readonly kind: 'searching' }
  | { readonly kind: 'added'; readonly schema: SchemaInfo; readonly again: number }
  | { readonly kind: 'removed'; readonly file: string; readonly again: number }
  | { readonly kind: 'refused'; readonly text: string }

export const useSchemas = create<{
  /** null until the host was asked. */
  readonly list: readonly SchemaInfo[] | null
  /** Of the last import or removal, shown in the dialog. */
  readonly outcome: Outcome | null
}>()(() => ({ list: null, outcome: null }))
const set = useSchemas.setState

const refused = (e: unknown): void => set({ outcome: { kind: 'refused', text: words(e) } })

export async function loadSchemas(): Promise<void> {
  try {
    set({ list: await request('schema.list', {}) })
  } catch (e) {
    refused(e)
  }
}

function added({ schema, again }: SchemaAdded): void {
  set({ outcome: { kind: 'added', schema, again } })
  void loadSchemas()
}

/** Desktop: the system's dialog. Browser: the picker over the served folders. What was found stands in the dialog of the schemas. */
export async function importSchema(): Promise<void> {
  try {
    const answer = await request('schema.pick', {})
    if (answer.kind === 'cancelled') return
    if (answer.kind === 'browse') return openDialog('browse-schema')
    added(answer)
  } catch (e) {
    refused(e)
  }
  openDialog('schemas')
}

/** The same for a file that was chosen in the browser's picker. */
export async function importBrowsed(id: string): Promise<void> {
  set({ outcome: { kind: 'searching' } })
  openDialog('schemas')
  try {
    added(await request('schema.add', { id }))
  } catch (e) {
    refused(e)
  }
}

export async function removeSchema({ id, file }: SchemaInfo): Promise<void> {
  try {
    const { again } = await request('schema.remove', { id })
    set({ outcome: { kind: 'removed', file, again } })
  } catch (e) {
    refused(e)
  }
  await loadSchemas()
}

/** Shows the list; nothing is said of earlier imports. */
export function showSchemas(): void {
  set({ outcome: null })
  openDialog('schemas')
}
