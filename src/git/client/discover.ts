/**
 * The first request of every conversation: `GET info/refs` (gitprotocol-http, "Discovering
 * References"). Only this one follows redirects; later requests go to the final address, as in git
 * (`http.followRedirects=initial`).
 */
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'
import { isOid, ZERO_OID } from '../object.ts'
import type { Oid, Ref } from '../ports.ts'
import { isRefName } from '../protocol/ref-name.ts'
import { ResponseReader, requireLine } from './response-reader.ts'
import { Capabilities } from './capabilities.ts'
import { RemoteError, type RemoteOptions, type RemoteRefs, type Transport } from './ports.ts'

export type Client = { readonly transport: Transport; readonly agent: string }
export type Service = 'git-upload-pack' | 'git-receive-pack'

/** The address and capabilities of a remote and, before version 2, its refs. */
export type Advertisement = {
  readonly base: string
  readonly protocol: 0 | 1 | 2
  readonly capabilities: Capabilities
  readonly refs: RemoteRefs | null
  /** The commits at which the history of the remote ends; before version 2. */
  readonly shallow: readonly Oid[]
}

export const MAX_REFS = 200_000
/** The size of all ref lines; 100,000 refs with long names need 20 MB. */
const MAX_ADVERTISEMENT_BYTES = 256 << 20

/** Discovers a remote. Throws RemoteError for anything but a readable repository. */
export async function discover(
  client: Client,
  service: Service,
  options: RemoteOptions,
): Promise<Advertisement> {
  const suffix = `/info/refs?service=${service}`
  const response = await client.transport({
    method: 'GET',
    url: trimTrailingSlashes(options.url) + suffix,
    // Some servers respond only to user agents of git.
    headers: {
      'user-agent': userAgentOf(client),
      accept: '*/*',
      'accept-encoding': 'identity',
      pragma: 'no-cache',
      ...(service === 'git-upload-pack' ? { 'git-protocol': 'version=2' } : {}),
    },
    body: null,
    redirect: true,
    signal: options.signal ?? null,
  })
  const answer = new ResponseReader(response.body, MAX_ADVERTISEMENT_BYTES, options.speedLimits)
  try {
    requireOk(response, 'the repository')
    if (!response.url.endsWith(suffix))
      throw new RemoteError(
        'unsupported',
        'the address redirects to a place that is no git repository',
      )
    const type = response.header('content-type')?.split(';')[0]?.trim()
    if (type !== `application/x-${service}-advertisement`) {
      throw new RemoteError(
        'unsupported',
        'there is no git repository at this address, ' +
          'or only one of the old “dumb” kind, which is not supported',
      )
    }
    return await readAdvertisement(answer, response.url.slice(0, -suffix.length), options)
  } finally {
    await answer.close()
  }
}

export const userAgentOf = ({ agent }: Client): string => `git/2.50.0 (${agent})`

/** Throws RemoteError that explains a status to the user. */
export function requireOk(
  response: { status: number; header(name: string): string | null },
  what: string,
): void {
  const { status } = response
  if (status === 200) return
  if (status === 401 || status === 403)
    throw new RemoteError(
      'invalid',
      `the remote asks for a sign-in (status ${status}): ${what} is private or does not exist`,
      status,
    )
  if (status === 404 || status === 410)
    throw new RemoteError(
      'missing',
      `the remote has nothing at this address (status ${status})`,
      status,
    )
  const after = Number(response.header('retry-after') ?? NaN)
  throw new RemoteError(
    'invalid',
    `the remote answered with status ${status}`,
    status,
    Number.isFinite(after) && after >= 0 ? after * 1000 : null,
  )
}

