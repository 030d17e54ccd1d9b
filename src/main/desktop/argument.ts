/** The PATH of the command line that started the program. */
import { isAbsolute, resolve } from 'node:path'

/**
 * The first argument that is no switch, made absolute; null without one. A program that is not packaged is started as `electron [switches] APP PATH`
 * (tools put switches of their own, with and without values, before APP), so there the arguments up to APP are skipped.
 */
export function pathArgument(
  argv: readonly string[],
  options: { readonly packaged: boolean; readonly appPath: string; readonly cwd: string },
): string | null {
  const from = options.packaged ? 1 : argv.findIndex((a, i) => i > 0 && resolve(options.cwd, a) === resolve(options.appPath)) + 1
  if (from === 0) return null
  const given = argv.slice(from).find(a => a !== '' && !a.startsWith('-'))
  if (given === undefined) return null
  return isAbsolute(given) ? given : resolve(options.cwd, given)
}
