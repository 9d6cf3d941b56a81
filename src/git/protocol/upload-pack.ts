/**
 * git-upload-pack over smart HTTP: parses a request, responds at once where no objects are needed,
 * and runs fetches as tasks.
 */
import { finishInTurns, finishNow, type Steps } from '#lib/steps.ts'
import { isOid, oidToBytes } from '../object.ts'
import { bundleList } from './bundle.ts'
import { GitError, type ServiceRequest } from '../ports.ts'
import { bufferOrStreamResponse, streamResponse, type ResponseSink } from './response-stream.ts'
import { readBody } from './body.ts'
import type { FetchRequest } from './fetch-request.ts'
import { lsRefs } from './ls-refs.ts'
import type { ProduceResponse } from './shared-response.ts'
import { requireSha1Format } from './object-format.ts'
import { parseFetchV0, parseFetchV2 } from './parse-fetch.ts'
import { pipeTask, type TaskContext } from './pipe-task.ts'
import { DELIM_LINE, END_LINE, FLUSH_LINE, parseLines, pkt, textOf, type Line } from './pkt-line.ts'
import type { ResponseCache } from './response-cache.ts'
import type { SnapshotView } from './snapshot-view.ts'
import { isClone, type SmallFetches } from '../tasks/small-fetches.ts'

/** Enough for 200,000 ids and the prefixes of as many refs. */
const MAX_REQUEST_BYTES = 32 << 20

export type UploadContext = TaskContext & {
  readonly responses: ResponseCache
  readonly onFullClone?: () => void
  /** Where a bundle is that clients may download first; null when there is none. */
  readonly bundleUri?: () => Promise<string | null>
}

/** A file with the complete response. */
type CachedFile = { readonly path: string; readonly size: number }

/** A complete response, a stream, or a file. */
export type UploadAnswer = Uint8Array | ReadableStream<Uint8Array> | CachedFile

/** Like `uploadPack`, but short responses are complete and cached files are not read. */
export async function uploadPackOrFile(
  context: UploadContext,
  store: string,
  view: SnapshotView,
  request: ServiceRequest,
): Promise<UploadAnswer> {
  try {
    const read = await readRequest(store, view, request)
    return (
      findCachedFile(context, read) ??
      (await bufferOrStreamResponse(
        (sink) => respondOrReport(context, store, view, read, sink),
        request,
      ))
    )
  } catch (error) {
    if (!(error instanceof GitError) || isTransient(error)) throw error
    return errorLine(error)
  }
}

/** Like `uploadPackOrFile`, into a sink of the caller. Null once everything was put there. */
export async function uploadPackInto(
  context: UploadContext,
  store: string,
  view: SnapshotView,
  request: ServiceRequest,
  sink: ResponseSink,
): Promise<CachedFile | null> {
  try {
    const read = await readRequest(store, view, request)
    const cachedFile = findCachedFile(context, read)
    if (cachedFile === null) await respondOrReport(context, store, view, read, sink)
    return cachedFile
  } catch (error) {
    if (!(error instanceof GitError) || isTransient(error)) throw error
    sink.put(errorLine(error))
    return null
  }
}

/** A request as it was read. */
type ReadRequest = {
  readonly protocol: 0 | 1 | 2
  readonly lines: readonly Line[]
  /** The fetch, if the request is one and nothing else, with the key of its response. */
  readonly single: { readonly fetch: FetchRequest; readonly key: string } | null
}

/** Reads a request. One that is cancelled ends here, although its body may never end. */
async function readRequest(
  store: string,
  view: SnapshotView,
  { protocol, body, signal }: ServiceRequest,
): Promise<ReadRequest> {
  const lines = await finishInTurns(parseLines(await readBodyUntil(signal, body)))
  const fetch = await finishInTurns(parseSingleFetch(view, protocol, lines))
  const single = fetch && { fetch, key: cacheKeyOf(store, view, fetch) }
  return { protocol, lines, single }
}

