/** Parses requests to git-upload-pack into a `FetchRequest` (gitprotocol-pack, gitprotocol-v2). */
import type { Steps } from '#lib/steps.ts'
import { isOid, oidToBytes } from '../object.ts'
import { GitError } from '../ports.ts'
import type { FetchRequest, NegotiationLine } from './fetch-request.ts'
import { requireNoSha256Id, requireSha1Format } from './object-format.ts'
import { FLUSH_LINE, MAX_LINES, textOf, tooManyLines, type IdLines, type Line } from './pkt-line.ts'
import type { SnapshotView } from './snapshot-view.ts'

/** Names are looked up, each in several places. */
const MAX_EXCLUDED_REFS = 1000
/** Parts of a negotiation. Git sends hundreds of ids between two flushes. */
const MAX_TURNS = 20_000
/** What is parsed in one step takes a few milliseconds. */
const LINES_PER_STEP = 4000

type Draft = Omit<
  { -readonly [K in keyof FetchRequest]: FetchRequest[K] },
  'wants' | 'shallow' | 'negotiation' | 'wantedRefs'
> & {
  readonly wants: Uint8Array[]
  readonly shallow: Uint8Array[]
  readonly negotiation: NegotiationLine[]
  readonly deepenNot: string[]
  readonly wantedRefs: Uint8Array[]
  /** Wanted refs of this step, as ids and as lines. One string for many is faster than many. */
  named: { ids: string; lines: string }
}

const draft = (protocol: 0 | 1 | 2): Draft => ({
  protocol,
  wants: [],
  negotiation: [],
  done: false,
  waitForDone: false,
  thin: false,
  ofsDelta: false,
  progress: true,
  includeTag: false,
  band: protocol === 2 ? 'large' : 'none',
  sidebandAll: false,
  multiAck: 'none',
  noDone: false,
  shallow: [],
  depth: 0,
  deepenRelative: false,
  deepenSince: null,
  deepenNot: [],
  filter: null,
  wantedRefs: [],
  named: { ids: '', lines: '' },
})

function idAfter(line: string, word: string): Uint8Array {
  const oid = line.slice(word.length).trim()
  requireNoSha256Id(oid)
  if (!isOid(oid))
    throw new GitError(
      'invalid',
      `protocol error, expected to get an object id, not '${line.slice(0, 100)}'`,
    )
  return oidToBytes(oid)
}

function positive(line: string, word: string): number {
  const text = line.slice(word.length).trim()
  const value = Number(text)
  if (!/^\d{1,15}$/.test(text) || value <= 0)
    throw new GitError('invalid', `invalid ${word.trim()}: ${text.slice(0, 40)}`)
  return value
}

/** Parses lines for boundaries and filters, which all versions share; false for any other line. */
function boundary(view: SnapshotView, out: Draft, line: string): boolean {
  if (line.startsWith('shallow ')) out.shallow.push(idAfter(line, 'shallow '))
  else if (line.startsWith('deepen ')) out.depth = positive(line, 'deepen ')
  else if (line.startsWith('deepen-since ')) out.deepenSince = positive(line, 'deepen-since ')
  else if (line.startsWith('deepen-not ')) exclude(view, out, line.slice(11))
  else if (line === 'deepen-relative') out.deepenRelative = true
  else if (line.startsWith('filter ')) out.filter = line.slice(7)
  else return false
  return true
}

function exclude(view: SnapshotView, out: Draft, name: string): void {
  if (out.deepenNot.length === MAX_EXCLUDED_REFS)
    throw new GitError(
      'too_large',
      `the request has more than ${MAX_EXCLUDED_REFS} deepen-not lines`,
    )
  out.deepenNot.push(refOf(view, name))
}

/** The id of a ref by its full or short name, as for `--shallow-exclude`. */
function refOf(view: SnapshotView, name: string): string {
  for (const full of [name, `refs/${name}`, `refs/tags/${name}`, `refs/heads/${name}`]) {
    const ref = view.find(full)
    if (ref !== null) return ref.oid
  }
  throw new GitError('invalid', `git upload-pack: ambiguous deepen-not: ${name.slice(0, 200)}`)
}

/** Calls a function with each of the lines, in steps, until it returns false. Returns how many it took. */
function* eachLine(
  out: Draft,
  lines: readonly Line[],
  take: (line: Line) => boolean,
): Steps<number> {
  for (const [at, line] of lines.entries()) {
    if (!take(line)) return at
    if (at % LINES_PER_STEP !== LINES_PER_STEP - 1) continue
    endStep(out)
    yield
  }
  return lines.length
}

function endStep({ named, wants, wantedRefs }: Draft): void {
  if (named.ids === '') return
  wants.push(Buffer.from(named.ids, 'hex'))
  wantedRefs.push(Buffer.from(named.lines))
  named.ids = named.lines = ''
}

const idCount = (lists: readonly unknown[]): number =>
  lists.reduce<number>((sum, ids) => sum + (ids instanceof Uint8Array ? ids.length / 20 : 0), 0)

