/** The output of checks: as plain text, and live (server-sent events, HTML Living Standard 9.2). */
import { getCheckLog } from '#features/checks/index.ts'
import { getPullChecks } from '#features/pulls/index.ts'
import { eventStreamResponse, serverEvent, KEEP_ALIVE } from '../../live.ts'
import type { Resource, Visit } from '../../site.ts'
import { streamedText, type TextPart } from '../../streamed-text.ts'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { stateOf } from './checks.tsx'

const target = (visit: Visit) => ({ repo: repoOf(visit), number: numberOf(visit) ?? 0 })

const PART_BYTES = 512 * 1024
/** Below the usual timeout of idle connections. */
const WAIT_SECONDS = 15

/** `log_url`: the output of one command so far. */
export const checkLog: Resource = {
  path: '/:workspace/:repo/pull/:number/checks/:check.log',
  async respond(first) {
    // The right to read is checked again for each part: a reader may be slow.
    const visit = first.forStream()
    const check = visit.params.check ?? ''
    // The end of what there is, also while the command still runs, is a part without text.
    const read = async (after: number): Promise<TextPart | null> => {
      const limit = PART_BYTES
      const { text, next } = await visit.call(getCheckLog, {
        ...target(visit),
        check,
        after,
        limit,
      })
      return text === '' ? null : { text, next: next === null ? null : () => read(next) }
    }
    return streamedText(visit, await read(0))
  },
}

/**
 * Events since the page was rendered: `text` of the running command, `changed` when the page must
 * be loaded again.
 */
async function* follow(visit: Visit): AsyncGenerator<string> {
  const { searchParams } = visit.url
  const seen = searchParams.get('state') ?? ''
  const check = searchParams.get('check') ?? ''
  // A browser that reconnects sends how far it got.
  let after = Number(
    /^\d{1,15}$/.exec(
      visit.request.headers.get('last-event-id') ?? searchParams.get('after') ?? '',
    )?.[0] ?? 0,
  )
  for (;;) {
    const checks = await visit.call(getPullChecks, target(visit))
    if (stateOf(checks) !== seen) {
      yield serverEvent('changed', null)
      return
    }
    if (check === '') return
    const part = await visit.call(getCheckLog, {
      ...target(visit),
      check,
      after,
      limit: PART_BYTES,
      wait: WAIT_SECONDS,
    })
    if (visit.request.signal.aborted || visit.hearth.draining.aborted) return
    after = part.next ?? after
    yield part.text === ''
      ? KEEP_ALIVE
      : serverEvent('text', { id: `log-${check}`, text: part.text }, `${after}`)
  }
}

export const checksLive: Resource = {
  path: '/:workspace/:repo/pull/:number/checks/live',
  async respond(first) {
    const visit = first.forStream()
    const read = () => visit.call(getPullChecks, target(visit))
    await read()
    return await eventStreamResponse(visit, follow(visit), read)
  },
}
