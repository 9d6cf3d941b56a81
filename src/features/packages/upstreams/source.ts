/** One upstream for one request of a client: its documents and files, and what is made of them. */
import { localBlob } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import { notFound, Refusal } from '#lib/errors.ts'
import { sha256 } from '#lib/hash.ts'
import { DAY, MINUTE } from '#lib/time.ts'
import { documentResponse, fileResponse } from '../door/door-response.ts'
import type { DoorRequest } from '../door/door-request.ts'
import { sizeOfDocument, type PackageDocument } from '../documents.ts'
import { authorizationOf, openCredentials } from './credentials.ts'
import { documentThread, type FoundFile } from './documents.ts'
import { fetchFromUpstream, UpstreamFailure, type Fetched, type UpstreamRequest } from './fetch.ts'
import { readThrough, type Located, type Wanted } from './read-through.ts'
import type { CachedRow, UpstreamRow } from './store.ts'

/** The full packuments of large packages have tens of MiB. */
const MAX_DOCUMENT_BYTES = 64 * 1024 ** 2
/** Renderings are made again with this step, as versions become old enough. */
const AGE_STEP_MS = 10 * MINUTE

const rendered = cache<PackageDocument>('upstream-documents', {
  maxSize: 64 * 1024 ** 2,
  sizeOf: sizeOfDocument,
})

/** RFC 9111 made this header obsolete; people still see it in the output of clients. */
const STALE_HEADERS = { warning: '110 - "Response is Stale"' }

export type Cached = { readonly row: CachedRow; readonly isStale: boolean; readonly path: string }

export type DocumentRequest = {
  /** Below the address of the upstream, and the key in the cache. */
  readonly path: string
  /** Where it is, if elsewhere. */
  readonly url?: URL
  readonly name: string
  readonly accept: string
  readonly anyAge?: boolean
  readonly maxBytes?: number
}

export type FileRequest = {
  readonly key: string
  readonly name: string
  readonly locate: () => Promise<Located | null> | Located | null
  readonly maxBytes?: number
  readonly accept?: string
}

type Rendering = { readonly want: string; readonly files: string; readonly content_type: string }

export class Source {
  constructor(
    readonly hearth: Hearth,
    readonly door: DoorRequest,
    readonly upstream: UpstreamRow,
    /** Sends a request with what the protocol of the registry needs. */
    private readonly send: (source: Source, request: UpstreamRequest) => Promise<Fetched> = (
      source,
      request,
    ) => source.sendPlainly(request),
  ) {}

  /** An address below that of the upstream. */
  urlOf(path: string): URL {
    return new URL(`${this.upstream.url}/${path}`)
  }

  /** With the credentials of the upstream where they belong. */
  sendPlainly(request: UpstreamRequest): Promise<Fetched> {
    const isOwnOrigin = request.url.origin === new URL(this.upstream.url).origin
    const authorization = isOwnOrigin
      ? authorizationOf(openCredentials(this.hearth, this.upstream))
      : null
    return this.sendAs(request, authorization)
  }

  sendAs(request: UpstreamRequest, authorization: string | null): Promise<Fetched> {
    return fetchFromUpstream(this.hearth, { ...request, authorization })
  }

