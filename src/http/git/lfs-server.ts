/**
 * Git LFS (https://github.com/git-lfs/git-lfs/tree/main/docs/api): `/<repository>.git/info/lfs/`
 * with the batch API, the transfer `basic` and locks. Only the names of the operations behind it are
 * known here. Access is decided before a body is read.
 *
 * The credential of a client stays with the batch request: each transfer has a token of its own.
 */
import { isObject, type JsonObject } from '#lib/json-value.ts'
import { decide } from '#core/access.ts'
import { localBlob } from '#core/blobs.ts'
import { anonymous, type Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type Operation, type Typed } from '#core/operation.ts'
import { isNotModified, selectBytes } from '#lib/byte-range.ts'
import { Moved, Refusal } from '#lib/errors.ts'
import { parseJsonOrNone } from '#lib/parse-json.ts'
import { MIB } from '../body.ts'
import type { Exchange } from '../exchange.ts'
import { percentDecode } from '../query.ts'
import { requireOperation } from './git-access.ts'
import { invalidTransferToken, lfsCallerOf } from './lfs-credentials.ts'
import { LFS_TOKEN_LIFETIME_MS, lfsToken, type LfsClaims } from './lfs-token.ts'

const MEDIA_TYPE = 'application/vnd.git-lfs+json'
/** Batches of 1,000 objects have about 120 KiB. */
const MAX_JSON_BYTES = MIB
/** The runtime allows 255 seconds at most. */
const FILE_IDLE_TIMEOUT_SECONDS = 240
const LOCKS_PER_PAGE = 100

type LfsObject = { readonly oid: string; readonly size: number }
type Lock = {
  readonly id: string
  readonly path: string
  readonly locked_by: { readonly id: string; readonly username: string }
  readonly locked_at: string
}
type StartDownload = Typed<
  { repo: string; objects: LfsObject[] },
  { objects: (LfsObject & { stored: boolean })[] }
>
type StartUpload = Typed<
  { repo: string; objects: LfsObject[] },
  {
    max_bytes: number
    objects: (LfsObject & { state: 'stored' | 'missing' | 'other_size' | 'too_large' })[]
  }
>
type Store = Typed<{ repo: string; oid: string; size: number }, LfsObject>
type Open = Typed<{ repo: string; oid: string }, LfsObject>
type LockFile = Typed<{ repo: string; path: string }, Lock>
type ListLocks = Typed<
  { repo: string; path?: string; page?: number; per_page?: number },
  { items: Lock[]; next: string | null }
>
type UnlockFile = Typed<{ repo: string; id: string; force?: boolean }, Lock>

/** One request with its caller. `claims` are those of a transfer's token; null for credentials. */
type LfsRequest = {
  readonly exchange: Exchange
  readonly repo: string
  readonly caller: Caller
  readonly claims: LfsClaims | null
}

const jsonResponse = (
  exchange: Exchange,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): Response => {
  exchange.hasRequestId = true
  return new Response(JSON.stringify(value), {
    status,
    headers: {
      'content-type': MEDIA_TYPE,
      'cache-control': 'no-store',
      'x-request-id': exchange.id,
      ...headers,
    },
  })
}

const invalidBody = (message: string, field: string | null = null): Refusal =>
  new Refusal('invalid', message, field === null ? {} : { field })

async function readJson({ body }: Exchange): Promise<JsonObject> {
  const value = parseJsonOrNone(await body.bytes({ maxBytes: MAX_JSON_BYTES }))
  if (isObject(value)) return value
  throw invalidBody('the body must be a JSON object')
}

const OID = /^[0-9a-f]{64}$/

type FaultyObject = {
  readonly oid: string
  readonly size: number
  readonly error: { readonly code: 422; readonly message: string }
}

const FAULT = 'each object has an oid (64 hex digits) and a size'
const MAX_REPEATED_OID = 200

