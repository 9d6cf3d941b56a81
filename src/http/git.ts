/**
 * The door for git clients: smart HTTP (https://git-scm.com/docs/http-protocol), protocol versions
 * 0, 1 and 2, at `/<workspace>/<repo>.git` and for the fork of a pull request at
 * `/<workspace>/<repo>/pull/<number>.git`, both also without `.git`. It knows the two operations
 * behind it by name only. Access is decided before a body is read.
 */
import { GitError, type Push, type RefResult, type RefSnapshot } from '#git'
import { decide } from '#core/access.ts'
import type { Origin } from '#core/audit.ts'
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type Operation, type Typed } from '#core/operation.ts'
import { hasRoom, isWithoutRoom, noRoom } from '#core/room.ts'
import { overloaded, principalOf, runAs } from '#core/work.ts'
import { Moved, Refusal } from '#lib/errors.ts'
import { RESERVED_SLUGS } from '#lib/slug.ts'
import { gitCallerOf } from './git-credentials.ts'
import { RightsMemo, type Opened } from './git-rights.ts'
import { ShownRefs } from './git-shown.ts'
import { CopyLimit } from './copy-limit.ts'
import { placesOf } from './places.ts'
import { bodyOf, smallBodyOf, Watchdog } from './git-streams.ts'

type Service = 'git-upload-pack' | 'git-receive-pack'

type Address = { readonly repo: string; readonly what: string }

/**
 * What the door needs of the listener: to let transfers be silent for longer than other requests.
 */
export type Listener = { timeout(request: Request, seconds: number): void }

export type GitDoor = (
  request: Request,
  server: Listener,
  origin: () => Origin,
) => Promise<Response> | null

const ADDRESS =
  /^\/([A-Za-z0-9][A-Za-z0-9-]{0,99})\/([A-Za-z0-9._-]{1,100}?)(\/pull\/[1-9][0-9]{0,9})?(\.git)?\/(info\/refs|git-upload-pack|git-receive-pack|HEAD|objects\/.+)$/

/**
 * What a client may ask for in one request: lists of ids, which even large repositories keep to a
 * few megabytes.
 */
const LARGEST_QUESTION = 64 * 1024 * 1024
/**
 * Seconds in which the reader of a file must take something; the listener knows no more than 255.
 */
const LONGEST_STALL = 240
/** Room for the commands that come before a pack. */
const ROOM_FOR_COMMANDS = 64 * 1024 * 1024

/** The repository and what is asked of it; null for an address that is not git's. */
export function gitAddress(path: string): Address | null {
  const [, slug, name, pull = '', suffix, what] = ADDRESS.exec(path) ?? []
  if (
    slug === undefined ||
    name === undefined ||
    what === undefined ||
    RESERVED_SLUGS.has(slug.toLowerCase())
  )
    return null
  // Files of the repository's directory, which only clients of the old protocol ask for.
  const isFile = what === 'HEAD' || what.startsWith('objects/')
  if (isFile && suffix === undefined) return null
  return { repo: `${slug}/${name}${pull}`, what: isFile ? 'file' : what }
}

/**
 * The protocol version that a client asks for: a list of keys between colons, of which the highest
 * version counts.
 */
export function protocolOf(header: string | null): 0 | 1 | 2 {
  const versions = (header ?? '').split(':').map((key) => /^version=([012])$/.exec(key.trim())?.[1])
  return versions.includes('2') ? 2 : versions.includes('1') ? 1 : 0
}

/** As git's own server says that nothing may be kept. */
const FRESH = {
  'cache-control': 'no-cache, max-age=0, must-revalidate',
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
}

