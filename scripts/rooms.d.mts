/** Rooms that each room may import. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>>
/** Packages that only certain rooms may import. */
export const OWNED: readonly { readonly packages: readonly string[]; readonly rooms: readonly string[] }[]
/** The rules as ESLint configuration. */
export const roomRules: readonly object[]
