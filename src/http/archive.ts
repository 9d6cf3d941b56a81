/**
 * The door of archives: `/_archive/<token>/<name>.zip` streams a zip file of a commit to whoever
 * has the link. It knows the operation behind it by name only. Nothing is written to disk; a few
 * are made at once and the others wait.
 */
import { anonymous } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type Typed } from '#core/operation.ts'
import { Refusal } from '#lib/errors.ts'
import { overloaded, principalOf, runAs } from '#core/work.ts'
import type { Door, Exchange } from './exchange.ts'
import { Watchdog } from './git-streams.ts'
import { placesOf } from './places.ts'
import { decode } from './query.ts'
import type { Mount } from './rest.ts'

type OpenArchive = Typed<
  { token: string; file: string },
  { store: string; commit: string; folder: string }
>

/**
 * The bytes once the first of them are there: what stands against it until then can still be said.
 */
async function begin(
  exchange: Exchange,
  store: string,
  commit: string,
  folder: string,
): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  const { hearth, request } = exchange
  exchange.allowSilence()
  const watchdog = new Watchdog()
  const signal = AbortSignal.any([request.signal, hearth.stopping, watchdog.signal])
  const party = principalOf(anonymous, exchange.origin)
  const leave = await placesOf(hearth).enter(party, signal)
  const noteEnd = hearth.measures.begin('archive', { store })
  const end = (): void => {
    watchdog.stop()
    noteEnd()
    leave()
  }
  try {
    const bytes = await runAs(party, () =>
      hearth.git.archive(
        store,
        commit,
        { format: 'zip', prefix: folder },
        { signal, onMove: () => watchdog.touch(), onEnd: end },
      ),
    )
    if (bytes instanceof Uint8Array) end()
    return bytes
  } catch (error) {
    end()
    throw overloaded(hearth, error) ?? error
  }
}

export function archiveMounts(hearth: Hearth): Mount[] {
  const openArchive = hearth.operationsByName.get('open_archive') as OpenArchive | undefined
  if (!openArchive) return []
  const door: Door = async (exchange) => {
    const { request, path } = exchange
    exchange.operation = openArchive.name
    // Whoever reads the log must not be able to use the link.
    exchange.loggedPath = '/_archive'
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new Refusal(
        'method_not_allowed',
        `${request.method} is not possible here; GET, HEAD are`,
        { headers: { allow: 'GET, HEAD' } },
      )
    }
    const [token = '', file = ''] = path.split('/').slice(2).map(decode)
    const { store, commit, folder } = await call(hearth, openArchive, anonymous, { token, file })
    const body = request.method === 'HEAD' ? null : await begin(exchange, store, commit, folder)
    return new Response(body as BodyInit | null, {
      headers: {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${folder}.zip"`,
        'cache-control': 'private, max-age=600',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'referrer-policy': 'no-referrer',
      },
    })
  }
  return [{ path: '/_archive/:token/:file', door }]
}
