import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import type { ConflictedFile } from '#git'
import { conflict } from '#lib/errors.ts'
import { freshStats } from '../changes/stats.ts'
import { onPull } from '../inputs.ts'
import { PullConflicts, type ConflictFile, type ConflictPart } from '../schema.ts'
import { requireActive, requirePull } from '../store-pulls.ts'
import { inConflicts } from '../untrusted-texts.ts'

const LIMITS = { maxFiles: 100, maxFileBytes: 1024 * 1024, maxBytes: 2 * 1024 * 1024 }

export const getPullConflicts = operation({
  name: 'get_pull_conflicts',
  summary:
    'The conflicts of a pull request with its base: every file with its merged lines, and the three versions of each conflict. resolve_pull_conflicts commits their resolution.',
  keywords: ['merge conflict', 'conflicting files', 'conflict markers', 'three-way merge'],
  route: 'GET /repos/{owner}/{name}/pulls/{number}/conflicts',
  toolset: 'pulls',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object(onPull),
  output: PullConflicts,
  untrusted: inConflicts,

  handler: async ({ hearth, db, repo }, { number }) => {
    const pull = requirePull(db, repo.id, number)
    requireActive(pull)
    const stats = await freshStats(hearth, pull)
    if (stats === null) throw conflict('not_ready', 'nothing has been pushed yet')
    const { head_sha, base_sha } = stats
    // Of most pull requests the statistics know that there are none.
    const found =
      stats.conflict_paths === null
        ? { files: [], total: 0 }
        : await hearth.git.findConflicts(repo.store, head_sha, base_sha, LIMITS)
    return { head_sha, base_sha, total: found.total, files: found.files.map(fileRecord) }
  },
})

const fileRecord = (file: ConflictedFile): ConflictFile => ({
  path: file.path,
  resolvable: file.isAboutContent,
  in_ancestor: file.inBase,
  in_head: file.inOurs,
  in_base: file.inTheirs,
  parts: partsRecord(file.parts),
})

/** Null as well for text that is not UTF-8, which JSON cannot have without a loss. */
function partsRecord(parts: ConflictedFile['parts']): ConflictPart[] | null {
  if (parts === null) return null
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return parts.map((part) =>
      part.kind === 'merged'
        ? { merged: decoder.decode(part.data), conflict: null }
        : {
            merged: null,
            conflict: {
              ancestor: decoder.decode(part.base),
              head: decoder.decode(part.ours),
              base: decoder.decode(part.theirs),
            },
          },
    )
  } catch {
    return null
  }
}
