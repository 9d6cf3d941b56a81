/**
 * git-upload-pack over smart HTTP: reads one request, answers what needs no objects, and hands
 * fetches to a thread.
 */
import { isOid } from '../object.ts'
import { GitError, type RefSnapshot, type ServiceRequest } from '../ports.ts'
import { answerSoon, answerStream, type AnswerSink } from './answer-stream.ts'
import { readBody } from './body.ts'
import type { FetchRequest } from './fetch-request.ts'
import { lsRefs } from './ls-refs.ts'
import type { Make } from './making-answer.ts'
import { parseFetchV0, parseFetchV2 } from './parse-fetch.ts'
import { pipeTask, type TaskContext } from './pipe-task.ts'
import { DELIM_LINE, END_LINE, FLUSH_LINE, parseLines, pkt, type Line } from './pkt-line.ts'
import type { SharedAnswers } from './shared-answers.ts'
import { viewOf, type SnapshotView } from './snapshot-view.ts'
import { isCopy, type SmallFetches } from '../tasks/small-fetches.ts'

/** A request of half a million wants and haves; git's own stay below a megabyte. */
const MAX_REQUEST = 32 << 20

export type UploadContext = TaskContext & {
  readonly answers: SharedAnswers
  readonly onCopy?: () => void
}

/** A whole answer, one on its way, or a file that is all of it. */
export type UploadAnswer =
  | Uint8Array
  | ReadableStream<Uint8Array>
  | { readonly path: string; readonly size: number }

/**
 * The same as `uploadPack`; what is short is given whole, and what is kept on disk is named instead
 * of read.
 */
export async function uploadPackOrFile(
  context: UploadContext,
  store: string,
  refs: RefSnapshot,
  request: ServiceRequest,
): Promise<UploadAnswer> {
  const reading = readBody(request.body, MAX_REQUEST)
  // A request that is given up ends here as well, although its body may never do.
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(new GitError('aborted', 'the request was given up'))
  request.signal?.addEventListener('abort', stop, { once: true })
  try {
    const body = await (request.signal ? Promise.race([reading, givenUp]) : reading)
    request.signal?.removeEventListener('abort', stop)
    const view = viewOf(refs)
    const lines = parseLines(body)
    const kept = context.answers.hasFiles
      ? fileFor(context, store, view, request.protocol, lines)
      : null
    return (
      kept ??
      (await answerSoon(
        (sink) => answerOrTell(context, store, view, request.protocol, lines, sink),
        request,
      ))
    )
  } catch (error) {
    request.signal?.removeEventListener('abort', stop)
    if (!(error instanceof GitError) || isOfTheMoment(error)) throw error
    return errorLine(error)
  }
}

const LS_REFS = Buffer.from('command=ls-refs')
/** Requests for refs are short: a few prefixes. */
const MOST_ASKED = 1 << 11

/**
 * The answer to a request for refs and nothing else, which needs no objects; null for every other,
 * and for one that is not well made.
 */
export function answerRefs(
  refs: RefSnapshot,
  protocol: 0 | 1 | 2,
  body: Uint8Array,
): Uint8Array | null {
  if (
    protocol !== 2 ||
    body.length > MOST_ASKED ||
    Buffer.compare(body.subarray(4, 4 + LS_REFS.length), LS_REFS) !== 0
  )
    return null
  const view = viewOf(refs)
  try {
    return view.keptAsAsked(
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
          capability(line)
        }
        const args = delim < 0 ? [] : text(delim + 1, end)
        return lsRefs(view, args)
      },
    )
  } catch (error) {
    // What is wrong with it is said by the answer that it gets on the long way.
    if (error instanceof GitError) return null
    throw error
  }
}

/**
 * The one fetch that a request asks for; null for every other request, and for one that is not well
 * made.
 */
function onlyFetch(
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
    before.forEach(capability)
    return parseFetchV2(view, lines.slice(delim + 1, end).map(String))
  } catch (error) {
    // What is wrong with it is said in the answer.
    if (error instanceof GitError) return null
    throw error
  }
}

/** The file that answers a request of one fetch, if there is one. */
function fileFor(
  context: UploadContext,
  store: string,
  view: SnapshotView,
  protocol: 0 | 1 | 2,
  lines: readonly Line[],
): { path: string; size: number } | null {
  const request = onlyFetch(view, protocol, lines)
  return request && context.answers.fileOf(keyOf(store, view, request))
}

/** Requests for something small are not long. */
const LONGEST_NOW = 1 << 17

/**
 * What can be answered at once: what is kept, and what is made here in no time. Null for everything
 * else, and while there is no place.
 */
