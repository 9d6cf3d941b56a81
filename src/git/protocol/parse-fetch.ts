/** Parses requests to git-upload-pack into a `FetchRequest` (gitprotocol-pack, gitprotocol-v2). */
import { isOid } from '../object.ts'
import { GitError } from '../ports.ts'
import type { FetchRequest, NegotiationLine } from './fetch-request.ts'
import { requireNoSha256Id, requireSha1Format } from './object-format.ts'
import { FLUSH_LINE, type Line } from './pkt-line.ts'
import type { SnapshotView } from './snapshot-view.ts'

type Draft = { -readonly [K in keyof FetchRequest]: FetchRequest[K] } & {
  wants: string[]
  negotiation: NegotiationLine[]
  shallow: string[]
  deepenNot: string[]
  wantedRefs: { name: string; oid: string }[]
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
})

function oidAfter(line: string, word: string): string {
  const oid = line.slice(word.length).trim()
  requireNoSha256Id(oid)
  if (!isOid(oid))
    throw new GitError(
      'invalid',
      `protocol error, expected to get an object id, not '${line.slice(0, 100)}'`,
    )
  return oid
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
  if (line.startsWith('shallow ')) out.shallow.push(oidAfter(line, 'shallow '))
  else if (line.startsWith('deepen ')) out.depth = positive(line, 'deepen ')
  else if (line.startsWith('deepen-since ')) out.deepenSince = positive(line, 'deepen-since ')
  else if (line.startsWith('deepen-not ')) out.deepenNot.push(refOf(view, line.slice(11)))
  else if (line === 'deepen-relative') out.deepenRelative = true
  else if (line.startsWith('filter ')) out.filter = line.slice(7)
  else return false
  return true
}

/** The id of a ref by its full or short name, as for `--shallow-exclude`. */
function refOf(view: SnapshotView, name: string): string {
  for (const full of [name, `refs/${name}`, `refs/tags/${name}`, `refs/heads/${name}`]) {
    const ref = view.find(full)
    if (ref !== null) return ref.oid
  }
  throw new GitError('invalid', `git upload-pack: ambiguous deepen-not: ${name.slice(0, 200)}`)
}

/** Git sends far fewer: it stops after 256 ids that are not common. */
const MAX_LINES = 200_000

function check(out: Draft): FetchRequest {
  if (out.wants.length + out.negotiation.length + out.shallow.length > MAX_LINES)
    throw new GitError('too_large', 'the request names too many objects')
  if (out.depth > 0 && (out.deepenSince !== null || out.deepenNot.length > 0)) {
    throw new GitError(
      'invalid',
      'git upload-pack: deepen and deepen-since (or deepen-not) cannot be used together',
    )
  }
  if (out.wants.length > 1) out.wants = [...new Set(out.wants)]
  return out
}

/** Parses the arguments of `fetch` in version 2. Throws GitError `invalid`. */
export function parseFetchV2(view: SnapshotView, args: readonly string[]): FetchRequest {
  const out = draft(2)
  for (const arg of args) {
    if (arg.startsWith('want ')) out.wants.push(oidAfter(arg, 'want '))
    else if (arg.startsWith('have ')) out.negotiation.push({ have: oidAfter(arg, 'have ') })
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
      out.wantedRefs.push({ name, oid })
      out.wants.push(oid)
    } else if (!boundary(view, out, arg))
      throw new GitError('invalid', `unexpected line: '${arg.slice(0, 100)}'`)
  }
  return check(out)
}

/** Parses a request of version 0 or 1. Null when the client wants nothing. */
export function parseFetchV0(
  view: SnapshotView,
  lines: readonly Line[],
  protocol: 0 | 1,
): FetchRequest | null {
  const out = draft(protocol)
  let at = 0
  for (; at < lines.length; at++) {
    const line = lines[at]!
    if (typeof line !== 'string') break
    if (line.startsWith('want ')) {
      requireNoSha256Id(line.slice(5))
      out.wants.push(oidAfter(line.slice(0, 45), 'want '))
      if (out.wants.length === 1) features(out, line.slice(45))
    } else if (!boundary(view, out, line)) {
      throw new GitError(
        'invalid',
        `git upload-pack: protocol error, expected to get object ID, not '${line.slice(0, 100)}'`,
      )
    }
  }
  if (out.wants.length === 0) return null
  if (lines[at] !== FLUSH_LINE)
    throw new GitError('invalid', 'git upload-pack: the wants do not end in a flush')
  for (at++; at < lines.length; at++) {
    const given = lines[at]!
    if (given === FLUSH_LINE) {
      out.negotiation.push('flush')
      continue
    }
    const line = typeof given === 'string' ? given : ''
    if (line === 'done') {
      out.negotiation.push('done')
      out.done = true
      break
    }
    if (!line.startsWith('have '))
      throw new GitError(
        'invalid',
        `git upload-pack: expected SHA1 list, got '${line.slice(0, 100)}'`,
      )
    out.negotiation.push({ have: oidAfter(line, 'have ') })
  }
  return check(out)
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
