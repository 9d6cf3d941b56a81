/**
 * The git server: smart HTTP (https://git-scm.com/docs/http-protocol) in protocol versions 0, 1 and
 * 2. Repositories are at `/<workspace>/<repo>.git`, and the fork of a pull request at
 * `/<workspace>/<repo>/pull/<number>.git`; the wiki of a repository is at
 * `/<workspace>/<repo>.wiki.git`, and the private fork of an advisory at
 * `/<workspace>/<repo>/security/advisories/<id>.git`. All work without `.git` too. Only the names of the operations
 * behind it are known here. Access is decided before a body is read.
 */

import type { Caller } from '#core/caller.ts'
import { diskFull, isDiskFullError } from '#core/disk-space.ts'
import type { Hearth } from '#core/hearth.ts'
import { engineRefusal, principalOf, runAs } from '#core/principal.ts'
import { RESERVED_SLUGS } from '#core/reserved-names.ts'
import { type Git, GitError, type Push, type PushCertificate, type RefSnapshot } from '#git'
import { SMALL_ENTRY_BYTES } from '#lib/cache.ts'
import { Moved, Refusal } from '#lib/errors.ts'
import type { FairSemaphore } from '#lib/semaphore.ts'
import { MIB } from '../body.ts'
import { type CommitCache, commitCache } from '#core/commit-cache.ts'
import type { Exchange } from '../exchange.ts'
import { streamOfUnknownLength } from '../responses.ts'
import { AdvertisedRefs } from './advertised-refs.ts'
import { bundleResponse } from './bundle-response.ts'
import { BundleTips } from './bundle-tips.ts'
import { countClone } from './clone-rate-limit.ts'
import { readSmallGitBody, streamGitBody } from './git-body.ts'
import { GitAccess, suffixOfPath, unsignedReason, type Service } from './git-access.ts'
import { gitCallerOf } from './git-credentials.ts'
import { LfsServer } from './lfs-server.ts'
import { makePushNonce, nonceProblem, type NoncePlace } from './push-nonce.ts'
import { Watchdog } from './transfer-watchdog.ts'
import { transferSemaphore } from './transfers.ts'

/**
 * `file` is for clients of the old protocol, which request files of the repository directory. `lfs`
 * is the API of Git LFS (https://github.com/git-lfs/git-lfs/tree/main/docs/api).
 */
type Resource = 'info/refs' | Service | 'file' | 'lfs' | 'bundle'

type Address = {
  readonly repo: string
  readonly resource: Resource
  /** The commit of a bundle. */
  readonly oid?: string
  /** What follows `info/lfs/`. */
  readonly lfsPath?: string
}

/** What a caller may use of a repository: where its objects are, and the refs to be seen. */
type RepoAccess = { readonly caller: Caller; readonly store: string; readonly refs: RefSnapshot }

type GitRequest = {
  readonly exchange: Exchange
  readonly repo: string
  readonly credential: string
  readonly caller: Caller
  /** The access to read that the same credential had since the last commit. */
  readonly cachedAccess: RepoAccess | null
}

type EngineRequest = Parameters<Git['uploadPack']>[2]
type WholeResponse = Uint8Array | { readonly path: string }

const ADDRESS =
  /^\/([A-Za-z0-9][A-Za-z0-9-]{0,99})\/([A-Za-z0-9._-]{1,100}?)(\/pull\/[1-9][0-9]{0,9}|\/security\/advisories\/adv_[0-7][0-9a-hjkmnp-tv-z]{25})?(\.git)?\/(info\/refs|info\/lfs\/.+|git-upload-pack|git-receive-pack|bundle\/[0-9a-f]{40}\.bundle|HEAD|objects\/.+)$/

/** Fetch requests are lists of object ids; those of large repositories have a few megabytes. */
const MAX_FETCH_REQUEST_BYTES = 64 * MIB
/** The commands that come before the pack of a push. */
const MAX_PUSH_COMMANDS_BYTES = 64 * MIB
/** How long the reader of a file may take no bytes; the runtime allows 255 at most. */
const FILE_IDLE_TIMEOUT_SECONDS = 240

