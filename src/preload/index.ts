/**
 * The bridge of the desktop: `window.workbench` is the API contract and nothing else. Neither ipcRenderer nor one of its functions gets into the page;
 * names and arguments are checked by the host, not here.
 */
import { contextBridge, ipcRenderer, webUtils, type IpcRendererEvent } from 'electron'
import type { Answers, Bridge, HostEvent, RequestArgs, RequestName } from '../shared/api'
import { CHANNEL, type Outcome } from '../shared/channels'

async function invoke(channel: string, ...args: readonly unknown[]): Promise<unknown> {
  const outcome = (await ipcRenderer.invoke(channel, ...args)) as Outcome
  if (outcome.ok) return outcome.value
  throw new Error(outcome.text)
}

const bridge: Bridge = {
  shell: 'desktop',
  request: <N extends RequestName>(name: N, args: RequestArgs<N>) => invoke(CHANNEL.request, name, args) as Promise<Answers[N]>,
  onEvent(listener: (event: HostEvent) => void) {
    // The event object of Electron stays here: it holds the sender.
    const forward = (_: IpcRendererEvent, event: HostEvent): void => listener(event)
    ipcRenderer.on(CHANNEL.event, forward)
    return () => {
      ipcRenderer.removeListener(CHANNEL.event, forward)
    }
  },
  // A File comes in, never a path: only the shell can tell where a file that the user dropped lies. Files made by a script have none.
  openDropped: async (file: File) =>
    (await invoke(CHANNEL.drop, webUtils.getPathForFile(file))) as { readonly opened: boolean; readonly reason: string | null },
}

contextBridge.exposeInMainWorld('workbench', Object.freeze(bridge))