async function readBodyUntil(
  signal: AbortSignal | undefined,
  body: ServiceRequest['body'],
): Promise<Uint8Array> {
  const reading = readBody(body, MAX_REQUEST_BYTES)
  if (!signal) return await reading
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(new GitError('aborted', 'the request was given up'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([reading, givenUp])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

const LS_REFS = Buffer.from('command=ls-refs')
/** ls-refs requests are short: a few prefixes. */
const MAX_LS_REFS_REQUEST_BYTES = 1 << 11

/** The response to a request that only lists refs; null for any other, and for a malformed one. */
export function listRefs(
  view: SnapshotView,
  protocol: 0 | 1 | 2,
  body: Uint8Array,
): Uint8Array | null {
  if (
    protocol !== 2 ||
    body.length > MAX_LS_REFS_REQUEST_BYTES ||
    Buffer.compare(body.subarray(4, 4 + LS_REFS.length), LS_REFS) !== 0
  )
    return null
  try {
    return view.memoiseRequest(
      Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'),
      () => {
        const lines = finishNow(parseLines(body))
        const end = lines.length - 1
        if (lines.indexOf(FLUSH_LINE) !== end)
          throw new GitError('invalid', 'more than one command')
        const delim = lines.indexOf(DELIM_LINE)
        const text = (from: number, to: number): string[] => lines.slice(from, to).map(textOf)
        for (const line of text(1, delim < 0 ? end : delim)) {
          if (line.startsWith('command=')) throw new GitError('invalid', 'more than one command')
          requireSha1Format(line)
        }
        const args = delim < 0 ? [] : text(delim + 1, end)
        return lsRefs(view, args)
      },
    )
  } catch (error) {
    // `uploadPack` reports the fault.
    if (error instanceof GitError) return null
    throw error
  }
}

/** The only fetch of a request; null for any other request, and for a malformed one. */
function* parseSingleFetch(
  view: SnapshotView,
  protocol: 0 | 1 | 2,
  lines: readonly Line[],
): Steps<FetchRequest | null> {
  try {
    if (protocol !== 2) return yield* parseFetchV0(view, lines, protocol)
    const end = lines.length - 1
    const delim = lines.indexOf(DELIM_LINE)
    if (lines.indexOf(FLUSH_LINE) !== end || delim < 0 || lines.includes(END_LINE)) return null
    const before = lines.slice(0, delim).map(textOf)
    if (before.filter((line) => line.startsWith('command=')).join() !== 'command=fetch') return null
    before.forEach(requireSha1Format)
    return yield* parseFetchV2(view, lines.slice(delim + 1, end))
  } catch (error) {
    // `uploadPack` reports the fault.
    if (error instanceof GitError) return null
    throw error
  }
}

/** The cached file for a request of one fetch, or null. */
const findCachedFile = (
  { responses }: UploadContext,
  { single }: ReadRequest,
): CachedFile | null => (single && responses.hasFiles ? responses.getFile(single.key) : null)

/** Requests for small packs are short. */
const MAX_SYNC_REQUEST_BYTES = 1 << 17

/**
 * The response to a fetch that is cached, or that can be packed here quickly. Null for any other,
 * and while there is no permit.
 */
export function uploadPackSync(
  context: UploadContext & { readonly small: SmallFetches; readonly isFree: () => boolean },
  store: string,
  view: SnapshotView,
  protocol: 0 | 1 | 2,
  body: Uint8Array,
): Uint8Array | { readonly path: string; readonly size: number } | null {
  if (body.length > MAX_SYNC_REQUEST_BYTES) return null
  const request = finishNow(parseSingleFetch(view, protocol, parseLinesOrNone(body)))
  if (request === null || (request.wants.length === 0 && !request.waitForDone)) return null
  const { responses } = context
  const key = cacheKeyOf(store, view, request)
  const cached = responses.getBytes(key) ?? responses.getFile(key)
  // The same response is being produced, so the request joins it.
  if (cached !== null || responses.has(key) || !context.isFree()) return cached
  const response = context.small.tryFetch(store, request, view.names)
  if (response === null) return null
  if (isClone(request)) context.onFullClone?.()
  if (response.isRepeatable) responses.put(store, key, response.bytes)
  return response.bytes
}

function parseLinesOrNone(body: Uint8Array): readonly Line[] {
  try {
    return finishNow(parseLines(body))
  } catch (error) {
    if (error instanceof GitError) return []
    throw error
  }
}

export const uploadPack = (
  context: UploadContext,
  store: string,
  view: SnapshotView,
  request: ServiceRequest,
): ReadableStream<Uint8Array> =>
  streamResponse(async (sink) => {
    try {
      const read = await readRequest(store, view, request)
      await respondOrReport(context, store, view, read, sink)
    } catch (error) {
      if (!(error instanceof GitError) || isTransient(error)) throw error
      sink.put(errorLine(error))
    }
  }, request)

/** Responds, and reports faults of the request to the client. */
async function respondOrReport(...[context, store, view, read, sink]: Answered): Promise<void> {
  try {
    await answer(context, store, view, read, sink)
  } catch (error) {
    if (!(error instanceof GitError) || isTransient(error)) throw error
    sink.put(errorLine(error))
  }
}

/** Errors that are not about the request, so they are not sent as its response. */
const isTransient = ({ code }: GitError): boolean => code === 'aborted' || code === 'busy'

const errorLine = (error: GitError): Buffer =>
  pkt(`ERR ${error.message.replace(/[\r\n]+/g, ' ').slice(0, 900)}`)

type Answered = Parameters<typeof answer>

async function answer(
  context: UploadContext,
  store: string,
  view: SnapshotView,
  { protocol, lines, single }: ReadRequest,
  sink: ResponseSink,
): Promise<void> {
  if (single) return await fetch(context, store, view, single.fetch, sink, single.key)
  if (protocol === 2) return await respondV2(context, store, view, lines, sink)
  const parsed = await finishInTurns(parseFetchV0(view, lines, protocol))
  if (parsed !== null) await fetch(context, store, view, parsed, sink)
}

async function respondV2(
  context: UploadContext,
  store: string,
  view: SnapshotView,
  lines: readonly Line[],
  sink: ResponseSink,
): Promise<void> {
  let at = 0
  // A body may contain several commands.
  while (at < lines.length) {
    let command: string | null = null
    const args: Exclude<Line, number>[] = []
    let inArgs = false
    let given = 0
    for (; at < lines.length; at++) {
      const line = lines[at]!
      if (line === FLUSH_LINE) break
      if (line === DELIM_LINE) {
        inArgs = true
        continue
      }
      if (line === END_LINE)
        throw new GitError('invalid', 'unexpected end of the response in a request')
      given++
      if (inArgs) args.push(line)
      else if (typeof line === 'object') continue
      else if (line.startsWith('command=')) {
        if (command !== null)
          throw new GitError(
            'invalid',
            `command '${line.slice(8, 60)}' requested after '${command}'`,
          )
        command = line.slice(8)
      } else requireSha1Format(line)
    }
    at++
    if (command === null) {
      // Clients probe the connection with a flush alone.
      if (given > 0) throw new GitError('invalid', 'no command requested')
      continue
    }
    if (command === 'ls-refs') sink.put(lsRefs(view, args.map(textOf)))
    else if (command === 'fetch')
      await fetch(context, store, view, await finishInTurns(parseFetchV2(view, args)), sink)
    else if (command === 'bundle-uri') sink.put(await listBundles(context, args.map(textOf)))
    else if (command === 'object-info') await objectInfo(context, store, view, args, sink)
    else throw new GitError('invalid', `invalid command '${command.slice(0, 60)}'`)
  }
}

async function listBundles(context: UploadContext, args: readonly string[]): Promise<Buffer> {
  const [unexpected] = args
  if (unexpected !== undefined)
    throw new GitError('invalid', `bundle-uri: unexpected argument: '${unexpected.slice(0, 100)}'`)
  return bundleList((await context.bundleUri?.()) ?? null)
}

async function fetch(
  context: UploadContext,
  store: string,
  view: SnapshotView,
  request: FetchRequest,
  sink: ResponseSink,
  key = cacheKeyOf(store, view, request),
): Promise<void> {
  if (request.wants.length === 0 && !request.waitForDone) return
  const produce: ProduceResponse = (out, signal) =>
    pipeTask<boolean>(context, 'fetch', { store, request, names: view.names }, out, signal)
  if (context.onFullClone && isClone(request) && !context.responses.has(key)) context.onFullClone()
  await context.responses.respond(store, key, sink, produce)
}

/** A hash of everything that the response to a fetch depends on. */
function cacheKeyOf(store: string, view: SnapshotView, request: FetchRequest): string {
  const { wants, shallow, negotiation, wantedRefs, ...rest } = request
  const turns = negotiation.map((turn) => (typeof turn === 'string' ? turn : turn.length))
  const hasher = new Bun.CryptoHasher('sha1').update(
    `${store}/${view.digest}/${JSON.stringify([rest, wants.length, shallow.length, wantedRefs.length, turns])}`,
  )
  for (const ids of [wants, shallow, wantedRefs, ...negotiation])
    if (typeof ids !== 'string') hasher.update(ids)
  return hasher.digest('latin1')
}

async function objectInfo(
  context: TaskContext,
  store: string,
  view: SnapshotView,
  args: readonly Line[],
  sink: ResponseSink,
): Promise<void> {
  let size = false
  const oids: Uint8Array[] = []
  for (const arg of args) {
    const text = textOf(arg)
    if (typeof arg === 'object' && arg.word === 'oid') oids.push(arg.ids)
    else if (text === 'size') size = true
    else if (text.startsWith('oid ') && isOid(text.slice(4))) oids.push(oidToBytes(text.slice(4)))
    else throw new GitError('invalid', `object-info: unexpected line: '${text.slice(0, 100)}'`)
  }
  const answer = await context.threads.call<Uint8Array>('object-info', {
    store,
    names: view.names,
    oids: Buffer.concat(oids),
    size,
  })
  sink.put(answer)
}
