/**
 * Archives: `/_archive/<token>/<name>.zip` streams a zip file of a commit to whoever has the link,
 * and `.tar.gz` a compressed tar.
 * Only the name of the operation behind it is known here. Nothing is written to disk. Archives
 * count as git transfers of their caller.
 */
import type { ArchivedLargeFile, Oid, Ref } from '#git'
import { localBlob } from '#core/blobs.ts'
import { anonymous } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type Typed } from '#core/operation.ts'
import { engineRefusal, principalOf, runAs } from '#core/principal.ts'
import { service } from '#core/service.ts'
import { isNotModified, type Range, selectBytes } from '#lib/byte-range.ts'
import { createCache } from '#lib/cache.ts'
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
  tags: readonly Ref[]
  large_files: readonly { blob: Oid; sha256: string; size: number }[]
}
type OpenArchive = Typed<{ token: string; file: string }, Archive>

/** The large files on this disk, after those in the bucket were fetched. One that is lost stays a pointer. */
async function localFiles(
  hearth: Hearth,
  files: Archive['large_files'],
): Promise<readonly ArchivedLargeFile[]> {
  const local: ArchivedLargeFile[] = []
  for (const { blob, sha256, size } of files) {
    const path = await localBlob(hearth, sha256)
    if (path !== null) local.push({ blob, path, size })
  }
  return local
}

/** Waits for the first bytes, so that an error before them can still become a response. */
async function startArchive(
  exchange: Exchange,
  { store, commit, folder, format, head, refs, tags, large_files }: Archive,
  { range, onWhole }: { readonly range?: Range; readonly onWhole?: (size: number) => void } = {},
): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  const { hearth, request } = exchange
  exchange.setIdleTimeout(0)
  const watchdog = new Watchdog(null)
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
    const largeFiles = await localFiles(hearth, large_files)
    const bytes = await runAs(principal, () =>
      hearth.git.archive(
        store,
        commit,
        { format, prefix: folder, head, refs, tags, largeFiles, nowMs: hearth.clock.now() },
        {
          signal,
          onProgress: () => watchdog.touch(),
          onEnd: end,
          ...(range ? { range } : {}),
          ...(onWhole ? { onWhole } : {}),
        },
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
  const etag = etagOfArchive(hearth, archive)
  const headers: Record<string, string> = {
    etag,
    'accept-ranges': 'bytes',
    'content-type': archive.format === 'zip' ? 'application/zip' : 'application/gzip',
    'content-disposition': `attachment; filename="${archive.folder}.${archive.format}"`,
    'cache-control': 'private, max-age=600',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'referrer-policy': 'no-referrer',
  }
  if (isNotModified(exchange.request, etag)) return new Response(null, { status: 304, headers })
  if (exchange.isHead) return headOfArchive(archiveSizes(hearth).get(etag), headers)
  const onWhole = (size: number): void => archiveSizes(hearth).note(etag, size)
  return isPartRequested(exchange.request)
    ? await servePart(exchange, archive, etag, headers)
    : new Response((await startArchive(exchange, archive, { onWhole })) as BodyInit, { headers })
}

/** The headers of a download. The length is told when an earlier download has told it. */
const headOfArchive = (size: number | undefined, headers: Record<string, string>): Response =>
  size === undefined
    ? new Response(streamOfUnknownLength(), { headers })
    : new Response(null, { headers: { ...headers, 'content-length': String(size) } })

/** Download managers begin with a range that is the whole file, for which no size is needed. */
const isPartRequested = ({ headers }: Request): boolean => {
  const range = headers.get('range')
  return range !== null && !/^bytes=\s*0-\s*$/i.test(range)
}

/** The same commit makes the same bytes, as long as refs that `export-subst` names stay. */
const etagOfArchive = ({ settings }: Hearth, archive: Archive): string =>
  `"${Bun.hash(JSON.stringify([settings.version, archive])).toString(36)}"`

const MAX_REMEMBERED_SIZES = 1000
/**
 * The sizes of archives by their validators, which parts need. A whole download tells the size;
 * else the archive is written once to find out, whatever the number of readers that ask.
 */
class ArchiveSizes {
  readonly #known = createCache<number>({ maxSize: MAX_REMEMBERED_SIZES, sizeOf: () => 1 })
  readonly #pending = new Map<string, Promise<number>>()

  get(etag: string): number | undefined {
    return this.#known.get(etag)
  }

  note(etag: string, size: number): void {
    this.#known.set(etag, size)
  }

  async find(etag: string, measure: () => Promise<number>): Promise<number> {
    const known = this.#known.get(etag)
    if (known !== undefined) return known
    const pending = this.#pending.get(etag)
    // The first reader may have given up meanwhile.
    if (pending) return await pending.catch(() => this.find(etag, measure))
    const measuring = measure().finally(() => this.#pending.delete(etag))
    this.#pending.set(etag, measuring)
    const size = await measuring
    this.note(etag, size)
    return size
  }
}

const archiveSizes = service('archive sizes', () => new ArchiveSizes())

/** A part of an archive. A client whose download broke off continues with it. */
async function servePart(
  exchange: Exchange,
  archive: Archive,
  etag: string,
  headers: Record<string, string>,
): Promise<Response> {
  const size = await archiveSizes(exchange.hearth).find(etag, async () =>
    sizeOfBody(await startArchive(exchange, archive)),
  )
  const selected = selectBytes(exchange.request, etag, size)
  Object.assign(headers, selected.headers)
  if (selected.status === 416) return new Response(null, { status: 416, headers })
  const body = await startArchive(exchange, archive, { range: selected.range })
  return new Response(body as BodyInit, { status: selected.status, headers })
}

async function sizeOfBody(body: Uint8Array | ReadableStream<Uint8Array>): Promise<number> {
  if (body instanceof Uint8Array) return body.length
  let size = 0
  for await (const { length } of body) size += length
  return size
}

export function archiveRoutes(hearth: Hearth): HttpRoute[] {
  const openArchive = hearth.operationsByName.get('open_archive') as OpenArchive | undefined
  if (!openArchive) return []
  const handler = (exchange: Exchange): Promise<Response> => serveArchive(exchange, openArchive)
  return [{ path: '/_archive/:token/:file', handler }]
}
