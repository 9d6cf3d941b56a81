/** One request of a registry's client, as formats get it. */
import { decide } from '#core/access.ts'
import { anonymous, type Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type Operation, type Typed } from '#core/operation.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { readScope } from '#core/read-scope.ts'
import { Refusal } from '#lib/errors.ts'
import { type JsonLimits, parseJsonOrNone } from '#lib/parse-json.ts'
import type { PackageType } from '../schema.ts'

/** The text of a percent-encoded part of a path. Throws 400 for broken encoding. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Refusal('bad_request', 'the address has broken percent-encoding')
  }
}

/** What a kept answer knows of the request that it is sent to. */
export type ReadRequest = Pick<DoorRequest, 'headers' | 'isFromStart'>

/** Answers any request like the one that it was made for, without asking for its access again. */
export type KeptAnswer = {
  readonly answer: (request: ReadRequest) => Response | Promise<Response>
  /** The memory that it holds and no other cache counts. */
  readonly bytes: number
}

type PackageInput = { workspace: string; package_type: string; package_name: string }

export class DoorRequest {
  /** The method to answer: GET for a HEAD request. */
  readonly method: string
  readonly #query: string
  #kept: KeptAnswer | null = null
  #package_name: string | null = null

  constructor(
    private readonly hearth: Hearth,
    private readonly request: ProtocolRequest,
    /** The current slug of the workspace, also where the address has a former one. */
    readonly workspace: string,
    readonly type: PackageType,
    /** What follows the address of the format, percent-encoded as it was sent, without a slash. */
    readonly rest: string,
    readonly caller: Caller,
    /** The token of the caller; null without one. */
    readonly secret: string | null,
  ) {
    this.method = request.request.method === 'HEAD' ? 'GET' : request.request.method
    this.#query = request.query
  }

  get headers(): Headers {
    return this.request.request.headers
  }

  /** Whether the client wants to know of a file, and not the file. */
  get isHead(): boolean {
    return this.request.request.method === 'HEAD'
  }

  get signal(): AbortSignal {
    return this.request.request.signal
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.#query)
  }

  /** The rest of the path, decoded, with `/` between its parts. */
  get path(): string {
    return decodePart(this.rest)
  }

  /** The announced length of the body; null when it is not known. */
  get length(): number | null {
    const header = this.headers.get('content-length')
    return header === null ? null : Number(header)
  }

  /** Whether the request is for the beginning of a file, and so counts as a download. */
  get isFromStart(): boolean {
    if (this.request.request.method !== 'GET') return false
    const range = this.headers.get('range')
    return range === null || /^bytes=0-/.test(range)
  }

  /** What `keep` was given; null when the answer holds for this request alone. */
  get kept(): KeptAnswer | null {
    return this.#kept
  }

  /**
   * Answers with a function that holds for all reads of the same address with the same credentials
   * and `Accept`, until the next commit. It looks at conditions, ranges and encodings itself.
   */
  keep(answer: KeptAnswer['answer'], bytes = 0): Response | Promise<Response> {
    this.#kept = { answer, bytes }
    return answer(this)
  }

  /** The whole body, decompressed. Throws 413 for more bytes. */
  bytes(maxBytes: number): Promise<Uint8Array> {
    return this.request.bytes(maxBytes)
  }

  /** The body as it arrives. An upload does not count as work while it waits for its client. */
  stream(maxBytes: number): AsyncIterable<Uint8Array> {
    this.request.wait()
    return this.request.stream(maxBytes)
  }

  /** The JSON in the body. Throws 400 for anything else, and for what exceeds the limits. */
  async json(maxBytes: number, limits?: JsonLimits): Promise<unknown> {
    const value = parseJsonOrNone(await this.bytes(maxBytes), limits)
    if (value === undefined) throw new Refusal('bad_request', 'the body is not JSON')
    return value
  }

  #input(package_name: string): PackageInput {
    this.#package_name = package_name
    return { workspace: this.workspace, package_type: this.type, package_name }
  }

  /** Whether the request is about a package that everyone may read. */
  get isOfPublicPackage(): boolean {
    if (this.#package_name === null) return false
    const facts = this.hearth.facts.package(this.#input(this.#package_name), anonymous)
    return facts !== null && !facts.private && !facts.deleted
  }

  /** Decides access to a package. Called before a body is read; `call` decides again. */
  authorize(operation: Operation, package_name: string): void {
    const { db, facts } = this.hearth
    const input = this.#input(package_name)
    // The call that follows the body finds the facts that were read for this, while they are true.
    readScope(db, () => void decide(operation.access, this.caller, input, facts))
  }

  /** Calls an operation on a package of the workspace. */
  call<I extends PackageInput, O>(
    operation: Typed<I, O>,
    package_name: string,
    input: Omit<I, keyof PackageInput>,
  ): Promise<O> {
    // The input is complete with the three fields that `Omit` left out.
    const whole = { ...this.#input(package_name), ...input } as unknown as I
    return this.callOther(operation, whole)
  }

  /** Calls an operation that is not about one package. */
  callOther<I, O>(operation: Typed<I, O>, input: I): Promise<O> {
    return call(this.hearth, operation, this.caller, input, {
      origin: this.request.origin,
      signal: this.signal,
    })
  }
}
