/** Two trees compared, file by file: https://git-scm.com/docs/git-diff. */
import type { Diff, DiffOptions, FileDiff, ObjectReader, Oid } from '../ports.ts'
import { modeText } from '../history/list-tree.ts'
import { keyToText } from '../history/names.ts'
import { easyCounts, lineChanges, readContent, sumChanges, type Content, type Counts } from './content.ts'
import { manyFiles, type Effort } from './effort.ts'
import { filePairs, type FilePair } from './file-pair.ts'
import { toHunks } from './hunks.ts'
import { scorePercent } from './similarity.ts'

/**
 * Compares the trees of two commits (or trees); null stands for the empty tree. All files of the answer carry their
 * status and counts; hunks are there for the files of the page only (the others have reason `page_limit`).
 * Gives GitError `missing` for unknown objects, `too_large` for more than a million changes.
 */
export function diffTrees(db: ObjectReader, from: Oid | null, to: Oid | null, options: DiffOptions = {}): Diff {
  const skip = options.skip ?? 0
  const limit = options.limit ?? Infinity
  const effort = manyFiles()
  const files = filePairs(db, from, to, options.paths).map((pair, i) => {
    const onPage = i >= skip && i - skip < limit
    return diffFile(db, pair, options, onPage, effort)
  })
  const totals = { files: files.length, additions: 0, deletions: 0 }
  for (const file of files) {
    totals.additions += file.additions
    totals.deletions += file.deletions
  }
  return { files, totals }
}

function diffFile(db: ObjectReader, pair: FilePair, options: DiffOptions, onPage: boolean, effort: Effort): FileDiff {
  const content = readContent(db, pair)
  if (content.binary) return describe(pair, true, { additions: 0, deletions: 0 }, null, 'binary')
  const wanted = (options.hunks ?? true) && onPage
  const reason = onPage ? null : 'page_limit'
  const easy = easyCounts(pair, content)
  if (!wanted && easy) return describe(pair, false, easy, null, options.hunks === false ? null : reason)
  const { old, new: now, changes } = lineChanges(content, pair.status === 'type_changed', options.ignoreWhitespace ?? false, effort)
  const counts = sumChanges(changes)
  if (!wanted) return describe(pair, false, counts, null, options.hunks === false ? null : reason)
  if (tooLarge(content, counts, options)) return describe(pair, false, counts, null, 'too_large')
  return describe(pair, false, counts, toHunks(old, now, changes, options.context ?? 3), null)
}

const tooLarge = (content: Content, counts: Counts, { maxLines = Infinity, maxBytes = Infinity }: DiffOptions): boolean =>
  counts.additions + counts.deletions > maxLines || content.old.length > maxBytes || content.new.length > maxBytes

function describe(pair: FilePair, binary: boolean, counts: Counts, hunks: FileDiff['hunks'], reason: FileDiff['reason']): FileDiff {
  return {
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
  }
}

