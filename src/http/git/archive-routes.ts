/**
 * Archives: `/_archive/<token>/<name>.zip` streams a zip file of a commit to whoever has the link,
 * and `.tar.gz` a compressed tar.
 * Only the name of the operation behind it is known here. Nothing is written to disk. Archives
 * count as git transfers of their caller.
 */
import type { Ref } from '#git'
import { anonymous } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type Typed } from '#core/operation.ts'
import { engineRefusal, principalOf, runAs } from '#core/principal.ts'
import { Refusal } from '#lib/errors.ts'
import type { Exchange, HttpRoute } from '../exchange.ts'
import { percentDecode } from '../query.ts'
import { streamOfUnknownLength } from '../responses.ts'
import { Watchdog } from './transfer-watchdog.ts'
import { transferSemaphore } from './transfers.ts'

type Archive = {
  store: string
  commit: string
  folder: string
  format: 'zip' | 'tar.gz'
  head: string
  refs: Ref[]
}
type OpenArchive = Typed<{ token: string; file: string }, Archive>

/** Waits for the first bytes, so that an error before them can still become a response. */
async function startArchive(
  exchange: Exchange,
  { store, commit, folder, format, head, refs }: Archive,
): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  const { hearth, request } = exchange
  exchange.setIdleTimeout(0)
  const watchdog = new Watchdog()
  const signal = AbortSignal.any([request.signal, hearth.stopping, watchdog.signal])
  const principal = principalOf(anonymous, exchange.origin)
  const release = await transferSemaphore(hearth).acquire({ caller: principal, signal })
  const endOperation = hearth.metrics.startGitOperation('archive', { store })
  const end = (): void => {
    watchdog.stop()
    endOperation()
    release()
  }
  try {
    const bytes = await runAs(principal, () =>
      hearth.git.archive(
        store,
        commit,
        { format, prefix: folder, head, refs },
        { signal, onProgress: () => watchdog.touch(), onEnd: end },
      ),
    )
    if (bytes instanceof Uint8Array) end()
    return bytes
  } catch (error) {
    end()
    throw engineRefusal(hearth, error) ?? error
  }
}

async function serveArchive(exchange: Exchange, openArchive: OpenArchive): Promise<Response> {
  const { hearth, path } = exchange
  exchange.operation = openArchive.name
  // A reader of the log must not be able to use the link.
  exchange.loggedPath = '/_archive'
  if (exchange.method !== 'GET') {
    throw new Refusal(
      'method_not_allowed',
      `${exchange.method} is not possible here; GET, HEAD are`,
      { headers: { allow: 'GET, HEAD' } },
    )
  }
  const [token = '', file = ''] = path.split('/').slice(2).map(percentDecode)
  const archive = await call(hearth, openArchive, anonymous, { token, file })
  const body = exchange.isHead ? streamOfUnknownLength() : await startArchive(exchange, archive)
  return new Response(body as BodyInit, {
    headers: {
      'content-type': archive.format === 'zip' ? 'application/zip' : 'application/gzip',
      'content-disposition': `attachment; filename="${archive.folder}.${archive.format}"`,
      'cache-control': 'private, max-age=600',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'referrer-policy': 'no-referrer',
    },
  })
}

export function archiveRoutes(hearth: Hearth): HttpRoute[] {
  const openArchive = hearth.operationsByName.get('open_archive') as OpenArchive | undefined
  if (!openArchive) return []
  const handler = (exchange: Exchange): Promise<Response> => serveArchive(exchange, openArchive)
  return [{ path: '/_archive/:token/:file', handler }]
}