/** An object of a batch, or what is wrong with it. For a download the size is not needed. */
function readObject(object: unknown, isUpload: boolean): LfsObject | FaultyObject {
  const { oid, size = isUpload ? undefined : 0 } = (isObject(object) ? object : {}) as JsonObject
  const isGood = typeof oid === 'string' && OID.test(oid)
  if (isGood && Number.isSafeInteger(size) && Number(size) >= 0) return { oid, size: Number(size) }
  return {
    oid: typeof oid === 'string' ? oid.slice(0, MAX_REPEATED_OID) : '',
    size: Number.isSafeInteger(size) ? Number(size) : 0,
    error: { code: 422, message: FAULT },
  }
}

/**
 * Each faulty object is told beside the others. The whole request is refused when all are faulty
 * (git-lfs docs/api/batch.md).
 */
function readObjects(
  { objects, hash_algo = 'sha256' }: JsonObject,
  isUpload: boolean,
): (LfsObject | FaultyObject)[] {
  if (hash_algo !== 'sha256')
    throw new Refusal('conflict', 'files are named by their SHA-256 here (hash_algo)')
  if (!Array.isArray(objects)) throw invalidBody('objects is required', 'objects')
  const read = objects.map((object: unknown) => readObject(object, isUpload))
  if (read.length > 0 && read.every((object) => 'error' in object))
    throw invalidBody(FAULT, 'objects')
  return read
}

const lockJson = ({ id, path, locked_by, locked_at }: Lock) => ({
  id,
  path,
  locked_at,
  owner: { name: locked_by.username },
})

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** A cursor is the number of a page. */
function pageOfCursor(cursor: string | undefined): number {
  const page = cursor === undefined ? 1 : Number(cursor)
  if (!Number.isSafeInteger(page) || page < 1) throw invalidBody('this is no cursor', 'cursor')
  return page
}

const methodNotAllowed = (method: string, allow: string): Refusal =>
  new Refusal('method_not_allowed', `${method} is not possible here; ${allow} is`, {
    headers: { allow },
  })

const noAddress = (): Refusal => new Refusal('not_found', 'this is no address of Git LFS')

export class LfsServer {
  readonly #startDownload: StartDownload
  readonly #startUpload: StartUpload
  readonly #store: Store
  readonly #open: Open
  readonly #lock: LockFile
  readonly #listLocks: ListLocks
  readonly #unlock: UnlockFile

  constructor(private readonly hearth: Hearth) {
    const find = (name: string): Operation => requireOperation(hearth, name)
    this.#startDownload = find('start_lfs_download') as StartDownload
    this.#startUpload = find('start_lfs_upload') as StartUpload
    this.#store = find('store_lfs_object') as Store
    this.#open = find('open_lfs_object') as Open
    this.#lock = find('lock_file') as LockFile
    this.#listLocks = find('list_file_locks') as ListLocks
    this.#unlock = find('unlock_file') as UnlockFile
  }

  /** `path` is what follows `info/lfs/`. */
  async respond(exchange: Exchange, repo: string, path: string): Promise<Response> {
    let caller: Caller = anonymous
    try {
      const found = lfsCallerOf(this.hearth, exchange.request)
      caller = found.caller
      exchange.caller = caller
      const { claims } = found
      if (claims !== null && claims.repo !== repo.toLowerCase()) throw invalidTransferToken()
      return await this.#route({ exchange, repo, caller, claims }, path)
    } catch (error) {
      return this.#errorResponse(exchange, repo, error, caller)
    }
  }

