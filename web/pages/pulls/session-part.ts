// Sessions come in parts, so that a page stays below 100 KB. `?after=` and `?before=` name the entry around
// which a part begins or ends. Without one a session that goes on shows its last part, and others the first.
import { getSession } from '#features/pulls/index.ts'
import { FOLDED_KINDS, firstItems, htmlBytes, type StoryEntry } from '../../components/index.ts'
import { excerptBytes } from '../../markdown/excerpt.ts'
import type { Visit } from '../../site.ts'

/** What the page shows of the text of an entry, of the steps of a tool, and of the paths of an edit. */
export const MAX_ENTRY_BYTES = 8_000
export const MAX_STEP_BYTES = 1_500

const MAX_ENTRIES = 100
/** The HTML of a part, as estimated, and of an entry beside its texts. */
const MAX_PART_BYTES = 52_000
const ENTRY_BYTES = 1_000
const PLAN_STEP_BYTES = 250

export type SessionPart = {
  readonly entries: readonly StoryEntry[]
  /** The entry that the part before this one ends at, and the one that the next begins after. */
  readonly earlier: number | null
  readonly later: number | null
}

const stepBytes = (text: unknown): number =>
  text === undefined || text === null
    ? 0
    : Math.min(MAX_STEP_BYTES, htmlBytes(typeof text === 'string' ? text : JSON.stringify(text)))

function entryBytes({ kind, text, data }: StoryEntry): number {
  if (kind === 'usage') return 0
  const steps = Array.isArray(data?.steps) ? data.steps : []
  const about =
    stepBytes(data?.input) +
    stepBytes(data?.paths) +
    PLAN_STEP_BYTES * steps.length +
    htmlBytes(JSON.stringify(steps))
  return (
    ENTRY_BYTES +
    about +
    (FOLDED_KINDS.has(kind) ? stepBytes(text) : excerptBytes(text, MAX_ENTRY_BYTES))
  )
}

const fitting = (entries: readonly StoryEntry[]): readonly StoryEntry[] =>
  firstItems(entries, MAX_PART_BYTES, entryBytes)

/** The number of an entry in the address; null for an address without one. */
function seqOf({ url }: Visit, name: string): number | null {
  const text = url.searchParams.get(name) ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}

/** Reads the part that an address asks for; null for those who may not read the session. */
export async function loadSessionPart(
  visit: Visit,
  target: { readonly repo: string; readonly number: number },
  lastSeq: number,
  goesOn: boolean,
): Promise<SessionPart | null> {
  const after = seqOf(visit, 'after')
  const before = seqOf(visit, 'before') ?? (after === null && goesOn ? lastSeq + 1 : null)
  const start = after ?? (before === null ? 0 : Math.max(0, before - 1 - MAX_ENTRIES))
  const read = await visit.tryCall(getSession, { ...target, after: start, per_page: MAX_ENTRIES })
  if (read === null) return null
  const isBackwards = after === null && before !== null
  const found = isBackwards ? read.items.filter(({ seq }) => seq < before) : read.items
  const entries = isBackwards ? fitting(found.toReversed()).toReversed() : fitting(found)
  const first = entries[0]?.seq ?? 1
  const last = entries.at(-1)?.seq ?? start
  return {
    entries,
    earlier: first > 1 ? first : null,
    later: last < lastSeq ? last : null,
  }
}
