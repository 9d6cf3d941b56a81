/**
 * Output of checks: as plain text, and as it is written (server-sent events, HTML Living Standard
 * 9.2).
 */
import { getCheckLog } from '#features/checks/index.ts'
import { getPullChecks } from '#features/pulls/index.ts'
import { eventStreamResponse, serverEvent, KEEP_ALIVE } from '../../live.ts'
import type { Resource, Visit } from '../../site.ts'
import { numberOf } from '../issues/issue.tsx'
import { repoOf } from '../repos/frame.tsx'
import { stateOf } from './checks.tsx'

const target = (visit: Visit) => ({ repo: repoOf(visit), number: numberOf(visit) ?? 0 })

const PART_BYTES = 512 * 1024
/** Shorter than any idle connection lives. */
const WAIT_SECONDS = 15

/** `log_url`: the output of one command so far, as it is kept. */
export const checkLog: Resource = {
  path: '/:workspace/:repo/pull/:number/checks/:check.log',
  async respond(visit) {
    const check = visit.params.check ?? ''
    const read = (after: number) =>
      visit.call(getCheckLog, { ...target(visit), check, after, limit: PART_BYTES })
    // Asked before anything is sent, so that a refusal is one.
    let part: Awaited<ReturnType<typeof read>> | null = await read(0)
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (part === null) return controller.close()
        if (part.text !== '') controller.enqueue(encoder.encode(part.text))
        part =
          part.text === '' || part.next === null ? null : await read(part.next).catch(() => null)
        if (part === null || part.text === '') controller.close()
      },
    })
    return new Response(body, {
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-cache',
        'content-security-policy': "default-src 'none'; sandbox",
      },
    })
  },
}

/**
 * What has happened since the page was made: `text` of the command that runs, `changed` when the
 * page should be fetched anew.
 */
async function* follow(visit: Visit): AsyncGenerator<string> {
  const { searchParams } = visit.url
  const seen = searchParams.get('state') ?? ''
  const check = searchParams.get('check') ?? ''
  // A browser that lost the connection says how far it came.
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
  async respond(visit) {
    await visit.call(getPullChecks, target(visit))
    return eventStreamResponse(follow(visit))
  },
}