function finish(out: Draft): FetchRequest {
  endStep(out)
  const { wants, shallow, negotiation, wantedRefs, named: _, ...rest } = out
  if (negotiation.length > MAX_TURNS)
    throw new GitError('too_large', `the negotiation has more than ${MAX_TURNS} parts`)
  if (idCount(wants) + idCount(shallow) + idCount(negotiation) > MAX_LINES) throw tooManyLines()
  if (rest.depth > 0 && (rest.deepenSince !== null || rest.deepenNot.length > 0)) {
    throw new GitError(
      'invalid',
      'git upload-pack: deepen and deepen-since (or deepen-not) cannot be used together',
    )
  }
  return {
    ...rest,
    wants: Buffer.concat(wants),
    shallow: Buffer.concat(shallow),
    negotiation,
    wantedRefs: Buffer.concat(wantedRefs),
  }
}

/** False for ids of a word that a fetch does not have. */
function addIds(out: Draft, { word, ids }: IdLines): boolean {
  if (word === 'want') out.wants.push(ids)
  else if (word === 'have') out.negotiation.push(ids)
  else if (word === 'shallow') out.shallow.push(ids)
  else return false
  return true
}

/** Parses the arguments of `fetch` in version 2. Throws GitError `invalid` or `too_large`. */
export function* parseFetchV2(view: SnapshotView, args: readonly Line[]): Steps<FetchRequest> {
  const out = draft(2)
  yield* eachLine(out, args, (arg) => {
    const isKnown = typeof arg === 'object' ? addIds(out, arg) : argument(view, out, textOf(arg))
    if (!isKnown) throw new GitError('invalid', `unexpected line: '${textOf(arg).slice(0, 100)}'`)
    return true
  })
  return finish(out)
}

/** False for a line that a fetch does not have. */
function argument(view: SnapshotView, out: Draft, arg: string): boolean {
  if (arg.startsWith('want ')) out.wants.push(idAfter(arg, 'want '))
  else if (arg.startsWith('have ')) out.negotiation.push(idAfter(arg, 'have '))
  else if (arg === 'done') out.done = true
  else if (arg === 'wait-for-done') out.waitForDone = true
  else if (arg === 'thin-pack') out.thin = true
  else if (arg === 'ofs-delta') out.ofsDelta = true
  else if (arg === 'no-progress') out.progress = false
  else if (arg === 'include-tag') out.includeTag = true
  else if (arg === 'sideband-all') out.sidebandAll = true
  else if (arg.startsWith('want-ref ')) {
    const name = arg.slice(9)
    const oid = name === 'HEAD' ? view.head : (view.find(name)?.oid ?? null)
    if (oid === null) throw new GitError('invalid', `unknown ref ${name.slice(0, 200)}`)
    out.named.ids += oid
    out.named.lines += `${oid} ${name}\n`
  } else return boundary(view, out, arg)
  return true
}

/**
 * Parses a request of version 0 or 1. Null when the client wants nothing. Throws GitError `invalid`
 * or `too_large`.
 */
export function* parseFetchV0(
  view: SnapshotView,
  lines: readonly Line[],
  protocol: 0 | 1,
): Steps<FetchRequest | null> {
  const out = draft(protocol)
  const end = yield* eachLine(out, lines, (line) => takesWant(view, out, line))
  if (out.wants.length === 0) return null
  if (lines[end] !== FLUSH_LINE)
    throw new GitError('invalid', 'git upload-pack: the wants do not end in a flush')
  yield* eachLine(out, lines.slice(end + 1), (line) => takesHave(out, line))
  return finish(out)
}

/** Takes a line of a want or of a boundary. False for a special packet, which ends them. */
function takesWant(view: SnapshotView, out: Draft, line: Line): boolean {
  if (typeof line === 'number') return false
  if (typeof line === 'object') {
    if (line.word === 'have' || !addIds(out, line)) throw unexpected(textOf(line))
  } else if (line.startsWith('want ')) {
    requireNoSha256Id(line.slice(5))
    out.wants.push(idAfter(line.slice(0, 45), 'want '))
    if (out.wants.length === 1) features(out, line.slice(45))
  } else if (!boundary(view, out, line)) throw unexpected(line)
  return true
}

const unexpected = (line: string): GitError =>
  new GitError(
    'invalid',
    `git upload-pack: protocol error, expected to get object ID, not '${line.slice(0, 100)}'`,
  )

/** Takes a line of the negotiation. False once the client is done. */
function takesHave(out: Draft, given: Line): boolean {
  if (out.done) return false
  const line = textOf(given)
  if (given === FLUSH_LINE) out.negotiation.push('flush')
  else if (given === 'done') {
    out.negotiation.push('done')
    out.done = true
  } else if (typeof given === 'object' && given.word === 'have') addIds(out, given)
  else if (line.startsWith('have ')) out.negotiation.push(idAfter(line, 'have '))
  else
    throw new GitError(
      'invalid',
      `git upload-pack: expected SHA1 list, got '${line.slice(0, 100)}'`,
    )
  return true
}

function features(out: Draft, text: string): void {
  const has = new Set(text.split(/[ \0]/))
  for (const capability of has) requireSha1Format(capability)
  out.multiAck = has.has('multi_ack_detailed')
    ? 'detailed'
    : has.has('multi_ack')
      ? 'simple'
      : 'none'
  out.noDone = has.has('no-done')
  out.thin = has.has('thin-pack')
  out.ofsDelta = has.has('ofs-delta')
  out.band = has.has('side-band-64k') ? 'large' : has.has('side-band') ? 'small' : 'none'
  out.progress = !has.has('no-progress')
  out.includeTag = has.has('include-tag')
  out.deepenRelative = has.has('deepen-relative')
}
