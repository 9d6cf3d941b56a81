/** Whether a commented line is part of the change, and whether it still is after a push. */
import type { Git, Oid } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { listLineComments, setCommentOutdated, type CommentRow } from '#features/issues/index.ts'
import { repoById } from '#features/repos/index.ts'
import { invalid } from '#lib/errors.ts'
import { areCommitsGone } from '../changes/changes-since.ts'
import { findPullById, isActive, type PullRow } from '../store-pulls.ts'

export type Line = {
  readonly path: string
  readonly line: number
  readonly start_line: number | null
  readonly side: 'new' | 'old'
}

/** Unchanged lines up to this distance from a change can be commented on. */
const CONTEXT_LINES = 3
const LIMITS = { maxLines: 200_000, maxBytes: 16 * 1024 * 1024 }

type Range = { first: number; last: number }
/** Lines that can be commented on, by path and side; `none` for a file without a text diff. */
export type CommentableLines = Map<string, { new: Range[]; old: Range[] } | 'none'>

const range = (start: number, count: number): Range => ({ first: start, last: start + count - 1 })

/** Reads the diff of these paths only. A renamed file can be named by either path. */
export async function commentableLines(
  git: Git,
  store: string,
  from: Oid | null,
  to: Oid,
  paths: readonly string[],
): Promise<CommentableLines> {
  const wanted = new Set(paths)
  const found: CommentableLines = new Map()
  const names = (await git.diff(store, from, to, { hunks: false })).files.filter(
    ({ path, old_path }) => wanted.has(path) || (old_path !== null && wanted.has(old_path)),
  )
  if (names.length === 0) return found
  const all = names.flatMap(({ path, old_path }) => (old_path === null ? [path] : [path, old_path]))
  for (const { path, old_path, hunks } of (
    await git.diff(store, from, to, { hunks: true, context: CONTEXT_LINES, paths: all, ...LIMITS })
  ).files) {
    const lines = hunks
      ? {
          new: hunks.map(({ new_start, new_lines }) => range(new_start, new_lines)),
          old: hunks.map(({ old_start, old_lines }) => range(old_start, old_lines)),
        }
      : ('none' as const)
    found.set(path, lines)
    if (old_path !== null && !found.has(old_path)) found.set(old_path, lines)
  }
  return found
}

const containsLine = (ranges: readonly Range[], line: number): boolean =>
  ranges.some(({ first, last }) => first <= line && line <= last)

/** Throws 422 at the field (below `prefix`) for a line that is not in the change. */
export function requireInChange(
  commentable: CommentableLines,
  { path, line, start_line, side }: Line,
  prefix = '',
): void {
  const lines = commentable.get(path)
  if (!lines)
    throw invalid(`${prefix}path`, `${JSON.stringify(path.slice(0, 200))} is not changed here`)
  const ranges = lines === 'none' ? [] : lines[side]
  if (start_line !== null && start_line > line)
    throw invalid(`${prefix}start_line`, 'start_line must not be after line')
  for (const [name, value] of [
    ['line', line],
    ['start_line', start_line ?? line],
  ] as const) {
    if (!containsLine(ranges, value))
      throw invalid(
        `${prefix}${name}`,
        `line ${value} of ${path} is not in the change, nor within ${CONTEXT_LINES} lines of it`,
      )
  }
}

/**
 * After a push, marks comments whose line changed or left the change as outdated, and unmarks those
 * whose line is back.
 */
export const followLineComments = job<{ pull_id: string }>({
  kind: 'follow_line_comments',
  retry: ['10s', '2m'],
  run: async ({ hearth }, { pull_id }) => {
    const pull = findPullById(hearth.db, pull_id)
    const repo = pull && repoById(hearth.db, pull.repo_id)
    if (!repo || pull.head_sha === null || !isActive(pull)) return
    const rows = listLineComments(hearth.db, pull.repo_id, pull.number)
    const changed: { id: string; outdated: boolean }[] = []
    try {
      for (const [commit, comments] of Map.groupBy(rows, (row) => row.commit_sha ?? '')) {
        const gone = await lostLines(hearth, repo.store, pull, commit, comments)
        for (const row of comments)
          if (gone.has(row.id) !== (row.outdated === 1))
            changed.push({ id: row.id, outdated: gone.has(row.id) })
      }
    } catch (error) {
      if (areCommitsGone(error)) return
      throw error
    }
    if (changed.length > 0)
      await writeAs(hearth, null, (tx) =>
        changed.forEach(({ id, outdated }) => setCommentOutdated(tx, id, outdated)),
      )
  },
})

/** Of the comments on one commit, those whose line is not in the present head. */
async function lostLines(
  { git }: Hearth,
  store: string,
  pull: PullRow,
  commit: Oid,
  comments: readonly CommentRow[],
): Promise<Set<string>> {
  const lost = new Set<string>()
  const head = pull.head_sha
  if (head === null || commit === '' || commit === head) return lost
  const paths = [...new Set(comments.flatMap(({ path }) => path ?? []))]
  const { files } = await git.diff(store, commit, head, {
    hunks: true,
    context: 0,
    paths,
    ...LIMITS,
  })
  const { mergeBase } = await git.countAheadBehind(store, head, pull.base_sha)
  const still = await commentableLines(git, store, mergeBase, head, paths)
  for (const { id, path, line, side } of comments) {
    if (path === null || line === null) continue
    const lines = still.get(path)
    if (side === 'old') {
      if (!lines || lines === 'none' || !containsLine(lines.old, line)) lost.add(id)
      continue
    }
    const file = files.find((file) => file.path === path)
    const rewritten =
      file?.hunks?.some((hunk) => hunk.lines.some((of) => of.kind === 'del' && of.old === line)) ??
      false
    if (!lines || rewritten || file?.status === 'removed') lost.add(id)
  }
  return lost
}
