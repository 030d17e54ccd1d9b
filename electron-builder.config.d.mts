export declare const fuses: Readonly<Record<string, boolean>>
declare const config: { readonly electronFuses: typeof fuses; readonly files: readonly string[] } & Readonly<Record<string, unknown>>
export default config
