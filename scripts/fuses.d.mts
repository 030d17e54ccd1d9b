export declare const FUSES: readonly { readonly name: string; readonly value: number; readonly option: string }[]
export declare function optionOf(fuse: string): string
export declare function wrongFuses(path: string, wanted: Readonly<Record<string, boolean>>): Promise<readonly string[]>
export declare function packagedPrograms(
  dist: string,
  names: { readonly productName: string; readonly executableName: string },
): readonly string[]
