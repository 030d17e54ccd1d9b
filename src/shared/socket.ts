/**
 * The messages of the browser transport: one WebSocket, one MessagePack value per binary message (see wire.ts), and how a page proves itself.
 * The token of the printed address is exchanged once for a cookie, which the browser keeps from scripts, and a key, which the page keeps and sends as a
 * second subprotocol. Both are needed from then on; why is told in src/main/browser/README.md.
 */
import type { HostEvent } from './api'

/** Subprotocol that the server selects. The number changes when the messages do. */
export const SOCKET_PROTOCOL = 'neuron-workbench.1'
/** Prefix of the subprotocol that carries the page's key; the server never selects it. */
export const KEY_PROTOCOL = 'key.'
/** Path of the WebSocket. */
export const SOCKET_PATH = '/socket'
/** POST with `Authorization: Bearer TOKEN` answers 200, the cookie, and the key as text; 401 to a wrong token. */
export const AUTH_PATH = '/auth'
/** GET answers 204 to `Authorization: Bearer KEY` with the cookie, 401 to a wrong one: a page can't see why a WebSocket was refused. */
export const CHECK_PATH = '/check'

/** Page to host: [number of the request, name, argument]. */
export type ToHost = readonly [id: number, name: string, args: unknown]

/** Host to page. The text of an error is for the user. */
export type FromHost =
  readonly ['answer', id: number, value: unknown] | readonly ['error', id: number, text: string] | readonly ['event', event: HostEvent]
