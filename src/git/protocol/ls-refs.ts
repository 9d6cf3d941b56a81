/** The `ls-refs` command of version 2 (gitprotocol-v2). */
import { GitError, type Ref } from '../ports.ts'
import { FLUSH, pktLines } from './pkt-line.ts'
import type { SnapshotView } from './snapshot-view.ts'

/**
 * With more prefixes all refs are listed, as gitprotocol-v2 allows. git sends six for each name that
 * is fetched.
 */
const MAX_PREFIXES = 16_384

/** The response to `ls-refs`. Throws GitError `invalid` for an unknown argument. */
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
  const answer = () => pktLines(lines(view, wants, prefixes), FLUSH)
  // Clients send the same few prefixes; other responses are not memoised.
  return key.length < 512 &&
    view.snapshot.refs.length > 50 &&
    prefixes.length < 8 &&
    isCommon(prefixes)
    ? view.memoise(key, answer)
    : answer()
}

const isCommon = (prefixes: readonly string[]): boolean =>
  prefixes.every(
    (prefix) =>
      prefix === 'HEAD' ||
      prefix === 'refs/heads/' ||
      prefix === 'refs/tags/' ||
      prefix === 'refs/',
  )

function lines(
  view: SnapshotView,
  wants: { peel: boolean; symrefs: boolean; unborn: boolean },
  prefixes: readonly string[],
): string[] {
  const out: string[] = []
  if (prefixes.length === 0 || prefixes.some((prefix) => 'HEAD'.startsWith(prefix))) {
    const target = wants.symrefs ? ` symref-target:${view.snapshot.head}` : ''
    if (view.head !== null) out.push(`${view.head} HEAD${target}`)
    else if (wants.unborn) out.push(`unborn HEAD${target}`)
  }
  const line = ({ oid, name, peeled }: Ref): void =>
    void out.push(
      wants.peel && peeled !== null ? `${oid} ${name} peeled:${peeled}` : `${oid} ${name}`,
    )
  if (prefixes.length === 0) for (const ref of view.snapshot.refs) line(ref)
  else for (const prefix of shortest(prefixes)) below(view.sorted, prefix, line)
  return out
}

/** The sorted prefixes without those that extend another one, so that no ref is listed twice. */
function shortest(prefixes: readonly string[]): string[] {
  const kept: string[] = []
  for (const prefix of [...new Set(prefixes)].sort()) {
    const last = kept[kept.length - 1]
    if (last === undefined || !prefix.startsWith(last)) kept.push(prefix)
  }
  return kept
}

/** Calls `each` for the refs whose names begin with a prefix, found by binary search. */
function below(refs: readonly Ref[], prefix: string, each: (ref: Ref) => void): void {
  let [low, high] = [0, refs.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((refs[middle]?.name ?? '') < prefix) low = middle + 1
    else high = middle
  }
  for (let ref = refs[low]; ref?.name.startsWith(prefix); ref = refs[++low]) each(ref)
}
