/**
 * git-upload-pack over smart HTTP: parses a request, responds at once where no objects are needed,
 * and runs fetches as tasks.
 */
import { isOid } from '../object.ts'
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
import { DELIM_LINE, END_LINE, FLUSH_LINE, parseLines, pkt, type Line } from './pkt-line.ts'
import type { ResponseCache } from './response-cache.ts'
import type { SnapshotView } from './snapshot-view.ts'
import { isClone, type SmallFetches } from '../tasks/small-fetches.ts'

/** Enough for half a million wants and haves; git's own requests stay below 1 MiB. */
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
    const lines = await readLines(request)
    return (
      findCachedFile(context, store, view, request.protocol, lines) ??
      (await bufferOrStreamResponse(
        (sink) => respondOrReport(context, store, view, request.protocol, lines, sink),
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
    const lines = await readLines(request)
    const cachedFile = findCachedFile(context, store, view, request.protocol, lines)
    if (cachedFile === null)
      await respondOrReport(context, store, view, request.protocol, lines, sink)
    return cachedFile
  } catch (error) {
    if (!(error instanceof GitError) || isTransient(error)) throw error
    sink.put(errorLine(error))
    return null
  }
}

/** Reads a request. One that is cancelled ends here, although its body may never end. */
async function readLines({ body, signal }: ServiceRequest): Promise<readonly Line[]> {
  const reading = readBody(body, MAX_REQUEST_BYTES)
  if (!signal) return parseLines(await reading)
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(new GitError('aborted', 'the request was given up'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    return parseLines(await Promise.race([reading, givenUp]))
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
        const lines = parseLines(body)
        const end = lines.length - 1
        if (lines.indexOf(FLUSH_LINE) !== end)
          throw new GitError('invalid', 'more than one command')
        const delim = lines.indexOf(DELIM_LINE)
        const text = (from: number, to: number): string[] => lines.slice(from, to).map(String)
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
function parseSingleFetch(
  view: SnapshotView,
  protocol: 0 | 1 | 2,
  lines: readonly Line[],
): FetchRequest | null {
  try {
    if (protocol !== 2) return parseFetchV0(view, lines, protocol)
    const end = lines.length - 1
    const delim = lines.indexOf(DELIM_LINE)
    if (lines.indexOf(FLUSH_LINE) !== end || delim < 0 || lines.includes(END_LINE)) return null
    const before = lines.slice(0, delim).map(String)
    if (before.filter((line) => line.startsWith('command=')).join() !== 'command=fetch') return null
    before.forEach(requireSha1Format)
    return parseFetchV2(view, lines.slice(delim + 1, end).map(String))
  } catch (error) {
    // `uploadPack` reports the fault.
    if (error instanceof GitError) return null
    throw error
  }
}

/** The cached file for a request of one fetch, or null. */
function findCachedFile(
  context: UploadContext,
  store: string,
  view: SnapshotView,
  protocol: 0 | 1 | 2,
  lines: readonly Line[],
): CachedFile | null {
  if (!context.responses.hasFiles) return null
  const request = parseSingleFetch(view, protocol, lines)
  return request && context.responses.getFile(cacheKeyOf(store, view, request))
}

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
  const request = parseSingleFetch(view, protocol, parseLinesOrNone(body))
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
    return parseLines(body)
  } catch (error) {
    if (error instanceof GitError) return []
    throw error
  }
}

export function uploadPack(
  context: UploadContext,
  store: string,
  view: SnapshotView,
  request: ServiceRequest,
): ReadableStream<Uint8Array> {
  const body = readBody(request.body, MAX_REQUEST_BYTES)
  return streamResponse(async (sink) => {
    try {
      const lines = parseLines(await body)
      await respondOrReport(context, store, view, request.protocol, lines, sink)
    } catch (error) {
      if (!(error instanceof GitError) || isTransient(error)) throw error
      sink.put(errorLine(error))
    }
  }, request)
}

/** Responds, and reports faults of the request to the client. */
async function respondOrReport(
  ...[context, store, view, protocol, lines, sink]: Parameters<typeof answer>
): Promise<void> {
  try {
    await answer(context, store, view, protocol, lines, sink)
  } catch (error) {
    if (!(error instanceof GitError) || isTransient(error)) throw error
    sink.put(errorLine(error))
  }
}

/** Errors that are not about the request, so they are not sent as its response. */
const isTransient = ({ code }: GitError): boolean => code === 'aborted' || code === 'busy'

const errorLine = (error: GitError): Buffer =>
  pkt(`ERR ${error.message.replace(/[\r\n]+/g, ' ').slice(0, 900)}`)

async function answer(
  context: UploadContext,
  store: string,
  view: SnapshotView,
  protocol: 0 | 1 | 2,
  lines: readonly Line[],
  sink: ResponseSink,
): Promise<void> {
  if (protocol === 2) return await respondV2(context, store, view, lines, sink)
  const parsed = parseFetchV0(view, lines, protocol)
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
    const args: string[] = []
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
    if (command === 'ls-refs') sink.put(lsRefs(view, args))
    else if (command === 'fetch') await fetch(context, store, view, parseFetchV2(view, args), sink)
    else if (command === 'bundle-uri') sink.put(await listBundles(context, args))
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
): Promise<void> {
  if (request.wants.length === 0 && !request.waitForDone) return
  const produce: ProduceResponse = (out, signal) =>
    pipeTask<boolean>(context, 'fetch', { store, request, names: view.names }, out, signal)
  const key = cacheKeyOf(store, view, request)
  if (context.onFullClone && isClone(request) && !context.responses.has(key)) context.onFullClone()
  await context.responses.respond(store, key, sink, produce)
}

/** A hash of everything that the response to a fetch depends on. */
const cacheKeyOf = (store: string, view: SnapshotView, request: FetchRequest): string =>
  Buffer.from(
    Bun.SHA1.hash(`${store}/${view.digest}/${JSON.stringify(request)}`) as Uint8Array,
  ).toString('latin1')

async function objectInfo(
  context: TaskContext,
  store: string,
  view: SnapshotView,
  args: readonly string[],
  sink: ResponseSink,
): Promise<void> {
  let size = false
  const oids: string[] = []
  for (const arg of args) {
    if (arg === 'size') size = true
    else if (arg.startsWith('oid ') && isOid(arg.slice(4))) oids.push(arg.slice(4))
    else throw new GitError('invalid', `object-info: unexpected line: '${arg.slice(0, 100)}'`)
  }
  const answer = await context.threads.call<Uint8Array>('object-info', {
    store,
    names: view.names,
    oids,
    size,
  })
  sink.put(answer)
}
