/**
 * A client for registries of images (OCI distribution specification 1.1). It speaks TLS to the
 * addresses that the server allows, with every redirect and every address for tokens among them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { DOCKER_HUB, MANIFEST_TYPES, MAX_MANIFEST_BYTES } from '#lib/container-image.ts'
import { OutboundClient } from '#lib/outbound/outbound.ts'
import type { CheckedAddress } from '#lib/outbound/outbound-rules.ts'
import type { StreamedResponse } from '#lib/outbound/outbound-stream.ts'
import { bearerOf, parseBearer, tokenUrl } from '#lib/outbound/registry-token.ts'
import { parseJsonOrNone } from '#lib/parse-json.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import type { FindRegistry, ImageToPull } from './pull.ts'

const MAX_TOKEN_BYTES = 64 * 1024
const TOKEN_TIMEOUT_MS = 20 * SECOND
const MANIFEST_TIMEOUT_MS = 2 * MINUTE
const BLOB_TIMEOUT_MS = 60 * MINUTE
const IDLE_TIMEOUT_MS = 60 * SECOND
const MAX_REDIRECTS = 5
/** Where Docker has certificate authorities of single registries, each in its folder. */
const CERTIFICATES = '/etc/docker/certs.d'

/** Connects to the addresses that the server finds for a registry, in place of rules of its own. */
class RegistryConnections extends OutboundClient {
  constructor(private readonly findRegistry: FindRegistry) {
    super([])
  }

  override async checkAddress({ hostname, port }: URL): Promise<CheckedAddress> {
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    const found = await this.findRegistry(host, Number(port || 443))
    const address = isIP(found) > 0 ? found : (await lookup(found)).address
    return { address, family: isIP(address) === 6 ? 6 : 4 }
  }
}

/** The certificate authorities in the folder of a registry; null for those of everybody. */
function authoritiesOf(folder: string): string | null {
  if (!existsSync(folder)) return null
  const own = readdirSync(folder).filter((name) => name.endsWith('.crt'))
  const texts = own.map((name) => readFileSync(join(folder, name), 'utf8'))
  return texts.length === 0 ? null : [...rootCertificates, ...texts].join('\n')
}

type Request = {
  readonly accept: string
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** One repository of a registry. */
export class Repository {
  readonly #connections: RegistryConnections
  readonly #registry: URL
  readonly #ca: string | null
  #authorization: string | null = null

  constructor(
    host: string,
    private readonly name: string,
    private readonly credentials: ImageToPull['credentials'],
    private readonly options: {
      readonly findRegistry: FindRegistry
      readonly signal: AbortSignal
      /** The folder with certificate authorities of single registries, as Docker has it. */
      readonly certificates?: string
    },
  ) {
    this.#connections = new RegistryConnections(options.findRegistry)
    this.#registry = new URL(`https://${host === 'docker.io' ? DOCKER_HUB : host}`)
    this.#ca = authoritiesOf(join(options.certificates ?? CERTIFICATES, host))
  }

  /** The bytes of a manifest by its tag or digest. */
  async manifest(reference: string): Promise<Uint8Array> {
    const { body } = await this.#get(`manifests/${reference}`, {
      accept: MANIFEST_TYPES,
      maxBytes: MAX_MANIFEST_BYTES,
      timeoutMs: MANIFEST_TIMEOUT_MS,
    })
    return new Uint8Array(await new Response(body).arrayBuffer())
  }

  async blob(digest: string, maxBytes: number): Promise<ReadableStream<Uint8Array>> {
    const request = { accept: '*/*', maxBytes, timeoutMs: BLOB_TIMEOUT_MS }
    return (await this.#get(`blobs/${digest}`, request)).body
  }

  /** Asks again with what the challenge of a 401 wants. Throws an Error for another answer than 200. */
  async #get(path: string, request: Request): Promise<StreamedResponse> {
    const first = await this.#send(path, request)
    if (first.status === 200) return first
    await first.body.cancel()
    const isRefused = first.status === 401 && this.#authorization === null
    const authorization = isRefused
      ? await this.#authorize(first.headers['www-authenticate'] ?? null)
      : null
    if (authorization === null) throw this.#fault(first.status)
    this.#authorization = authorization
    const second = await this.#send(path, request)
    if (second.status === 200) return second
    await second.body.cancel()
    throw this.#fault(second.status)
  }

  #send(path: string, { accept, maxBytes, timeoutMs }: Request): Promise<StreamedResponse> {
    return this.#connections.open(new URL(`/v2/${this.name}/${path}`, this.#registry), {
      ...this.#common,
      headers: { accept, 'user-agent': 'Hearth jobs' },
      authorization: this.#authorization,
      timeoutMs,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      maxBytes,
      redirects: MAX_REDIRECTS,
    })
  }

  get #common(): { readonly signal: AbortSignal; readonly ca?: string } {
    return { signal: this.options.signal, ...(this.#ca === null ? {} : { ca: this.#ca }) }
  }

  #fault(status: number): Error {
    const { host } = this.#registry
    if (status === 401 || status === 403) return new Error(`${host} refuses access (${status})`)
    if (status === 404) return new Error(`${host} has none of this name`)
    return new Error(`${host} answered with the status ${status}`)
  }

  /** The header that the challenge asks for; null where there is none. */
  async #authorize(challenge: string | null): Promise<string | null> {
    const basic =
      this.credentials === null
        ? null
        : `Basic ${Buffer.from(`${this.credentials.username}:${this.credentials.password}`).toString('base64')}`
    const parameters = parseBearer(challenge)
    if (parameters === null) return basic
    const url = tokenUrl(parameters, this.#registry)
    if (url === null) throw new Error(`${this.#registry.host} names no address for tokens`)
    const { status, body } = await this.#connections.request(url, {
      ...this.#common,
      headers: {
        accept: 'application/json',
        'user-agent': 'Hearth jobs',
        ...(basic !== null && { authorization: basic }),
      },
      timeoutMs: TOKEN_TIMEOUT_MS,
      maxBytes: MAX_TOKEN_BYTES,
    })
    const bearer = status === 200 ? bearerOf(parseJsonOrNone(body)) : null
    if (bearer === null) throw new Error(`${url.host} gave no token (${status})`)
    return bearer
  }
}
