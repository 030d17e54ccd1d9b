/** Makes `import 'electron'` and `require('electron')` find the stand-in. */
import { registerHooks } from 'node:module'

const url = new URL('./electron.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' || specifier === 'electron/main' ? { url, shortCircuit: true } : next(specifier, context),
})