/** The repository and the resource that a path names; null for a path that is not git's. */
export function parseGitAddress(path: string): Address | null {
  const [, slug, name, pull = '', suffix, what] = ADDRESS.exec(path) ?? []
  if (slug === undefined || name === undefined || RESERVED_SLUGS.has(slug.toLowerCase()))
    return null
  const repo = `${slug}/${name}${pull}`
  if (what === 'info/refs' || what === 'git-upload-pack' || what === 'git-receive-pack')
    return { repo, resource: what }
  if (what?.startsWith('info/lfs/'))
    return { repo, resource: 'lfs', lfsPath: what.slice('info/lfs/'.length) }
  if (what?.startsWith('bundle/'))
    return { repo, resource: 'bundle', oid: what.slice('bundle/'.length, -'.bundle'.length) }
  return suffix === undefined ? null : { repo, resource: 'file' }
}

/**
 * The protocol version of a `Git-Protocol` header: keys between colons, of which the highest
 * version counts.
 */
export function parseProtocolVersion(header: string | null): 0 | 1 | 2 {
  const versions = (header ?? '').split(':').map((key) => /^version=([012])$/.exec(key.trim())?.[1])
  return versions.includes('2') ? 2 : versions.includes('1') ? 1 : 0
}

/**
 * A push has no version 2: a client that requests it gets version 0 (gitprotocol-v2,
 * "Capabilities").
 */
function versionFor(service: Service, { headers }: Request): 0 | 1 | 2 {
  const version = parseProtocolVersion(headers.get('git-protocol'))
  return service === 'git-receive-pack' && version === 2 ? 0 : version
}

/** The headers with which git's own server forbids caching. */
const NO_CACHE = {
  'cache-control': 'no-cache, max-age=0, must-revalidate',
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
}

