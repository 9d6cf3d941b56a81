/** The `ls-refs` command of version 2 (gitprotocol-v2). */
import { GitError } from '../ports.ts'
import { FLUSH, MAX_PACKET } from './pkt-line.ts'
import type { SnapshotView } from './snapshot-view.ts'

/** As git does: beyond so many prefixes the client gets everything. */
const MAX_PREFIXES = 65536

/** Answers `ls-refs` with these arguments. Throws GitError `invalid` for an argument that it does not know. */
export function lsRefs(view: SnapshotView, args: readonly string[]): Uint8Array {
  const wants = { peel: false, symrefs: false, unborn: false }
  const prefixes: string[] = []
  for (const arg of args) {
    if (arg === 'peel' || arg === 'symrefs' || arg === 'unborn') wants[arg] = true
    else if (arg.startsWith('ref-prefix ')) prefixes.push(arg.slice(11))
    else throw new GitError('invalid', `unexpected line: '${arg.slice(0, 100)}'`)
  }
  if (prefixes.length > MAX_PREFIXES) prefixes.length = 0
  const key = `ls-refs ${wants.peel} ${wants.symrefs} ${wants.unborn}\n${prefixes.join('\n')}`
  const answer = () => Buffer.from(`${lines(view, wants, prefixes).map(packet).join('')}${FLUSH.toString()}`)
  // Clients ask for the same few prefixes again and again; anything else is not worth keeping.
  return key.length < 512 && view.snapshot.refs.length > 50 && prefixes.length < 8 && isCommon(prefixes) ? view.kept(key, answer) : answer()
}

const ASCII = /^[\0-\x7f]*$/

/** A line as a packet, still as text: thousands of buffers would cost more than the lines themselves. */
function packet(line: string): string {
  const length = 5 + (ASCII.test(line) ? line.length : Buffer.byteLength(line))
  if (length > MAX_PACKET) throw new GitError('too_large', 'a protocol line is too long')
  return `${length.toString(16).padStart(4, '0')}${line}\n`
}

const isCommon = (prefixes: readonly string[]): boolean =>
  prefixes.every((prefix) => prefix === 'HEAD' || prefix === 'refs/heads/' || prefix === 'refs/tags/' || prefix === 'refs/')

function lines(view: SnapshotView, wants: { peel: boolean; symrefs: boolean; unborn: boolean }, prefixes: readonly string[]): string[] {
  const matches = (name: string) => prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix))
  const out: string[] = []
  if (matches('HEAD')) {
    const target = wants.symrefs ? ` symref-target:${view.snapshot.head}` : ''
    if (view.head !== null) out.push(`${view.head} HEAD${target}`)
    else if (wants.unborn) out.push(`unborn HEAD${target}`)
  }
  for (const ref of view.snapshot.refs) {
    if (!matches(ref.name)) continue
    out.push(wants.peel && ref.peeled !== null ? `${ref.oid} ${ref.name} peeled:${ref.peeled}` : `${ref.oid} ${ref.name}`)
  }
  return out
}
