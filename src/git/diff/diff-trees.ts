/** `git diff` of two trees: https://git-scm.com/docs/git-diff. */
import type { Diff, DiffOptions, FileDiff, ObjectReader, Oid } from '../ports.ts'
import { modeText } from '../history/list-tree.ts'
import { TreeAttributes, type AttributeValue } from '../attributes/index.ts'
import { keyToText } from '../history/names.ts'
import { treeOf } from '../history/tree.ts'
import {
  easyCounts,
  lineChanges,
  withContent,
  sumChanges,
  type Content,
  type Counts,
} from './content.ts'
import { manyFiles, type Effort } from './effort.ts'
import { filePairs, type FilePair } from './file-pair.ts'
import { toHunks } from './hunks.ts'
import { scorePercent } from './similarity.ts'

/**
 * Compares the trees of two commits (or trees); null is the empty tree. All files of the result
 * have status and counts. Only the files of the page have hunks; the others have reason
 * `page_limit`. Attributes are read from `from`, so that a change cannot hide itself. Throws
 * GitError `missing` for unknown objects, and `too_large` above a million changes.
 */
export function diffTrees(
  db: ObjectReader,
  from: Oid | null,
  to: Oid | null,
  options: DiffOptions = {},
): Diff {
  const skip = options.skip ?? 0
  const limit = options.limit ?? Infinity
  const effort = manyFiles()
  const before = from ?? to
  const attributes = before === null ? null : new TreeAttributes(db, treeOf(db, before))
  const files = filePairs(db, from, to, options.paths).map((pair, i) => {
    const onPage = i >= skip && i - skip < limit
    return diffFile(db, pair, options, onPage, effort, attributes)
  })
  const totals = { files: files.length, additions: 0, deletions: 0 }
  for (const file of files) {
    totals.additions += file.additions
    totals.deletions += file.deletions
  }
  return { files, totals }
}

/** The attribute `diff`: set or a driver means text, unset means binary. */
const asText = (value: AttributeValue | undefined): boolean | null =>
  value === undefined || value === null ? null : value !== false

const saidOf = (value: AttributeValue | undefined): boolean | null =>
  value === undefined || value === null ? null : value !== false && value !== 'false'

function diffFile(
  db: ObjectReader,
  pair: FilePair,
  options: DiffOptions,
  onPage: boolean,
  effort: Effort,
  attributes: TreeAttributes | null,
): FileDiff {
  const own = attributes?.of(pair.path)
  const describe = describer(pair, saidOf(own?.get('linguist-generated')))
  const compare = (content: Content): FileDiff =>
    diffContent(pair, content, options, onPage, effort, describe)
  return withContent(db, pair, compare, asText(own?.get('diff')))
}

function diffContent(
  pair: FilePair,
  content: Content,
  options: DiffOptions,
  onPage: boolean,
  effort: Effort,
  describe: ReturnType<typeof describer>,
): FileDiff {
  if (content.isTooLarge) return describe(false, { additions: 0, deletions: 0 }, null, 'too_large')
  if (content.binary) return describe(true, { additions: 0, deletions: 0 }, null, 'binary')
  const wanted = (options.hunks ?? true) && onPage
  const reason = onPage ? null : 'page_limit'
  const easy = easyCounts(pair, content)
  if (!wanted && easy) return describe(false, easy, null, options.hunks === false ? null : reason)
  const {
    old,
    new: now,
    changes,
  } = lineChanges(
    content,
    pair.status === 'type_changed',
    options.ignoreWhitespace ?? false,
    effort,
  )
  const counts = sumChanges(changes)
  if (!wanted) return describe(false, counts, null, options.hunks === false ? null : reason)
  if (tooLarge(content, counts, options)) return describe(false, counts, null, 'too_large')
  return describe(false, counts, toHunks(old, now, changes, options.context ?? 3), null)
}

const tooLarge = (
  content: Content,
  counts: Counts,
  { maxLines = Infinity, maxBytes = Infinity }: DiffOptions,
): boolean =>
  counts.additions + counts.deletions > maxLines ||
  content.old.length > maxBytes ||
  content.new.length > maxBytes

const describer =
  (pair: FilePair, generated: boolean | null) =>
  (
    binary: boolean,
    counts: Counts,
    hunks: FileDiff['hunks'],
    reason: FileDiff['reason'],
  ): FileDiff => ({
    path: keyToText(pair.path),
    old_path: pair.status === 'renamed' ? keyToText(pair.oldPath) : null,
    status: pair.status,
    old_oid: pair.old?.oid ?? null,
    new_oid: pair.new?.oid ?? null,
    mode: pair.new ? modeText(pair.new.mode) : null,
    old_mode: pair.old ? modeText(pair.old.mode) : null,
    similarity: pair.score === null ? null : scorePercent(pair.score),
    binary,
    additions: counts.additions,
    deletions: counts.deletions,
    hunks,
    reason,
    generated,
  })