/** Plain text, which git shows to the person line by line. */
const text = (status: number, message: string, headers: Record<string, string> = {}): Response =>
  new Response(`${message}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...FRESH, ...headers },
  })

const CHALLENGE = { 'www-authenticate': 'Basic realm="Hearth", charset="UTF-8"' }

/**
 * A refusal in words. Someone who is not signed in hears the same of a private and of a missing
 * repository.
 */
function refuse(refusal: Refusal, caller: Caller | null): Response {
  if (refusal.code === 'unauthenticated')
    return text(
      401,
      refusal.reason === 'invalid_token' ? refusal.message : 'sign in with a token as the password',
      CHALLENGE,
    )
  if (refusal.code === 'not_found' && caller?.kind === 'anonymous')
    return text(401, 'sign in with a token as the password', CHALLENGE)
  return text(refusal.status, refusal.message, refusal.headers)
}

type FetchOperation = Typed<
  { repo: string },
  { full_name: string; store: string; refs: RefSnapshot }
>
type PushInput = {
  repo: string
  updates: Push['updates']
  options: readonly string[]
  atomic: boolean
  bytes: number
  unlooked: boolean
}
type PushOperation = Typed<PushInput, { results: RefResult[] }>

function named(hearth: Hearth, name: string): Operation {
  const operation = hearth.operationsByName.get(name)
  if (!operation) throw new TypeError(`the git door needs the operation ${name}`)
  return operation
}

/** Makes the door; it gives null for addresses that are not git's. */
export function gitDoor(hearth: Hearth): GitDoor {
  const fetchRepo = named(hearth, 'fetch_repo') as FetchOperation
  const push = named(hearth, 'push') as PushOperation
  const places = placesOf(hearth)
  const copies = new CopyLimit(hearth)
  const memo = new RightsMemo(hearth)
  const shown = new ShownRefs(hearth)

  /** Where the objects are and which refs are seen, if the caller may use the service. */
  const open = async (
    caller: Caller,
    service: Service,
    repo: string,
    credential: string,
  ): Promise<Opened> => {
    const before = memo.state()
    if (service === 'git-receive-pack') {
      decide(push.access, caller, { repo }, hearth.facts)
      // Said before a pack is sent that could not be kept.
      if (!hasRoom(hearth)) throw noRoom()
    }
    const { store, refs } = await call(hearth, fetchRepo, caller, { repo })
    const opened = { caller, store, refs }
    memo.keep(credential, repo, before, opened)
    return opened
  }

  const apply = async (
    caller: Caller,
    origin: Origin,
    repo: string,
    { updates, options, atomic, packBytes, unlooked }: Push,
  ): Promise<readonly RefResult[]> => {
    const refuseAll = (refused: string) => updates.map(({ name }) => ({ name, refused }))
    try {
      const { results } = await call(
        hearth,
        push,
        caller,
        { repo, updates, options, atomic, bytes: packBytes, unlooked },
        { origin },
      )
      return results
    } catch (error) {
      if (error instanceof Refusal) return refuseAll(error.message)
      if (isWithoutRoom(error)) return refuseAll(noRoom().message)
      hearth.log.error('a push failed', { repo, error })
      return refuseAll('something went wrong here; nothing was changed')
    }
  }

  /**
   * Packs may be on their way back from elsewhere. That they cannot come is said here, since git
   * shows people what is wrong with its first question only.
   */
  const arrival = async (request: Request, server: Listener, store: string): Promise<void> => {
    const coming = hearth.git.ready(store)
    if (coming === null) return
    server.timeout(request, 0)
    await coming
  }

  const advertise = async (
    request: Request,
    server: Listener,
    origin: () => Origin,
    url: URL,
    caller: Caller,
    repo: string,
    credential: string,
    known: Opened | null,
  ): Promise<Response> => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return text(405, `${request.method} is not possible here`, { allow: 'GET, HEAD' })
    const service = url.searchParams.get('service')
    if (service !== 'git-upload-pack' && service !== 'git-receive-pack') {
      return text(
        403,
        service === null
          ? 'this server speaks the smart HTTP protocol only: use git 1.6.6 or later'
          : `there is no service ${service.slice(0, 60)}`,
      )
    }
    const { store, refs } =
      (service === 'git-upload-pack' ? known : null) ??
      (await open(caller, service, repo, credential))
    await arrival(request, server, store)
    const version = versionFor(service, request)
    const body = hearth.git.advertise(service, refs, version)
    if (service === 'git-upload-pack' && version !== 2)
      shown.note(principalOf(caller, origin), repo, refs)
    const headers = { 'content-type': `application/x-${service}-advertisement`, ...FRESH }
    return new Response(request.method === 'HEAD' ? null : (body as Uint8Array<ArrayBuffer>), {
      headers,
    })
  }

  const exchange = async (
    request: Request,
    server: Listener,
    origin: () => Origin,
    service: Service,
    caller: Caller,
    repo: string,
    credential: string,
    known: Opened | null,
  ): Promise<Response> => {
    if (request.method !== 'POST')
      return text(405, `${request.method} is not possible here`, { allow: 'POST' })
    const { store, refs: now } =
      (service === 'git-upload-pack' ? known : null) ??
      (await open(caller, service, repo, credential))
    const type = request.headers.get('content-type')
    if (type !== `application/x-${service}-request`)
      return text(415, `the body must be application/x-${service}-request`)
    const limit =
      service === 'git-upload-pack'
        ? LARGEST_QUESTION
        : hearth.settings.git.max_pack_bytes + ROOM_FOR_COMMANDS
    if (Number(request.headers.get('content-length') ?? 0) > limit)
      return text(413, `the request is larger than ${limit} bytes`, { connection: 'close' })
    // Before the timeout is lifted: what is this short has no reason to take long.
    const small = service === 'git-upload-pack' ? await smallBodyOf(request) : null
    const headers = { 'content-type': `application/x-${service}-result`, ...FRESH }
    const version = versionFor(service, request)
    const party = principalOf(caller, origin)
    const listed = small && hearth.git.listRefs(now, version, small)
    if (listed) {
      shown.note(party, repo, now)
      return new Response(listed as Uint8Array<ArrayBuffer>, { headers })
    }
    const refs = small ? shown.with(party, repo, now, small) : now
    await arrival(request, server, store)
    const onCopy = caller.kind === 'anonymous' ? () => copies.count(store) : undefined
    const whole = (answer: Uint8Array | { readonly path: string }): Response =>
      answer instanceof Uint8Array
        ? new Response(answer as Uint8Array<ArrayBuffer>, { headers })
        : fileAnswer(request, server, service, answer.path)
    const noteEnd = hearth.measures.begin(service === 'git-upload-pack' ? 'fetch' : 'push', {
      repo,
    })
    // What is done before anything else happens needs no watching, and a place only in so far as
    // one is free.
    if (small && places.hasRoom(party)) {
      let made: Uint8Array | { readonly path: string } | null = null
      let isOver = true
      try {
        made = runAs(party, () =>
          hearth.git.answerNow(store, refs, { protocol: version, body: small, onCopy }),
        )
        isOver = made !== null
      } finally {
        if (isOver) noteEnd()
      }
      if (made) return whole(made)
    }
    server.timeout(request, 0)
    const watchdog = new Watchdog()
    let leave = (): void => {}
    const end = (): void => {
      watchdog.stop()
      noteEnd()
      leave()
    }
    try {
      const body = small ?? bodyOf(request, limit, watchdog)
      const signal = AbortSignal.any([request.signal, hearth.stopping, watchdog.signal])
      const asked = {
        protocol: version,
        body,
        signal,
        onCopy,
        onMove: () => watchdog.touch(),
        onEnd: end,
      }
      leave = await places.enter(party, signal)
      if (service === 'git-receive-pack') {
        return new Response(
          runAs(party, () =>
            hearth.git.receivePack(store, refs, {
              ...asked,
              apply: (pushed) => apply(caller, origin(), repo, pushed),
            }),
          ),
          { headers },
        )
      }
      const answer = await runAs(party, () => hearth.git.uploadPackOrFile(store, refs, asked))
      if (answer instanceof ReadableStream) return new Response(answer, { headers })
      end()
      return whole(answer)
    } catch (error) {
      end()
      throw error
    }
  }

  const answer = async (
    request: Request,
    server: Listener,
    origin: () => Origin,
    url: URL,
    { repo, what }: Address,
  ): Promise<Response> => {
    let caller: Caller | null = null
    try {
      const credential = request.headers.get('authorization') ?? ''
      const known = memo.find(credential, repo)
      caller = known?.caller ?? gitCallerOf(hearth, request)
      if (what === 'file')
        return text(403, 'this server speaks the smart HTTP protocol only: use git 1.6.6 or later')
      if (what === 'info/refs')
        return await advertise(request, server, origin, url, caller, repo, credential, known)
      return await exchange(
        request,
        server,
        origin,
        what as Service,
        caller,
        repo,
        credential,
        known,
      )
    } catch (error) {
      // git follows the answer to its first question, and asks the new address from then on
      // (git-config, http.followRedirects).
      if (error instanceof Moved)
        return text(301, error.message, {
          location: `/${error.to}${url.pathname.slice(1 + repo.length)}${url.search}`,
        })
      if (error instanceof Refusal) return refuse(error, caller)
      const turnedAway = overloaded(hearth, error)
      if (turnedAway) return refuse(turnedAway, caller)
      if (error instanceof GitError && error.code === 'unsupported') return text(415, error.message)
      if (error instanceof GitError && error.code === 'too_large') return text(413, error.message)
      if (error instanceof GitError && (error.code === 'corrupt' || error.code === 'invalid'))
        return text(400, error.message)
      if (request.signal.aborted || (error instanceof GitError && error.code === 'aborted'))
        return text(499, 'the request was given up')
      if (isWithoutRoom(error)) return refuse(noRoom(), caller)
      hearth.log.error('a git request failed', { repo, what, error })
      return text(500, 'something went wrong here')
    }
  }

  return (request, server, origin) => {
    const url = new URL(request.url)
    const address = gitAddress(url.pathname)
    return address && answer(request, server, origin, url, address)
  }
}

/**
 * An answer that is kept as a file: the listener sends it without its bytes passing through here.
 * It opens the file at once, so that whoever removes it later takes nothing from this transfer, and
 * it cuts off a reader who takes nothing for a while.
 */
function fileAnswer(request: Request, server: Listener, service: Service, path: string): Response {
  server.timeout(request, LONGEST_STALL)
  // Without a disposition of its own the answer would tell what the file is called here.
  return new Response(Bun.file(path), {
    headers: {
      'content-type': `application/x-${service}-result`,
      'content-disposition': 'inline',
      ...FRESH,
    },
  })
}

/**
 * A push has no version 2: a client that asks for it gets version 0 (gitprotocol-v2,
 * "Capabilities").
 */
function versionFor(service: Service, request: Request): 0 | 1 | 2 {
  const version = protocolOf(request.headers.get('git-protocol'))
  return service === 'git-receive-pack' && version === 2 ? 0 : version
}
