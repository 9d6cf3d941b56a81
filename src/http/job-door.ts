/**
 * The door of a job: a unix socket that only its sandbox can reach. Behind it are the interfaces
 * that jobs use: git, REST, registries of packages, the results service and ID tokens. A request
 * with a token that is not the job's is refused, so what a job has found elsewhere is of no use.
 *
 * Answers name the public address of this forge, which the sandbox may not reach. In texts it is
 * replaced by that of the door, and back in what the job sends, because that is stored.
 */
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Hearth } from '#core/hearth.ts'
import type { JobDoor, JobDoorOptions } from '#core/job-doors.ts'
import { Refusal } from '#lib/errors.ts'
import { AddressReplacer, replaceInStream, type Replacement } from '#lib/replace-bytes.ts'
import { doorNameOf, type Listener } from './exchange.ts'
import { isLfsToken, readLfsToken } from './git/lfs-token.ts'

/** More connections than the forwarder in the sandbox opens. */
const MAX_REQUESTS = 128
const MAX_REQUEST_BYTES = 64 * 1024 ** 3
/** Larger bodies are passed on as they are. */
const MAX_REPLACED_BYTES = 4 * 1024 ** 2
const IDLE_TIMEOUT_SECONDS = 150

const OPEN_PATHS = [
  // Not the protocol of runners, which are no jobs.
  /^\/api(?!\/actions\/(?:ping|runner)\.)(?:\/|$)/,
  /^\/twirp\//,
  /^\/_(?:results|artifact|archive)\//,
  /^\/packages\//,
  /^\/v2(?:\/|$)/,
  /^\/[^/]+\/[^/]+\/(?:raw|archive|releases)\//,
]

/** Headers that say who a client is, as a proxy would. No proxy stands before a door. */
const REMOVED_HEADERS = [
  'cookie',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  // What is compressed cannot be looked at.
  'accept-encoding',
]

/** Texts that hold addresses. Manifests of images are left out, because their digest is known. */
const TEXT_TYPE =
  /^(?:text\/html|application\/(?:xml|json|problem\+json|atom\+xml|vnd\.git-lfs\+json|vnd\.npm\.install-v1\+json|vnd\.pypi\.simple\.v1\+(?:json|html)))\b/
const ADDRESS_HEADERS = ['location', 'link', 'www-authenticate', 'docker-upload-location']

const refusal = (status: number, message: string): Response =>
  Response.json({ error: { code: 'forbidden', message } }, { status })

/** What a header has as a password, a token, or both. */
function secretsIn(header: string): string[] {
  return header.split(',').flatMap((part) => {
    const [, scheme = '', value = ''] = /^(\S+)\s+(\S.*)$/.exec(part.trim()) ?? []
    if (!/^basic$/i.test(scheme)) return [scheme === '' ? part.trim() : value.trim()]
    const text = Buffer.from(value, 'base64').toString('utf8')
    const colon = text.indexOf(':')
    return colon < 0 ? [text] : [text.slice(0, colon), text.slice(colon + 1)]
  })
}

/** User names that clients send beside a token, and what strangers get as theirs. */
const isName = (secret: string): boolean => !/^hth[a-z]_/.test(secret) && secret.length < 64

class DoorRequests {
  #open = 0
  readonly #toDoor: readonly Replacement[]
  readonly #toPublic: AddressReplacer

  constructor(
    private readonly hearth: Hearth,
    private readonly options: JobDoorOptions,
    private readonly router: DoorRouter,
  ) {
    const { site_url, base_url } = hearth.settings
    const { address } = options
    const separate = base_url.startsWith(`${site_url}/`)
      ? []
      : [{ from: base_url, to: `${address}/api` }]
    this.#toDoor = [...separate, { from: site_url, to: address }]
    this.#toPublic = new AddressReplacer([{ from: address, to: site_url }])
  }

