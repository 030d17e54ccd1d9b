/**
 * The way to the host: `window.workbench` in the desktop, a WebSocket in the browser. Both are the same `Bridge`; views never ask which one it is.
 * Whether the host can be reached stands in `connectionState()`; after a loss the bridge connects again by itself, and `onConnection` tells the views
 * to ask anew for what they show.
 */
import { RequestError, type Bridge } from '../../shared/api'
import { socketBridge, type Connection } from './socket-bridge'

export type { ConnectionState } from './socket-bridge'

declare global {
  interface Window {
    readonly workbench?: Bridge
  }
}

const desktop: Connection = { state: () => ({ kind: 'open' }), onState: () => () => undefined, retry: () => undefined }

/** An error of the desktop bridge comes out of another world as a plain Error: named again, so that views can tell it from a bug. */
const named = (inner: Bridge): Bridge => ({
  shell: inner.shell,
  request: (name, args) =>
    inner.request(name, args).catch((e: unknown) => {
      throw new RequestError(e instanceof Error ? e.message : String(e))
    }),
  onEvent: listener => inner.onEvent(listener),
  openDropped: file => inner.openDropped(file),
})

const made: { readonly bridge: Bridge; readonly connection: Connection } = window.workbench
  ? { bridge: named(window.workbench), connection: desktop }
  : socketBridge(window)

export const bridge: Bridge = made.bridge

/** The state of the connection now. The desktop is always open. */
export const connectionState = made.connection.state
/** Calls the listener with each new state; returns how to stop. */
export const onConnection = made.connection.onState
/** Tries to connect at once instead of after the pause. */
export const reconnect = made.connection.retry
