export interface StartArguments {
  readonly path: string | null
  readonly browser: boolean
  readonly retry: boolean
}
export function hasDisplay(env?: Readonly<Record<string, string | undefined>>, platform?: NodeJS.Platform): boolean
export function startArguments(argv: readonly string[], from: string): StartArguments | { readonly usage: string }
export function findWindow(options?: {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly platform?: NodeJS.Platform
  readonly uid?: number
  readonly folder?: string | null
  readonly signal?: AbortSignal
}): Promise<{ readonly binary?: string; readonly reason?: string }>
