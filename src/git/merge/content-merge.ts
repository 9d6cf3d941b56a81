/** Merges three versions of one file, link or submodule. */
import type { AttributeValue } from '../attributes/index.ts'
import { countLines, isBinary } from '../diff/lines.ts'
import { blobSize, holdOrNull, isFile, readBlob } from '../history/tree.ts'
import { keyToText, type PathKey } from '../history/names.ts'
import { BASE, OURS, THEIRS, type MergeState, type Version } from './state.ts'
import { mergeText } from './text-merge.ts'

const FORMAT = 0o170000
export const sameKind = (a: Version, b: Version): boolean => (a.mode & FORMAT) === (b.mode & FORMAT)

/** Larger versions, or such with more lines, are not merged by lines. Git's limit is 1 GiB each. */
const MAX_MERGED_BYTES = 32 * 1024 * 1024
const MAX_MERGED_LINES = 1_000_000
/** What merging takes for each line of all versions, and for each byte: the versions and the result. */
const BYTES_PER_LINE = 96
const COPIES = 2
const MARKER_LENGTH = 7
const nothing = new Uint8Array(0)

/**
 * Both sides must be of one kind. `extra` lengthens conflict markers, to distinguish those of
 * nested merges. `names` are the paths of the three versions, for the markers. `path` is the path
 * whose attributes apply.
 */
export function mergeContent(
  state: MergeState,
  base: Version,
  ours: Version,
  theirs: Version,
  names: readonly [PathKey, PathKey, PathKey],
  extra: number,
  path: PathKey,
): { clean: boolean; result: Version } {
  let clean = true
  let mode = theirs.mode
  if (ours.mode !== theirs.mode && ours.mode !== base.mode) {
    mode = ours.mode
    clean = theirs.mode === base.mode
  }
  if (ours.oid === theirs.oid || ours.oid === base.oid)
    return { clean, result: { mode, oid: theirs.oid } }
  if (theirs.oid === base.oid) return { clean, result: { mode, oid: ours.oid } }
  if (isFile(ours.mode)) {
    const merged = mergeBlobs(
      state,
      isFile(base.mode) ? base : null,
      ours,
      theirs,
      names,
      extra,
      driverOf(state.attributes.of(path).get('merge')),
    )
    return { clean: clean && merged.clean, result: { mode, oid: merged.oid } }
  }
  // Links and submodules that both sides changed cannot be merged.
  return { clean: false, result: state.depth > 0 ? base : { mode, oid: ours.oid } }
}

type MergeDriver = 'text' | 'binary' | 'union'

/**
 * The attribute `merge` (https://git-scm.com/docs/gitattributes). A custom driver counts as text,
 * as in git where the driver is not configured.
 */
export const driverOf = (value: AttributeValue | undefined): MergeDriver =>
  value === false || value === 'binary' ? 'binary' : value === 'union' ? 'union' : 'text'

function mergeBlobs(
  state: MergeState,
  base: Version | null,
  ours: Version,
  theirs: Version,
  names: readonly [PathKey, PathKey, PathKey],
  extra: number,
  driver: MergeDriver,
): { clean: boolean; oid: string } {
  const { db, depth } = state
  const unmerged = (): { clean: boolean; oid: string } => {
    // In a merge of merge bases the base version replaces both.
    if (depth > 0) return { clean: true, oid: base ? base.oid : db.write('blob', nothing) }
    return { clean: false, oid: ours.oid }
  }
  const sizes = [base, ours, theirs].map((version) => (version ? blobSize(db, version.oid) : 0))
  if (driver === 'binary' || Math.max(...sizes) > MAX_MERGED_BYTES) return unmerged()
  const releaseBytes = holdOrNull(db, sizes.reduce((sum, size) => sum + size, 0) * COPIES)
  if (releaseBytes === null) return unmerged()
  try {
    const texts = [base, ours, theirs].map((version) =>
      version ? readBlob(db, version.oid) : nothing,
    )
    const lines = texts.map(countLines)
    if (texts.some(isBinary) || Math.max(...lines) > MAX_MERGED_LINES) return unmerged()
    const releaseLines = holdOrNull(
      db,
      lines.reduce((sum, count) => sum + count, 0) * BYTES_PER_LINE,
    )
    if (releaseLines === null) return unmerged()
    try {
      return mergeTexts(state, texts, ours, names, extra, driver)
    } finally {
      releaseLines()
    }
  } finally {
    releaseBytes()
  }
}

function mergeTexts(
  { db, depth, labels, effort }: MergeState,
  [o = nothing, a = nothing, b = nothing]: readonly Uint8Array[],
  ours: Version,
  names: readonly [PathKey, PathKey, PathKey],
  extra: number,
  driver: MergeDriver,
): { clean: boolean; oid: string } {
  const renamed = names[BASE] !== names[OURS] || names[BASE] !== names[THEIRS]
  const label = (text: string, name: PathKey) => (renamed ? `${text}:${keyToText(name)}` : text)
  const ends = {
    ours: label(labels.ours, names[OURS]),
    theirs: label(labels.theirs, names[THEIRS]),
  }
  const merged = mergeText(
    o,
    a,
    b,
    { size: MARKER_LENGTH + extra, ...ends, union: driver === 'union' },
    effort,
  )
  // The text of a conflict is used only in a merge of merge bases, so it is not stored otherwise.
  if (!merged.clean && depth === 0) return { clean: false, oid: ours.oid }
  return { clean: merged.clean, oid: db.write('blob', merged.data) }
}