  async #read(wanted: Omit<Wanted, 'send'>): Promise<Cached | null> {
    const result = await readThrough(this.hearth, this.upstream, {
      ...wanted,
      send: (request) => this.send(this, request),
    })
    if (result === null) return null
    const path = await localBlob(this.hearth, result.row.sha256)
    if (path === null) throw new Refusal('unavailable', 'the cached file is missing: try again')
    return { ...result, path }
  }

  /** Null when the upstream does not have it. */
  readDocument(request: DocumentRequest): Promise<Cached | null> {
    const { path, name, accept, anyAge = false, maxBytes = MAX_DOCUMENT_BYTES } = request
    const locate = (): Located => ({ url: request.url ?? this.urlOf(path) })
    return this.#read({ kind: 'document', key: path, name, accept, anyAge, maxBytes, locate })
  }

  /** Null when the upstream does not have it. */
  readFile(request: FileRequest): Promise<Cached | null> {
    const { accept = '*/*', maxBytes = this.hearth.settings.packages.max_file_bytes } = request
    return this.#read({ kind: 'file', ...request, accept, maxBytes })
  }

  #untilMs(): number | null {
    const { min_age_days } = this.upstream
    if (min_age_days === 0) return null
    const step = Math.floor(this.hearth.clock.now() / AGE_STEP_MS) * AGE_STEP_MS
    return step - min_age_days * DAY
  }

  #ask(request: DocumentRequest, path: string, want: string, files: string) {
    return documentThread(this.hearth).ask(this.upstream.workspace_id, {
      type: this.upstream.type,
      path,
      url: this.urlOf(request.path).href,
      name: request.name,
      files,
      untilMs: this.#untilMs(),
      want,
    })
  }

  /** A document as clients of this forge need it. Null when the upstream does not have it. */
  async render(
    request: DocumentRequest,
    { want, files, content_type }: Rendering,
  ): Promise<{ readonly document: PackageDocument; readonly isStale: boolean } | null> {
    const cached = await this.readDocument(request)
    if (cached === null) return null
    const { row, isStale, path } = cached
    const key = `${row.sha256} ${files} ${this.#untilMs()} ${request.name} ${want}`
    const known = rendered(this.hearth).get(key)
    if (known) return { document: known, isStale }
    const answer = await this.#ask(request, path, want, files)
    if (answer?.kind !== 'rendered') return null
    const { body, gzip } = answer
    const document = {
      body,
      gzip: new Blob([gzip as Uint8Array<ArrayBuffer>]),
      content_type,
      etag: `"${sha256(body).slice(0, 32)}"`,
      modified_ms: Math.floor(Date.parse(row.changed_at) / 1000) * 1000,
    }
    rendered(this.hearth).set(key, document)
    return { document, isStale }
  }

  /** Where a document says that a file is. */
  async find(request: DocumentRequest, file: string): Promise<FoundFile | null> {
    const cached = await this.readDocument(request)
    if (cached === null) return null
    const answer = await this.#ask(request, cached.path, `file ${file}`, '')
    return answer?.kind === 'found' ? answer.file : null
  }

  /** The answer with a rendered document. Throws 404 without one. */
  async answerRendered(
    request: DocumentRequest,
    rendering: Rendering,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const found = await this.render(request, rendering)
    if (found === null) throw this.missing(request.name)
    return documentResponse(this.door, found.document, {
      ...headers,
      ...(found.isStale && STALE_HEADERS),
    })
  }

  /** The answer with the bytes as they are. Throws 404 without them. */
  async answerFile(
    cached: Cached | null,
    name: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    if (cached === null) throw this.missing(name)
    return fileResponse(this.hearth, this.door, cached.row, {
      ...headers,
      ...(cached.isStale && STALE_HEADERS),
    })
  }

  missing(name: string): Refusal {
    return missingPackage(this.upstream.type, name)
  }
}

/** The words of a package that does not exist here, so that both sound the same. */
export const missingPackage = (type: string, name: string): Refusal =>
  notFound(`the ${type} package ${name.slice(0, 200)}`)

/** A file with the address and digests that a document names. Without a digest it is refused. */
export function locatedFile(found: FoundFile | null): Located | null {
  if (found === null) return null
  const { url, sha256, sha512, sha1 } = found
  const parsed = URL.parse(url)
  if (parsed === null) throw new UpstreamFailure('its document names no address of the file')
  if (sha256 !== undefined) return { url: parsed, sha256 }
  if (sha512 !== undefined) return { url: parsed, expected: { sha512 } }
  if (sha1 !== undefined) return { url: parsed, expected: { sha1 } }
  throw new UpstreamFailure('its document names no digest of the file')
}
