import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { diffText, type FileDiff } from '#git'
import { fileDiffRecord } from './commit-records.ts'
import { refuseBadInput, resolveCommit, parseTreePath } from '../refs/resolve-commit.ts'
import { FileChange, Ref, TreePath } from '../schema.ts'

const MAX_BYTES = 1024 * 1024

export const previewChange = operation({
  name: 'preview_change',
  summary:
    'What a file would change by if it had another content and path: the change that a commit of it would show. Nothing is written.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    ref: Type.Optional(Ref),
    from: Type.Optional(TreePath),
    path: TreePath,
    content: Type.String({ maxLength: 4 * MAX_BYTES }),
  }),
  output: FileChange,

  handler: async ({ hearth, git, repo }, { ref, from, path, content }) => {
    const to = parseTreePath(path)
    const at = from === undefined ? null : parseTreePath(from)
    const commit = ref === undefined || at === null ? null : await resolveCommit(hearth, repo, ref)
    const entry =
      commit === null || at === null
        ? null
        : await refuseBadInput('from', () => git.findEntry(repo.store, commit, at))
    const blob =
      entry?.type === 'file' ? await git.readBlob(repo.store, entry.oid, MAX_BYTES) : null
    const old = blob?.data ?? new Uint8Array()
    const now = new TextEncoder().encode(content)
    const isLarge = (blob !== null && blob.size > MAX_BYTES) || now.length > MAX_BYTES
    const diff = isLarge ? null : diffText(old, now)
    const renamed = blob !== null && at !== null && at !== to
    const file: FileDiff = {
      path: to,
      old_path: renamed ? at : null,
      status: blob === null ? 'added' : renamed ? 'renamed' : 'modified',
      old_oid: entry?.oid ?? null,
      new_oid: null,
      mode: null,
      old_mode: null,
      similarity: null,
      binary: !isLarge && diff === null,
      additions: diff?.additions ?? 0,
      deletions: diff?.deletions ?? 0,
      hunks: diff?.hunks ?? null,
      reason: isLarge ? 'too_large' : diff === null ? 'binary' : null,
      generated: null,
    }
    return fileDiffRecord(file)
  },
})