async function readAdvertisement(
  answer: ResponseReader,
  base: string,
  options: RemoteOptions,
): Promise<Advertisement> {
  let packet = await answer.requirePacket()
  let line = requireLine(packet)
  if (line.startsWith('# service=')) {
    do packet = await answer.requirePacket()
    while (packet.kind === 'data')
    packet = await answer.requirePacket()
    // Some servers send nothing for an empty repository.
    if (packet.kind === 'flush')
      return {
        base,
        protocol: 0,
        capabilities: new Capabilities([]),
        refs: { protocol: 0, head: null, refs: [], malformed: 0 },
        shallow: [],
      }
    line = requireLine(packet)
  }
  if (line === 'version 2') {
    const words: string[] = []
    for (;;) {
      packet = await answer.requirePacket()
      if (packet.kind !== 'data') break
      words.push(requireLine(packet))
    }
    const capabilities = new Capabilities(words)
    capabilities.requireSha1()
    return { base, protocol: 2, capabilities, refs: null, shallow: [] }
  }
  const protocol = line === 'version 1' ? 1 : 0
  if (protocol === 1) line = requireLine(await answer.requirePacket())
  const nul = line.indexOf('\0')
  const capabilities = new Capabilities(nul < 0 ? [] : line.slice(nul + 1).split(' '))
  capabilities.requireSha1()
  const list = new RefList(options)
  const [symref] = capabilities.all('symref').filter((value) => value.startsWith('HEAD:'))
  if (symref !== undefined) list.head = symref.slice('HEAD:'.length)
  list.line(nul < 0 ? line : line.slice(0, nul))
  for (;;) {
    packet = await answer.requirePacket()
    if (packet.kind !== 'data') break
    list.line(requireLine(packet))
  }
  return { base, protocol, capabilities, refs: list.done(protocol), shallow: list.shallow }
}

const MAX_SHALLOW = 100_000

/** Adds the id of a line `shallow <id>`. Throws RemoteError for a malformed one or too many. */
export function addShallow(shallow: Oid[], line: string): void {
  const oid = line.slice('shallow '.length)
  if (!isOid(oid)) throw new RemoteError('corrupt', 'the remote names a malformed commit')
  if (shallow.length >= MAX_SHALLOW)
    throw new RemoteError('too_large', `the remote is shallow in more than ${MAX_SHALLOW} places`)
  shallow.push(oid)
}

/** Collects ref lines `<id> <name>`, with `<name>^{}` after a tag. */
export class RefList {
  head: string | null = null
  readonly shallow: Oid[] = []
  #headOid: string | null = null
  readonly #refs: { name: string; oid: string; peeled: string | null }[] = []
  readonly #most: number
  #malformed = 0

  constructor(private readonly options: RemoteOptions) {
    this.#most = options.maxRefs ?? MAX_REFS
  }

  /** Adds a line of version 0 or 1. Throws RemoteError for a malformed one. */
  line(text: string): void {
    if (text.startsWith('shallow ')) {
      addShallow(this.shallow, text)
      return
    }
    const [oid, name] = [text.slice(0, 40), text.slice(41)]
    if (!isOid(oid) || text[40] !== ' ' || name === '')
      throw new RemoteError('corrupt', 'the remote’s list of refs is malformed')
    if (oid === ZERO_OID && name === 'capabilities^{}') return
    const last = this.#refs.at(-1)
    if (name.endsWith('^{}')) {
      if (last && `${last.name}^{}` === name) last.peeled = oid
      return
    }
    this.add({ name, oid, peeled: null })
  }

  add(ref: Ref): void {
    if (ref.name === 'HEAD') {
      this.#headOid = ref.oid
      return
    }
    const { prefixes } = this.options
    if (prefixes && !prefixes.some((prefix) => ref.name.startsWith(prefix))) return
    // A name that is not valid UTF-8 could not be distinguished from another one.
    if (!isRefName(ref.name) || ref.name.includes('\ufffd')) this.#malformed++
    else if (this.#refs.length >= this.#most)
      throw new RemoteError('too_large', `the remote has more than ${this.#most} refs`)
    else this.#refs.push({ ...ref })
  }

  done(protocol: 0 | 1 | 2): RemoteRefs {
    const head = this.head !== null && isRefName(this.head) ? this.head : this.#guessHead()
    return { protocol, head, refs: this.#refs, malformed: this.#malformed }
  }

  /** Old servers send the id of HEAD but not its branch (gitprotocol-capabilities, "symref"). */
  #guessHead(): string | null {
    const branches = this.#refs
      .filter(({ name, oid }) => oid === this.#headOid && name.startsWith('refs/heads/'))
      .map(({ name }) => name)
    return (
      branches.find((name) => name === 'refs/heads/main') ??
      branches.find((name) => name === 'refs/heads/master') ??
      branches[0] ??
      null
    )
  }
}
