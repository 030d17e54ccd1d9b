type Env = Readonly<Record<string, string | undefined>>
export const DOWNLOAD_MS: number
export function electronPackage(from?: string): string | null
export function electronBinary(folder?: string | null, env?: Env): string | null
export function rememberedFailure(folder: string, env?: Env): string | null
export function forgetFailure(env?: Env): void
export function downloadElectron(
  folder: string,
  options?: { readonly ms?: number; readonly env?: Env; readonly signal?: AbortSignal },
): Promise<string | null>
