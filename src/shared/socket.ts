/**
 * The messages of the browser transport: one WebSocket, one MessagePack value per binary message (see wire.ts).
 * The page proves itself with the token as a second subprotocol; a browser sends that to no other origin, and it stands in no address or log.
 */
import type { HostEvent } from './api'

/** Subprotocol that the server selects. The number changes when the messages do. */
export const SOCKET_PROTOCOL = 'neuron-workbench.1'
/** Prefix of the subprotocol that carries the token; the server never selects it. */
export const TOKEN_PROTOCOL = 'token.'
/** Path of the WebSocket. */
export const SOCKET_PATH = '/socket'
/** Answers 204 to `Authorization: Bearer TOKEN` with the right token, 401 to a wrong one: a page can't see why a WebSocket was refused. */
export const CHECK_PATH = '/check'

/** Page to host: [number of the request, name, argument]. */
export type ToHost = readonly [id: number, name: string, args: unknown]

/** Host to page. The text of an error is for the user. */
export type FromHost =
  readonly ['answer', id: number, value: unknown] | readonly ['error', id: number, text: string] | readonly ['event', event: HostEvent]
