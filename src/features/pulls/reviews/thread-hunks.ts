/** The changed lines that a comment is about, as they were on the commit that it was written on. */
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import type { DiffLine, FileDiff } from '#git'
import type { CommentRow } from '#features/issues/index.ts'
import { areCommitsGone } from '../changes/changes-since.ts'
import type { PullRow } from '../store-pulls.ts'

/** Lines before the first commented one, and the most lines of one excerpt. */
const CONTEXT_LINES = 3
const MAX_LINES = 40
const LIMITS = { maxLines: 20_000, maxBytes: 1024 * 1024 }
/** One page computes the excerpts of so many commits; the others follow on later pages. */
const MAX_COMMITS = 10

type Excerpt = readonly DiffLine[]

const excerpts = cache<Excerpt>('thread_hunks', {
  maxSize: 8 * 1024 * 1024,
  sizeOf: (lines) => lines.reduce((bytes, { text }) => bytes + 64 + 2 * text.length, 64),
})

/** By the id of the comment. A comment is left out whose commit or line is gone. */
export async function threadHunks(
  hearth: Hearth,
  store: string,
  pull: PullRow,
  roots: readonly CommentRow[],
): Promise<Map<string, Excerpt>> {
  const known = excerpts(hearth)
  const found = new Map<string, Excerpt>()
  const missing = roots.filter(({ id }) => {
    const lines = known.get(id)
    if (lines) found.set(id, lines)
    return lines === undefined
  })
  const byCommit = [...Map.groupBy(missing, ({ commit_sha }) => commit_sha ?? '')]
  for (const [commit, comments] of byCommit.slice(-MAX_COMMITS)) {
    if (commit === '') continue
    for (const [id, lines] of await excerptsOfCommit(hearth, store, pull, commit, comments)) {
      known.set(id, lines)
      found.set(id, lines)
    }
  }
  return found
}

async function excerptsOfCommit(
  { git }: Hearth,
  store: string,
  pull: PullRow,
  commit: string,
  comments: readonly CommentRow[],
): Promise<[string, Excerpt][]> {
  const paths = [...new Set(comments.flatMap(({ path }) => path ?? []))]
  try {
    const { mergeBase } = await git.countAheadBehind(store, commit, pull.base_sha)
    const { files } = await git.diff(store, mergeBase, commit, { hunks: true, paths, ...LIMITS })
    return comments.map((comment) => [comment.id, excerptOf(files, comment)])
  } catch (error) {
    if (areCommitsGone(error)) return []
    throw error
  }
}

/** The lines up to the commented one. Empty when the change does not have it. */
function excerptOf(files: readonly FileDiff[], row: CommentRow): Excerpt {
  const { path, line, start_line } = row
  const numberOf = (one: DiffLine) => (row.side === 'old' ? one.old : one.new)
  const file = files.find((one) => one.path === path || one.old_path === path)
  for (const { lines } of file?.hunks ?? []) {
    const last = lines.findIndex((one) => numberOf(one) === line)
    if (last === -1) continue
    const start = lines.findIndex((one) => numberOf(one) === (start_line ?? line))
    const first = Math.max(0, (start === -1 ? last : start) - CONTEXT_LINES, last + 1 - MAX_LINES)
    return lines.slice(first, last + 1)
  }
  return []
}
