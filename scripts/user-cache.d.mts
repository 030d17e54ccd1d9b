export function cacheDir(env?: Readonly<Record<string, string | undefined>>, platform?: NodeJS.Platform): string