export function answerNow(
  context: UploadContext & { readonly small: SmallFetches; readonly isFree: () => boolean },
  store: string,
  refs: RefSnapshot,
  protocol: 0 | 1 | 2,
  body: Uint8Array,
): Uint8Array | { readonly path: string; readonly size: number } | null {
  if (body.length > LONGEST_NOW) return null
  const view = viewOf(refs)
  const request = onlyFetch(view, protocol, linesOf(body))
  if (request === null || (request.wants.length === 0 && !request.waitForDone)) return null
  const { answers } = context
  const key = keyOf(store, view, request)
  const kept = answers.wholeOf(key) ?? answers.fileOf(key)
  // Somebody who waits for the same will have it as soon as it is there.
  if (kept !== null || answers.has(key) || !context.isFree()) return kept
  const made = context.small.make(store, request, view.names)
  if (made === null) return null
  if (isCopy(request)) context.onCopy?.()
  if (made.again) answers.put(store, key, made.bytes)
  return made.bytes
}

function linesOf(body: Uint8Array): readonly Line[] {
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
  refs: RefSnapshot,
  request: ServiceRequest,
): ReadableStream<Uint8Array> {
  const body = readBody(request.body, MAX_REQUEST)
  return answerStream(async (sink) => {
    try {
      const lines = parseLines(await body)
      await answerOrTell(context, store, viewOf(refs), request.protocol, lines, sink)
    } catch (error) {
      if (!(error instanceof GitError) || isOfTheMoment(error)) throw error
      sink.put(errorLine(error))
    }
  }, request)
}

/** Answers, and tells the client of what is wrong with its request. */
async function answerOrTell(
  ...[context, store, view, protocol, lines, sink]: Parameters<typeof answer>
): Promise<void> {
  try {
    await answer(context, store, view, protocol, lines, sink)
  } catch (error) {
    if (!(error instanceof GitError) || isOfTheMoment(error)) throw error
    sink.put(errorLine(error))
  }
}

/** Not about the request, so no answer to it. */
const isOfTheMoment = ({ code }: GitError): boolean => code === 'aborted' || code === 'busy'

const errorLine = (error: GitError): Buffer =>
  pkt(`ERR ${error.message.replace(/[\r\n]+/g, ' ').slice(0, 900)}`)

async function answer(
  context: UploadContext,
  store: string,
  view: SnapshotView,
  protocol: 0 | 1 | 2,
  lines: readonly Line[],
  sink: AnswerSink,
): Promise<void> {
  if (protocol === 2) return await answerV2(context, store, view, lines, sink)
  const parsed = parseFetchV0(view, lines, protocol)
  if (parsed !== null) await fetch(context, store, view, parsed, sink)
}

async function answerV2(
  context: UploadContext,
  store: string,
  view: SnapshotView,
  lines: readonly Line[],
  sink: AnswerSink,
): Promise<void> {
  let at = 0
  // One body may hold several commands one after the other.
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
      } else capability(line)
    }
    at++
    if (command === null) {
      // A lone flush is the probe with which clients try the connection.
      if (given > 0) throw new GitError('invalid', 'no command requested')
      continue
    }
    if (command === 'ls-refs') sink.put(lsRefs(view, args))
    else if (command === 'fetch') await fetch(context, store, view, parseFetchV2(view, args), sink)
    else if (command === 'object-info') await objectInfo(context, store, view, args, sink)
    else throw new GitError('invalid', `invalid command '${command.slice(0, 60)}'`)
  }
}

function capability(line: string): void {
  if (line.startsWith('object-format=') && line !== 'object-format=sha1') {
    throw new GitError(
      'unsupported',
      `mismatched object format: server sha1; client ${line.slice(14, 40)}`,
    )
  }
}

async function fetch(
  context: UploadContext,
  store: string,
  view: SnapshotView,
  request: FetchRequest,
  sink: AnswerSink,
): Promise<void> {
  if (request.wants.length === 0 && !request.waitForDone) return
  const make: Make = (out, given) =>
    pipeTask<boolean>(context, 'fetch', { store, request, names: view.names }, out, given)
  const key = keyOf(store, view, request)
  if (context.onCopy && isCopy(request) && !context.answers.has(key)) context.onCopy()
  await context.answers.answer(store, key, sink, make)
}

/** Everything that the answer to a fetch depends on. */
const keyOf = (store: string, view: SnapshotView, request: FetchRequest): string =>
  Buffer.from(
    Bun.SHA1.hash(`${store}/${view.digest}/${JSON.stringify(request)}`) as Uint8Array,
  ).toString('latin1')

async function objectInfo(
  context: TaskContext,
  store: string,
  view: SnapshotView,
  args: readonly string[],
  sink: AnswerSink,
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
