/**
 * How the desktop program is packaged: `npm run package` (scripts/package.mjs) builds, runs electron-builder with this, and reads the fuses back.
 * electron-builder itself is no dependency of the project (90 MB, 280 packages, needed by nobody who works on the program): `npx` brings the version
 * that scripts/package.mjs names, and it checks this file against its schema before it does anything.
 */

/**
 * Switches in the Electron binary, set before it is signed. Everything that lets somebody run other code under the program's name and rights is off:
 * it is no Node (`ELECTRON_RUN_AS_NODE`), takes no options of Node from environment or command line and no debugger, and loads its code from the archive
 * alone, whose hash is in the binary (checked on macOS and Windows). The page comes over app://, so file: pages need no privileges of their own.
 */
export const fuses = {
  runAsNode: false,
  enableCookieEncryption: true,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  grantFileProtocolExtraPrivileges: false,
}

export default {
  appId: 'dev.neuron-workbench.desktop',
  productName: 'Neuron Workbench',
  directories: { output: 'dist' },
  // The command line is a package of its own (npm); its native canvas has no place in the desktop program.
  files: ['out/**', '!out/main/cli.js', 'package.json', 'LICENSE', '!**/node_modules/@napi-rs/**'],
  asar: true,
  // No native module is left: nothing to build for Electron's version of Node.
  npmRebuild: false,
  electronFuses: fuses,
  // Opened with the program when the user asks for it; nothing is taken from the program that opens such files now.
  fileAssociations: [
    { ext: 'pickle', name: 'PyTorch memory snapshot', role: 'Viewer', rank: 'Alternate' },
    { ext: 'ntff', name: 'Neuron device profile', role: 'Viewer', rank: 'Alternate' },
    { ext: 'neff', name: 'Neuron model', role: 'Viewer', rank: 'Alternate' },
  ],
  linux: { target: ['AppImage', 'tar.gz'], category: 'Development', executableName: 'neuron-workbench' },
  mac: { target: ['dmg', 'zip'], category: 'public.app-category.developer-tools' },
  win: { target: ['nsis', 'zip'] },
  nsis: { oneClick: false, perMachine: false },
}
