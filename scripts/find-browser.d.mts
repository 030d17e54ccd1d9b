export const CHROMIUM_FLAGS: readonly string[]
export interface FindOptions {
  readonly install?: boolean
  readonly platform?: NodeJS.Platform
  readonly env?: Readonly<Record<string, string | undefined>>
}
export function installedBrowser(options?: Pick<FindOptions, 'platform' | 'env'>): string | null
export function findBrowser(options?: FindOptions): string
