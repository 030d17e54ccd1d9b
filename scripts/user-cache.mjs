/** The user's cache folder of the program, as src/main/user-dir.ts names it (a test compares them): scripts run before anything is built. */
import { homedir } from 'node:os'
import { join } from 'node:path'

export function cacheDir(env = process.env, platform = process.platform) {
  if (env.NEURON_WORKBENCH_DIR) return join(env.NEURON_WORKBENCH_DIR, 'cache')
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'neuron-workbench', 'cache')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'neuron-workbench')
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'neuron-workbench')
}
