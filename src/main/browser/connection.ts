/**
 * One page that is connected: decodes its requests, hands them to the host, sends answers and events. A page that doesn't keep to the protocol is
 * disconnected; one that doesn't read what it asked for, too.
 */
import type { WebSocket } from 'ws'
import { RequestError, type HostEvent } from '../../shared/api'
import type { FromHost } from '../../shared/socket'
import { decodeWire, encodeWire, REQUEST_LIMITS, WireError } from '../../shared/wire'
import { Bucket, LIMITS } from './limits'

/** What a shell needs of the host. */
export interface RequestHost {
  /** Checks and carries out one request. Rejects with RequestError for what the user should read. */
  handle(name: unknown, args: unknown): Promise<unknown>
  onEvent(listener: (event: HostEvent) => void): () => void
}

/** Close codes of RFC 6455. */
const CLOSE = { unsupported: 1003, damaged: 1007, tooMuch: 1008 } as const

/** Serves one page until it goes. `log` gets one line for each thing that should not happen. */
export function serveConnection(socket: WebSocket, host: RequestHost, log: (line: string) => void): void {
  let pending = 0
  const rate = new Bucket(LIMITS.requests)
  /** Refused requests since the last one that was not. */
  let strikes = 0
  const send = (message: FromHost): void => {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > LIMITS.buffered) {
      log('a page was disconnected: it does not read its answers')
      socket.terminate()
      return
    }
    socket.send(encodeWire(message))
  }
  const answer = async (id: number, name: unknown, args: unknown): Promise<void> => {
    const over =
      pending >= LIMITS.pending
        ? `Too many requests at once; at most ${LIMITS.pending} may be under way.`
        : rate.take()
          ? null
          : `Too many requests; at most ${LIMITS.requests.perSecond} a second are answered. Try again in a moment.`
    if (over !== null) {
      if (++strikes === LIMITS.strikes) {
        log('a page was disconnected: it asks for more than its limits, again and again')
        socket.close(CLOSE.tooMuch, 'too many requests')
      }
      return send(['error', id, over])
    }
    strikes = 0
    pending++
    try {
      send(['answer', id, await host.handle(name, args)])
    } catch (e) {
      send(['error', id, userText(e, log)])
    } finally {
      pending--
    }
  }
  const leave = host.onEvent(event => send(['event', event]))
  socket.on('message', (data, isBinary) => {
    if (!isBinary || !(data instanceof Buffer)) return socket.close(CLOSE.unsupported, 'binary messages only')
    try {
      const message = decodeWire(data, REQUEST_LIMITS)
      if (!Array.isArray(message) || message.length !== 3 || !Number.isSafeInteger(message[0])) throw new WireError('not a request')
      void answer(message[0] as number, message[1], message[2])
    } catch (e) {
      if (!(e instanceof WireError)) throw e
      log(`a page was disconnected: ${e.message}`)
      socket.close(CLOSE.damaged, 'damaged message')
    }
  })
  socket.on('close', leave)
  // ws reports broken frames and oversized messages here and closes the connection itself.
  socket.on('error', e => log(`connection: ${e.message}`))
}

/** What the user reads about a failed request. A bug is called one; its stack goes to the log. */
export function userText(e: unknown, log: (line: string) => void): string {
  if (e instanceof RequestError) return e.message
  log(e instanceof Error ? (e.stack ?? e.message) : String(e))
  return `Internal error: ${e instanceof Error ? e.message : String(e)}`
}
