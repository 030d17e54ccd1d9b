/** The IPC of the desktop: two channels in, one out. The sender is checked here, names and arguments by the host. */
import { isAbsolute } from 'node:path'
import type { IpcMain, IpcMainInvokeEvent } from 'electron'
import { RequestError } from '../../shared/api'
import { CHANNEL, type Outcome } from '../../shared/channels'
import { isOurFrame } from './origin'

export interface IpcHost {
  handle(name: unknown, args: unknown): Promise<unknown>
  openPath(path: string): Promise<{ readonly opened: boolean; readonly reason: string | null }>
}

const NO_PATH =
  'What was dropped is no file or folder of this machine (a picture from a web page, for example). Drop a folder or file from the file manager.'

/** Registers the channels. `devServer` is null in every packaged program. */
export function registerIpc(ipc: IpcMain, host: IpcHost, devServer: string | null, log: (line: string) => void): void {
  const handle = (channel: string, act: (...args: readonly unknown[]) => Promise<unknown>): void => {
    ipc.handle(channel, async (event: IpcMainInvokeEvent, ...args: unknown[]): Promise<Outcome> => {
      if (!isOurFrame(event.senderFrame, devServer)) {
        log(`refused: ${channel} from ${event.senderFrame?.url ?? 'a frame that is gone'}`)
        return { ok: false, text: 'This page may not ask the program anything.' }
      }
      try {
        return { ok: true, value: await act(...args) }
      } catch (e) {
        if (e instanceof RequestError) return { ok: false, text: e.message }
        log(e instanceof Error ? (e.stack ?? e.message) : String(e))
        return { ok: false, text: `Internal error: ${e instanceof Error ? e.message : String(e)}` }
      }
    })
  }
  handle(CHANNEL.request, (name, args) => host.handle(name, args))
  handle(CHANNEL.drop, async path => {
    if (typeof path !== 'string' || path.length > 4096 || path.includes('\0')) throw new RequestError('Not a path.')
    if (!isAbsolute(path)) return { opened: false, reason: NO_PATH }
    return host.openPath(path)
  })
}
