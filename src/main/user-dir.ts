/** Folders of the user: settings and recents, and what can be made again. `NEURON_WORKBENCH_DIR` puts both elsewhere (tests, shared hosts). */
import { homedir } from 'node:os'
import { join } from 'node:path'

const NAME = 'neuron-workbench'
type Env = Readonly<Record<string, string | undefined>>

/** Settings and recent folders. */
export function userDir(env: Env = process.env, platform: NodeJS.Platform = process.platform): string {
  const own = env['NEURON_WORKBENCH_DIR']
  if (own) return own
  if (platform === 'win32') return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), NAME)
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', NAME)
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), NAME)
}

/** What can be made again: the sample profile, what is known about the last start. */
export function cacheDir(env: Env = process.env, platform: NodeJS.Platform = process.platform): string {
  const own = env['NEURON_WORKBENCH_DIR']
  if (own) return join(own, 'cache')
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), NAME, 'cache')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', NAME)
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), NAME)
}
