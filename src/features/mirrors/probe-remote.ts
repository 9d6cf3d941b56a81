/** Asks whether a remote answers: one request, which brings no refs. */
import type { Hearth } from '#core/hearth.ts'
import { remoteTransport } from '#features/repos/index.ts'
import { GitError } from '#git'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { SECOND } from '#lib/time.ts'
import { withTimeout } from '#lib/waiting.ts'
import { remoteAccess } from './remote.ts'
import type { MirrorRow } from './store.ts'

const TIMEOUT_MS = 10 * SECOND
const SERVER_ERRORS = 500
const REFUSALS = new Set([401, 403, 404, 410])

export type Probe = {
  readonly reached: boolean
  /** What somebody has to repair, although the remote answers. */
  readonly problem: string | null
}

export async function probeRemote(
  hearth: Hearth,
  row: MirrorRow,
  signal: AbortSignal,
): Promise<Probe> {
  const stop = new AbortController()
  try {
    const answer = await withTimeout(
      ask(hearth, row, AbortSignal.any([signal, stop.signal])),
      TIMEOUT_MS,
      () => null,
    )
    if (answer === null || answer >= SERVER_ERRORS) return { reached: false, problem: null }
    // A refusal is no outage: nobody else can push there either until it is repaired.
    return {
      reached: true,
      problem: REFUSALS.has(answer)
        ? `the remote answers with status ${answer}: check its address and token`
        : null,
    }
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof OutboundError && error.fault === 'blocked_address')
      return { reached: true, problem: error.message }
    if (error instanceof OutboundError) return { reached: false, problem: null }
    if (error instanceof GitError) return { reached: true, problem: error.message }
    throw error
  } finally {
    stop.abort()
  }
}

/** The status of the first request of a fetch. */
async function ask(hearth: Hearth, row: MirrorRow, signal: AbortSignal): Promise<number> {
  const transport = remoteTransport(hearth, remoteAccess(hearth, row))
  const { status, body } = await transport({
    method: 'GET',
    url: `${row.url}/info/refs?service=git-upload-pack`,
    headers: {
      'user-agent': 'git/2.50.0 (hearth)',
      accept: '*/*',
      'accept-encoding': 'identity',
      'git-protocol': 'version=2',
    },
    body: null,
    redirect: true,
    signal,
  })
  await body.cancel()
  return status
}
