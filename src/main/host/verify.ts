/** The logic of a verification thread: answers one request. The work comes as an argument, so that it runs in process in tests. */
import type { Verification } from '../../shared/verify'
import type { PortLike, VerifyReply, VerifyRequest } from './protocol'

/** A file that cannot be verified, for a reason that the user is told as it stands. */
export class NotVerifiable extends Error {
  override readonly name = 'NotVerifiable'
}

/** Rows that an answer carries at most; a file with more devices than any machine has says so. */
const MAX_ROWS = 2000

export function serveVerify(port: PortLike, work: (request: VerifyRequest) => Promise<Verification>): void {
  port.on('message', message => {
    void answer(work, message as VerifyRequest).then(reply => port.postMessage(reply))
  })
}

async function answer(work: (request: VerifyRequest) => Promise<Verification>, request: VerifyRequest): Promise<VerifyReply> {
  try {
    return { ok: true, result: bounded(await work(request)) }
  } catch (e) {
    const text = e instanceof Error ? e.message : String(e)
    return { ok: false, message: e instanceof NotVerifiable ? text : `The verification failed: ${text.slice(0, 300)}` }
  }
}

function bounded(v: Verification): Verification {
  if (v.rows.length <= MAX_ROWS) return v
  // What differs comes first: it must not be among those left out.
  const order = { differs: 0, 'cannot-tell': 1, equal: 2 } as const
  const rows = [...v.rows].sort((a, b) => order[a.verdict] - order[b.verdict]).slice(0, MAX_ROWS)
  return {
    ...v,
    rows,
    limits: [...v.limits, `${(v.rows.length - MAX_ROWS).toLocaleString('en-US')} rows are left out here; the terminal command lists all.`],
  }
}