  async answer(request: Request, listener: Listener): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    if (doorNameOf(pathname) !== 'git' && !OPEN_PATHS.some((path) => path.test(pathname)))
      return refusal(403, 'this address is not for jobs')
    if (!this.#hasOwnCredentials(request.headers))
      return refusal(403, 'a job reaches this forge with its own token only')
    if (this.#open >= MAX_REQUESTS) return refusal(429, `at most ${MAX_REQUESTS} requests at once`)
    this.#open++
    try {
      const inner = await this.#innerRequest(request, `${pathname}${search}`)
      return this.#withDoorAddresses(await this.router.fetch(inner, listener))
    } catch (error) {
      if (error instanceof Refusal) return refusal(400, error.message)
      throw error
    } finally {
      this.#open--
    }
  }

  /** Whether all that a request could be let in by belongs to the job. */
  #hasOwnCredentials(headers: Headers): boolean {
    const header = headers.get('authorization') ?? ''
    if (isLfsToken(header)) return this.#isOwnTransfer(header)
    const given = [...secretsIn(header), headers.get('x-nuget-apikey') ?? '']
    return given.every((secret) => isName(secret) || this.options.secrets.includes(secret))
  }

  #isOwnTransfer(header: string): boolean {
    const claims = readLfsToken(this.hearth, header)
    if (claims === null || claims.credential === null) return claims !== null
    const owner = this.hearth.callers.byCredential(claims.credential)
    if (owner === null || owner.kind === 'anonymous') return false
    return this.options.secrets.some((secret) => {
      const caller = this.hearth.callers.byToken(secret)
      return caller !== null && caller.kind !== 'anonymous' && caller.id === owner.id
    })
  }

  async #innerRequest(request: Request, target: string): Promise<Request> {
    const headers = new Headers(request.headers)
    for (const name of REMOVED_HEADERS) headers.delete(name)
    const site = new URL(this.hearth.settings.site_url)
    headers.set('host', site.host)
    const { method, signal } = request
    const body = await this.#publicBody(request)
    const scheme = this.router.isEncrypted ? 'https' : 'http'
    return new Request(`${scheme}://${site.host}${target}`, { method, headers, body, signal })
  }

  /** Texts for the interface name the public address, because people read them. */
  async #publicBody(request: Request): Promise<BodyInit | null> {
    const length = Number(request.headers.get('content-length') ?? Number.NaN)
    const isText = /^application\/json\b/.test(request.headers.get('content-type') ?? '')
    const isPlain = !request.headers.has('content-encoding')
    if (!isText || !isPlain || !(length <= MAX_REPLACED_BYTES)) return request.body
    return new Uint8Array(this.#toPublic.whole(new Uint8Array(await request.arrayBuffer())))
  }

  #withDoorAddresses(response: Response): Response {
    const headers = new Headers(response.headers)
    const replacer = new AddressReplacer(this.#toDoor)
    for (const name of ADDRESS_HEADERS) {
      const value = headers.get(name)
      if (value !== null) headers.set(name, replacer.text(value))
    }
    const isText =
      response.status !== 206 &&
      TEXT_TYPE.test(headers.get('content-type') ?? '') &&
      !headers.has('content-disposition') &&
      !headers.has('content-encoding')
    if (!isText || response.body === null)
      return new Response(response.body, { status: response.status, headers })
    headers.delete('content-length')
    const body = replaceInStream(response.body, this.#toDoor)
    return new Response(body, { status: response.status, headers })
  }
}

/** The routes of the server. */
export type DoorRouter = {
  readonly isEncrypted: boolean
  fetch(request: Request, listener: Listener): Response | Promise<Response>
}

export async function openJobDoor(
  hearth: Hearth,
  options: JobDoorOptions,
  router: DoorRouter,
): Promise<JobDoor> {
  const { socket } = options
  rmSync(socket, { force: true })
  const requests = new DoorRequests(hearth, options, router)
  // Addresses of sockets have at most 107 bytes, which the path of a data directory can exceed.
  const folder = openSync(dirname(socket), constants.O_RDONLY | constants.O_DIRECTORY)
  const server = Bun.serve({
    unix: `/proc/self/fd/${folder}/socket`,
    maxRequestBodySize: MAX_REQUEST_BYTES,
    fetch: (request, own) => {
      own.timeout(request, IDLE_TIMEOUT_SECONDS)
      return requests.answer(request, {
        // No address: whatever a job says about where it comes from does not count.
        requestIP: () => null,
        timeout: (_, seconds) => own.timeout(request, seconds),
      })
    },
    error: (error) => {
      hearth.log.error('a request of a job failed', { error })
      return refusal(500, 'something went wrong here')
    },
  })
  await chmod(socket, 0o600)
  return {
    close: async () => {
      rmSync(socket, { force: true })
      await server.stop(true)
      closeSync(folder)
    },
  }
}