/** Plain text, which git shows to its user line by line. */
const textResponse = (
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response =>
  new Response(`${message}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...NO_CACHE, ...headers },
  })

const noBundle = (): Response => textResponse(404, 'there is no such bundle: clone without it')

const CHALLENGE = { 'www-authenticate': 'Basic realm="Hearth", charset="UTF-8"' }
const OLD_PROTOCOL = 'this server speaks the smart HTTP protocol only: use git 1.6.6 or later'

/** A caller without an account gets the same response for a private and for a missing repository. */
function refusalResponse(refusal: Refusal, caller: Caller | null): Response {
  const hidesRepo = refusal.code === 'not_found' && caller?.kind === 'anonymous'
  if (refusal.code !== 'unauthenticated' && !hidesRepo)
    return textResponse(refusal.status, refusal.message, refusal.headers)
  const message =
    refusal.reason === 'invalid_token' ? refusal.message : 'sign in with a token as the password'
  return textResponse(401, message, CHALLENGE)
}

/**
 * A response that the engine keeps as a file. The runtime sends it without passing its bytes
 * through JavaScript. It opens the file at once, so a file that is removed later is still sent.
 */
function fileResponse(
  exchange: Exchange,
  path: string,
  headers: Readonly<Record<string, string>>,
): Response {
  exchange.setIdleTimeout(FILE_IDLE_TIMEOUT_SECONDS)
  return new Response(Bun.file(path), {
    // Without it, the runtime adds one with the name of the file.
    headers: { ...headers, 'content-disposition': 'inline' },
  })
}

const MAX_ACCESS_ENTRIES = 1000
/** Entries share the list of refs with the engine, so its size does not count. */
const repoAccess = commitCache<RepoAccess>('git-access', {
  maxSize: MAX_ACCESS_ENTRIES * SMALL_ENTRY_BYTES,
  sizeOf: () => SMALL_ENTRY_BYTES,
})

export class GitServer {
  readonly #rights: GitAccess
  readonly #transfers: FairSemaphore
  readonly #access: CommitCache<RepoAccess>
  readonly #advertised: AdvertisedRefs
  readonly #bundleTips: BundleTips
  readonly #lfs: LfsServer

  constructor(private readonly hearth: Hearth) {
    this.#rights = new GitAccess(hearth)
    this.#transfers = transferSemaphore(hearth)
    this.#access = repoAccess(hearth)
    this.#advertised = new AdvertisedRefs(hearth)
    this.#bundleTips = new BundleTips(hearth)
    this.#lfs = new LfsServer(hearth)
  }

  /** Null for an address that is not git's. */
  handle(exchange: Exchange): Promise<Response> | null {
    const address = parseGitAddress(exchange.path)
    return address && this.#respond(exchange, address)
  }

  async #respond(exchange: Exchange, { repo, resource, oid, lfsPath }: Address): Promise<Response> {
    if (resource === 'lfs') return this.#lfs.respond(exchange, repo, lfsPath ?? '')
    let caller: Caller | null = null
    try {
      const credential = exchange.request.headers.get('authorization') ?? ''
      const cachedAccess = this.#access.get(`${credential}\n${repo}`)
      caller = cachedAccess?.caller ?? gitCallerOf(this.hearth, exchange.request)
      const request: GitRequest = { exchange, repo, credential, caller, cachedAccess }
      if (resource === 'file') return textResponse(403, OLD_PROTOCOL)
      if (resource === 'info/refs') return await this.#advertise(request)
      if (resource === 'bundle') return await this.#bundle(request, oid ?? '')
      return await this.#serve(request, resource)
    } catch (error) {
      return this.#errorResponse(exchange, repo, error, caller)
    }
  }

  #errorResponse(
    { path, query, request }: Exchange,
    repo: string,
    error: unknown,
    caller: Caller | null,
  ): Response {
    // git follows a redirect of its first request and uses the new address from then on
    // (git-config, http.followRedirects).
    if (error instanceof Moved) {
      const rest = path.slice(1 + repo.length) + (query === '' ? '' : `?${query}`)
      const location = `/${error.to}${suffixOfPath(repo)}${rest}`
      return textResponse(301, error.message, { location })
    }
    if (error instanceof Refusal) return refusalResponse(error, caller)
    const code = error instanceof GitError ? error.code : null
    if (error instanceof GitError && code !== null) {
      const status = GIT_ERROR_STATUS[code]
      if (status !== undefined) return textResponse(status, error.message)
    }
    const refusal = engineRefusal(this.hearth, error)
    if (refusal) return refusalResponse(refusal, caller)
    if (request.signal.aborted || code === 'aborted')
      return textResponse(499, 'the request was given up')
    if (isDiskFullError(error)) return refusalResponse(diskFull(), caller)
    this.hearth.log.error('a git request failed', { repo, path, error })
    return textResponse(500, 'something went wrong here')
  }

  /** Decides access. Every way to the objects of a repository goes through here or the cache. */
  async #open(
    request: GitRequest,
    service: Service,
    options: { readonly isUnderWay?: boolean } = {},
  ): Promise<RepoAccess> {
    const { caller, repo, credential } = request
    const version = this.#access.version()
    const { store, refs } = await this.#rights.open(caller, repo, service, options)
    const access = { caller, store, refs }
    this.#access.set(`${credential}\n${repo}`, version, access)
    return access
  }

  /**
   * Waits for packs that are on their way back from remote storage. A failure is reported here,
   * because git shows its user the error of the first request only.
   */
  async #awaitPacks(exchange: Exchange, store: string): Promise<void> {
    const arrival = this.hearth.git.ensureLocal(store)
    if (arrival === null) return
    exchange.setIdleTimeout(0)
    await arrival
  }

  /** `GET info/refs`: what the repository has. */
  async #advertise(request: GitRequest): Promise<Response> {
    const { exchange, caller, repo } = request
    if (exchange.method !== 'GET')
      return textResponse(405, `${exchange.method} is not possible here`, { allow: 'GET, HEAD' })
    const service = new URLSearchParams(exchange.query).get('service')
    if (service === null) return textResponse(403, OLD_PROTOCOL)
    if (service !== 'git-upload-pack' && service !== 'git-receive-pack')
      return textResponse(403, `there is no service ${service.slice(0, 60)}`)
    const cached = service === 'git-upload-pack' ? request.cachedAccess : null
    const { store, refs } = cached ?? (await this.#open(request, service))
    await this.#awaitPacks(exchange, store)
    const version = versionFor(service, exchange.request)
    const takesCertificates = service === 'git-receive-pack' && unsignedReason(repo) === null
    const body = this.hearth.git.advertise(service, refs, version, {
      store,
      hasBundles: true,
      ...(takesCertificates && { pushNonce: makePushNonce(this.hearth, noncePlace(request)) }),
    })
    if (service === 'git-upload-pack' && version !== 2)
      this.#advertised.note(
        principalOf(caller, () => exchange.origin),
        repo,
        refs,
      )
    exchange.hasRequestId = true
    return new Response(body as Uint8Array<ArrayBuffer>, {
      headers: {
        'content-type': `application/x-${service}-advertisement`,
        'x-request-id': exchange.id,
        ...NO_CACHE,
      },
    })
  }

  /** `POST git-upload-pack` (a fetch) and `POST git-receive-pack` (a push). */
  async #serve(request: GitRequest, service: Service): Promise<Response> {
    const { exchange, caller, repo } = request
    if (exchange.method !== 'POST')
      return textResponse(405, `${exchange.request.method} is not possible here`, { allow: 'POST' })
    const cached = service === 'git-upload-pack' ? request.cachedAccess : null
    const { store, refs } = cached ?? (await this.#open(request, service, { isUnderWay: true }))
    const { headers } = exchange.request
    if (headers.get('content-type') !== `application/x-${service}-request`)
      return textResponse(415, `the body must be application/x-${service}-request`)
    const maxBytes =
      service === 'git-upload-pack'
        ? MAX_FETCH_REQUEST_BYTES
        : this.hearth.settings.git.max_pack_bytes + MAX_PUSH_COMMANDS_BYTES
    if ((exchange.body.announcedBytes ?? 0) > maxBytes) {
      const message = `the request is larger than ${maxBytes} bytes`
      return textResponse(413, message, { connection: 'close' })
    }
    const transfer: Transfer = {
      request,
      service,
      store,
      refs,
      maxBytes,
      version: versionFor(service, exchange.request),
      principal: principalOf(caller, () => exchange.origin),
      onFullClone: this.#onFullCloneOf(caller, store),
    }
    // Before the idle timeout is lifted: a body this short has no reason to take long.
    const body = service === 'git-upload-pack' ? await readSmallGitBody(exchange.body) : null
    if (body === null) {
      await this.#awaitPacks(exchange, store)
      const operation = service === 'git-upload-pack' ? 'fetch' : 'push'
      return this.#transfer(
        transfer,
        null,
        this.hearth.metrics.startGitOperation(operation, { repo }),
      )
    }
    const listing = this.hearth.git.listRefs(refs, transfer.version, body)
    if (listing === null) return this.#fetch(transfer, body)
    this.#advertised.note(transfer.principal, repo, refs)
    return this.#wholeResponse(transfer, listing)
  }

  /** A fetch whose request is in memory. */
  async #fetch(transfer: Transfer, body: Uint8Array): Promise<Response> {
    const { exchange, repo } = transfer.request
    const refs = this.#advertised.addMissing(transfer.principal, repo, transfer.refs, body)
    await this.#awaitPacks(exchange, transfer.store)
    const endOperation = this.hearth.metrics.startGitOperation('fetch', { repo })
    let isEnded = true
    try {
      const response = this.#fetchAtOnce({ ...transfer, refs }, body)
      isEnded = response !== null
      if (response !== null) return this.#wholeResponse(transfer, response)
    } finally {
      if (isEnded) endOperation()
    }
    return this.#transfer({ ...transfer, refs }, body, endOperation)
  }

  /**
   * A response that is cached or quickly built. Nothing else runs in between, so it needs no
   * watchdog, and a permit only has to be free. Null for other fetches.
   */
  #fetchAtOnce(transfer: Transfer, body: Uint8Array): WholeResponse | null {
    const { store, refs, version: protocol, principal, onFullClone } = transfer
    if (!this.#transfers.isFree(principal)) return null
    return runAs(principal, () =>
      this.hearth.git.uploadPackSync(store, refs, { protocol, body, onFullClone }),
    )
  }

  #wholeResponse({ request, service }: Transfer, response: WholeResponse): Response {
    const { exchange } = request
    exchange.hasRequestId = true
    const headers = { ...resultHeaders(service), 'x-request-id': exchange.id }
    return response instanceof Uint8Array
      ? new Response(response as Uint8Array<ArrayBuffer>, { headers })
      : fileResponse(exchange, response.path, headers)
  }

  /** A push, or a fetch that takes long enough to wait for a permit and to be watched. */
  async #transfer(
    transfer: Transfer,
    body: Uint8Array | null,
    endOperation: () => void,
  ): Promise<Response> {
    const { request, service, store, refs, principal, maxBytes } = transfer
    const { exchange, repo } = request
    const { hearth } = this
    exchange.setIdleTimeout(0)
    const watchdog = this.#watch(request, service)
    let release = (): void => {}
    const end = (): void => {
      watchdog.stop()
      endOperation()
      release()
    }
    try {
      const signal = AbortSignal.any([exchange.request.signal, hearth.stopping, watchdog.signal])
      const engineRequest: EngineRequest = {
        protocol: transfer.version,
        body: body ?? streamGitBody(exchange.body, maxBytes, watchdog),
        signal,
        onFullClone: transfer.onFullClone,
        bundleUri: () => this.#bundleUri(request.repo, store, refs),
        onProgress: () => watchdog.touch(),
        onEnd: end,
      }
      release = await this.#transfers.acquire({ caller: principal, signal })
      if (service === 'git-receive-pack') {
        const caller = () => gitCallerOf(hearth, exchange.request)
        const apply = (push: Push) =>
          this.#rights.applyPush({ caller, repo, origin: exchange.origin }, push)
        const certificateProblem = (certificate: PushCertificate) =>
          this.#certificateProblem(request, certificate)
        const report = runAs(principal, () =>
          hearth.git.receivePack(store, refs, {
            ...engineRequest,
            apply,
            certificateProblem,
            problem: () => this.#rights.problemOfPush(),
          }),
        )
        return new Response(report, { headers: resultHeaders(service) })
      }
      const response = await runAs(principal, () =>
        hearth.git.uploadPackOrFile(store, refs, engineRequest),
      )
      if (response instanceof ReadableStream)
        return new Response(response, { headers: resultHeaders(service) })
      end()
      return this.#wholeResponse(transfer, response)
    } catch (error) {
      end()
      throw error
    }
  }

  #watch({ exchange, repo }: GitRequest, service: Service): Watchdog {
    return new Watchdog(() =>
      this.#rights.check(gitCallerOf(this.hearth, exchange.request), repo, service),
    )
  }

  /** Relative to the address of the repository, under which the client reaches this forge. */
  async #bundleUri(repo: string, store: string, refs: RefSnapshot): Promise<string | null> {
    const oid = await this.#bundleTips.choose(repo, store, refs)
    return oid && `./bundle/${oid}.bundle`
  }

  /** `GET bundle/<commit>.bundle`, for those who may fetch. */
  async #bundle(request: GitRequest, oid: string): Promise<Response> {
    const { exchange, caller, repo } = request
    const { hearth } = this
    if (exchange.method !== 'GET')
      return textResponse(405, `${exchange.method} is not possible here`, { allow: 'GET, HEAD' })
    const { store, refs } = request.cachedAccess ?? (await this.#open(request, 'git-upload-pack'))
    if (!this.#bundleTips.isOffered(repo, store, refs, oid)) return noBundle()
    if (exchange.isHead) return bundleResponse(exchange.request, oid, streamOfUnknownLength())
    await this.#awaitPacks(exchange, store)
    exchange.setIdleTimeout(FILE_IDLE_TIMEOUT_SECONDS)
    const principal = principalOf(caller, () => exchange.origin)
    const watchdog = this.#watch(request, 'git-upload-pack')
    const signal = AbortSignal.any([exchange.request.signal, hearth.stopping, watchdog.signal])
    const release = await this.#transfers.acquire({ caller: principal, signal })
    const endOperation = hearth.metrics.startGitOperation('fetch', { repo })
    const end = (): void => {
      watchdog.stop()
      endOperation()
      release()
    }
    const tip = { name: refs.head, oid }
    const onProgress = (): void => watchdog.touch()
    const onFullClone = this.#onFullCloneOf(caller, store)
    try {
      const bundle = await runAs(principal, () =>
        hearth.git.bundle(store, refs, tip, { signal, onFullClone, onProgress, onEnd: end }),
      )
      if (!(bundle instanceof ReadableStream)) end()
      return bundleResponse(exchange.request, oid, bundle)
    } catch (error) {
      end()
      // The branch was rewritten since the bundle was offered.
      if (error instanceof GitError && error.code === 'missing') return noBundle()
      throw error
    }
  }

  #onFullCloneOf(caller: Caller, store: string): (() => void) | undefined {
    return caller.kind === 'anonymous' ? () => countClone(this.hearth, store) : undefined
  }

  /** Why a certificate is not one for this push; null when it is. */
  #certificateProblem(request: GitRequest, certificate: PushCertificate): string | null {
    const { exchange, repo } = request
    const unsigned = unsignedReason(repo)
    if (unsigned !== null) return unsigned
    const problem = nonceProblem(this.hearth, noncePlace(request), certificate)
    if (problem !== null) return problem
    const { host } = new URL(this.hearth.settings.site_url)
    const hosts = [host, exchange.request.headers.get('host') ?? host]
    const { pushee } = certificate
    return pushee === null || namesRepo(pushee, repo, hosts)
      ? null
      : 'the push certificate is for another address: push again'
  }
}

const noncePlace = ({ exchange, caller, repo }: GitRequest): NoncePlace => ({
  account: principalOf(caller, () => exchange.origin),
  repo,
})

/** Whether an address is that of a repository on one of these hosts. */
function namesRepo(address: string, repo: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(address)) return false
  const { host, pathname } = new URL(address)
  const named = parseGitAddress(`${pathname.replace(/\/$/, '')}/git-receive-pack`)?.repo
  return hosts.includes(host) && named?.toLowerCase() === repo.toLowerCase()
}

/** One fetch or push whose access is decided. */
type Transfer = {
  readonly request: GitRequest
  readonly service: Service
  readonly store: string
  readonly refs: RefSnapshot
  readonly version: 0 | 1 | 2
  /** Limits and fair shares count by this. */
  readonly principal: string
  readonly maxBytes: number
  /** Called before a clone is packed anew; null for callers that are not limited. */
  readonly onFullClone: (() => void) | undefined
}

const resultHeaders = (service: Service): Record<string, string> => ({
  'content-type': `application/x-${service}-result`,
  ...NO_CACHE,
})

const GIT_ERROR_STATUS: Readonly<Partial<Record<GitError['code'], number>>> = {
  unsupported: 415,
  too_large: 413,
  corrupt: 400,
  invalid: 400,
}