  async #route(request: LfsRequest, path: string): Promise<Response> {
    const { method } = request.exchange.request
    const [, oid] = /^objects\/([0-9a-f]{64})$/.exec(path) ?? []
    if (oid !== undefined) {
      if (method === 'PUT') return await this.#upload(request, oid)
      if (method === 'GET' || method === 'HEAD') return await this.#download(request, oid)
      throw methodNotAllowed(method, 'GET, HEAD, PUT')
    }
    // A token for one file opens nothing else, except that its upload can be verified.
    if (path === 'verify' && method === 'POST') return await this.#verify(request)
    if (request.claims !== null && request.claims.oid !== null) throw invalidTransferToken()
    if (path === 'locks' && (method === 'GET' || method === 'HEAD'))
      return await this.#locks(request)
    const [, lock] = /^locks\/([^/]{1,200})\/unlock$/.exec(path) ?? []
    const answer =
      path === 'objects/batch'
        ? () => this.#batch(request)
        : path === 'locks'
          ? () => this.#createLock(request)
          : path === 'locks/verify'
            ? () => this.#verifyLocks(request)
            : lock !== undefined
              ? () => this.#removeLock(request, percentDecode(lock))
              : null
    if (answer === null) throw noAddress()
    if (method !== 'POST') throw methodNotAllowed(method, 'POST')
    return await answer()
  }

  /** Throws 401, 403 and 404 before the body is read. */
  #requireRight({ caller, repo, claims }: LfsRequest, operation: Operation): void {
    if (operation.access.writes && claims !== null && claims.operation !== 'upload')
      throw new Refusal('forbidden', 'this token is for downloads only', { reason: 'scope' })
    decide(operation.access, caller, { repo }, this.hearth.facts)
  }

  #requireFile({ claims }: LfsRequest, oid: string): void {
    if (claims !== null && claims.oid !== null && claims.oid !== oid) throw invalidTransferToken()
  }

  async #batch(request: LfsRequest): Promise<Response> {
    const { exchange, repo, caller } = request
    // Whoever may not read learns nothing from the way in which a body is refused.
    this.#requireRight(request, this.#startDownload)
    const body = await readJson(exchange)
    const { operation, transfers } = body
    if (operation !== 'upload' && operation !== 'download')
      throw invalidBody('operation must be upload or download', 'operation')
    if (Array.isArray(transfers) && transfers.length > 0 && !transfers.includes('basic'))
      throw invalidBody('only the transfer basic is possible here', 'transfers')
    const isUpload = operation === 'upload'
    this.#requireRight(request, isUpload ? this.#startUpload : this.#startDownload)
    const asked = readObjects(body, isUpload)
    const input = { repo, objects: asked.filter((object) => !('error' in object)) }
    const origin = { origin: exchange.origin }
    const answers = (
      isUpload
        ? this.#uploads(request, await call(this.hearth, this.#startUpload, caller, input, origin))
        : this.#downloads(
            request,
            await call(this.hearth, this.#startDownload, caller, input, origin),
          )
    ).values()
    const objects = asked.map((object) => ('error' in object ? object : answers.next().value))
    return jsonResponse(exchange, 200, { transfer: 'basic', objects, hash_algo: 'sha256' })
  }

  #downloads(
    request: LfsRequest,
    { objects }: { objects: readonly (LfsObject & { stored: boolean })[] },
  ): unknown[] {
    return objects.map(({ oid, size, stored }) =>
      stored
        ? { oid, size, actions: { download: this.#action(request, 'download', oid) } }
        : { oid, size, error: { code: 404, message: 'this file is not here' } },
    )
  }

  #uploads(
    request: LfsRequest,
    {
      max_bytes,
      objects,
    }: {
      max_bytes: number
      objects: readonly (LfsObject & {
        state: 'stored' | 'missing' | 'other_size' | 'too_large'
      })[]
    },
  ): unknown[] {
    return objects.map(({ oid, size, state }) => {
      if (state === 'stored') return { oid, size }
      if (state === 'other_size')
        return { oid, size, error: { code: 422, message: 'the file of this oid has another size' } }
      if (state === 'too_large') {
        const message = `the file is larger than the ${Math.floor(max_bytes / MIB)} MiB that are taken here`
        return { oid, size, error: { code: 413, message } }
      }
      const upload = this.#action(request, 'upload', oid, `?size=${size}`)
      return { oid, size, actions: { upload, verify: this.#verifyAction(request, oid) } }
    })
  }

  #action(
    request: LfsRequest,
    operation: 'upload' | 'download',
    oid: string,
    query = '',
  ): Record<string, unknown> {
    return this.#signed(request, operation, oid, `objects/${oid}${query}`)
  }

  #verifyAction(request: LfsRequest, oid: string): Record<string, unknown> {
    return this.#signed(request, 'upload', oid, 'verify')
  }

  /** An address with a header of its own, so that the client's credential is not sent there. */
  #signed(
    { caller, repo, claims }: LfsRequest,
    operation: 'upload' | 'download',
    oid: string,
    path: string,
  ): Record<string, unknown> {
    const { hearth } = this
    const credential =
      claims?.credential ?? (caller.kind === 'anonymous' ? null : (caller.token?.id ?? null))
    const token = lfsToken(hearth, { credential, repo: repo.toLowerCase(), operation, oid })
    return {
      href: `${hearth.settings.site_url}/${repo}.git/info/lfs/${path}`,
      header: { Authorization: `Bearer ${token}` },
      expires_in: LFS_TOKEN_LIFETIME_MS / 1000,
    }
  }

  async #upload(request: LfsRequest, oid: string): Promise<Response> {
    const { exchange, repo, caller } = request
    this.#requireFile(request, oid)
    this.#requireRight(request, this.#store)
    const size = Number(new URLSearchParams(exchange.query).get('size') ?? Number.NaN)
    if (!Number.isSafeInteger(size) || size < 0)
      throw invalidBody('size is required: ask the batch API for the address', 'size')
    if (exchange.body.contentEncoding !== 'identity')
      throw new Refusal('unsupported_media_type', 'the bytes of a file are sent as they are')
    exchange.setIdleTimeout(0)
    const stream = exchange.body.stream({ maxBytes: Math.max(size, 1) })
    await call(
      this.hearth,
      this.#store,
      caller,
      { repo, oid, size },
      {
        origin: exchange.origin,
        signal: exchange.request.signal,
        bytes: { stream, type: null, length: exchange.body.announcedBytes },
      },
    )
    return jsonResponse(exchange, 200, { oid, size })
  }

  async #verify(request: LfsRequest): Promise<Response> {
    const { exchange, repo, caller } = request
    this.#requireRight(request, this.#startUpload)
    const { oid, size } = await readJson(exchange)
    if (typeof oid !== 'string' || !OID.test(oid)) throw invalidBody('oid is required', 'oid')
    this.#requireFile(request, oid)
    const stored = await call(this.hearth, this.#open, caller, { repo, oid })
    if (stored.size !== size) throw invalidBody(`the file has ${stored.size} bytes`, 'size')
    return jsonResponse(exchange, 200, stored)
  }

  async #download(request: LfsRequest, oid: string): Promise<Response> {
    const { exchange, repo, caller } = request
    this.#requireFile(request, oid)
    const { size } = await call(this.hearth, this.#open, caller, { repo, oid })
    const etag = `"${oid}"`
    const headers: Record<string, string> = {
      etag,
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    }
    if (isNotModified(exchange.request, etag)) return new Response(null, { status: 304, headers })
    const selected = selectBytes(exchange.request, etag, size)
    Object.assign(headers, selected.headers)
    if (selected.status === 416) return new Response(null, { status: 416, headers })
    exchange.setIdleTimeout(0)
    const path = await localBlob(this.hearth, oid)
    exchange.setIdleTimeout(FILE_IDLE_TIMEOUT_SECONDS)
    if (path === null) {
      this.hearth.log.error('a large file is missing', { repo, oid })
      throw new Refusal('unavailable', 'this file is missing on this installation')
    }
    const file = Bun.file(path)
    const { status, range } = selected
    return new Response(
      status === 206 ? file.slice(range.start, range.start + range.length) : file,
      { status, headers },
    )
  }

  async #createLock(request: LfsRequest): Promise<Response> {
    const { exchange, repo, caller } = request
    this.#requireRight(request, this.#lock)
    const { path } = await readJson(exchange)
    if (typeof path !== 'string') throw invalidBody('path is required', 'path')
    const options = { origin: exchange.origin }
    try {
      const lock = await call(this.hearth, this.#lock, caller, { repo, path }, options)
      return jsonResponse(exchange, 201, { lock: lockJson(lock) })
    } catch (error) {
      const lock = error instanceof Refusal ? error.details.lock : undefined
      if (!(error instanceof Refusal) || lock === undefined) throw error
      return jsonResponse(exchange, 409, {
        lock: lockJson(lock as Lock),
        message: error.message,
        request_id: exchange.id,
      })
    }
  }

  async #locks({ exchange, repo, caller }: LfsRequest): Promise<Response> {
    const query = new URLSearchParams(exchange.query)
    const path = textOf(query.get('path'))
    const limit = Number(query.get('limit') ?? LOCKS_PER_PAGE)
    const page = pageOfCursor(textOf(query.get('cursor')))
    const { items, next } = await call(this.hearth, this.#listLocks, caller, {
      repo,
      ...(path === undefined ? {} : { path }),
      page,
      per_page: limit > 0 && limit < LOCKS_PER_PAGE ? Math.floor(limit) : LOCKS_PER_PAGE,
    })
    const id = textOf(query.get('id'))
    const locks = items.filter((lock) => id === undefined || lock.id === id).map(lockJson)
    return jsonResponse(exchange, 200, { locks, ...(next === null ? {} : { next_cursor: next }) })
  }

  /** Before a push, whose files git-lfs compares with the locks of others. */
  async #verifyLocks(request: LfsRequest): Promise<Response> {
    const { exchange, repo, caller } = request
    this.#requireRight(request, this.#lock)
    const { cursor } = await readJson(exchange)
    const page = pageOfCursor(textOf(cursor))
    const { items, next } = await call(this.hearth, this.#listLocks, caller, {
      repo,
      page,
      per_page: LOCKS_PER_PAGE,
    })
    const isOwn = ({ locked_by }: Lock): boolean =>
      caller.kind !== 'anonymous' && locked_by.id === caller.id
    return jsonResponse(exchange, 200, {
      ours: items.filter(isOwn).map(lockJson),
      theirs: items.filter((lock) => !isOwn(lock)).map(lockJson),
      ...(next === null ? {} : { next_cursor: next }),
    })
  }

  async #removeLock(request: LfsRequest, id: string): Promise<Response> {
    const { exchange, repo, caller } = request
    this.#requireRight(request, this.#unlock)
    const { force } = await readJson(exchange)
    const lock = await call(
      this.hearth,
      this.#unlock,
      caller,
      { repo, id, force: force === true },
      { origin: exchange.origin },
    )
    return jsonResponse(exchange, 200, { lock: lockJson(lock) })
  }

  #errorResponse(exchange: Exchange, repo: string, error: unknown, caller: Caller): Response {
    const answer = (status: number, message: string, headers: Record<string, string> = {}) =>
      jsonResponse(exchange, status, { message, request_id: exchange.id }, headers)
    if (error instanceof Moved) {
      const rest = exchange.path.slice(1 + repo.length)
      const query = exchange.query === '' ? '' : `?${exchange.query}`
      // Unlike 301, it keeps method and body.
      return answer(308, error.message, { location: `/${error.to}${rest}${query}` })
    }
    if (error instanceof Refusal) {
      // A private repository looks like a missing one to callers without an account.
      const hidesRepo = error.code === 'not_found' && caller.kind === 'anonymous'
      if (error.code !== 'unauthenticated' && !hidesRepo)
        return answer(error.status, error.message, error.headers)
      const message =
        error.reason === 'invalid_token' ? error.message : 'sign in with a token as the password'
      return answer(401, message, {
        'lfs-authenticate': 'Basic realm="Hearth", charset="UTF-8"',
        'www-authenticate': 'Basic realm="Hearth", charset="UTF-8"',
      })
    }
    if (exchange.request.signal.aborted) return answer(499, 'the request was given up')
    this.hearth.log.error('a Git LFS request failed', { repo, path: exchange.path, error })
    return answer(500, 'something went wrong here')
  }
}
