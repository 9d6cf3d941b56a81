/** The output of checks: as plain text, and live (server-sent events, HTML Living Standard 9.2). */
import { getCheckLog } from '#features/checks/index.ts'
import { getPullChecks } from '#features/pulls/index.ts'
import { eventStreamResponse, serverEvent, KEEP_ALIVE } from '../../live.ts'
import { openStream } from '../../open-streams.ts'
import type { Resource, Visit } from '../../site.ts'
import { numberOf } from '../issues/issue.tsx'
import { repoOf } from '../repos/frame.tsx'
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
    const read = (after: number) =>
      visit.call(getCheckLog, { ...target(visit), check, after, limit: PART_BYTES })
    // Before anything is sent, so that a refusal has its own status.
    let part: Awaited<ReturnType<typeof read>> | null = await read(0)
    const release = await openStream(visit)
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          if (part !== null && part.text !== '') controller.enqueue(encoder.encode(part.text))
          part =
            part === null || part.text === '' || part.next === null
              ? null
              : await read(part.next).catch(() => null)
          if (part !== null && part.text !== '') return
          release()
          controller.close()
        },
        cancel: release,
      },
      { highWaterMark: 0 },
    )
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
