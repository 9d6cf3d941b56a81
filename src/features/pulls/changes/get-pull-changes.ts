/**
 * The diff of a pull request, from the merge base to the head, so changes on the base are not
 * shown. With `since` it is the diff from an earlier head to the present one.
 */
import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import type { Diff, DiffOptions, FileDiff, Git, Oid } from '#git'
import { fileDiffRecord } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { onPull, ShaPrefix } from '../inputs.ts'
import { PullChanges } from '../schema.ts'
import { resolvePullCommit, areCommitsGone } from './changes-since.ts'
import { freshStats } from './stats.ts'
import { requirePull } from '../store-pulls.ts'
import { listViewed, versionOf } from './store-viewed-files.ts'
import { inChanges } from '../untrusted-texts.ts'

const PAGE_SIZES = { size: 100, max: 300 }
const MAX_LINES = 20_000
const MAX_TEXT_BYTES = 1024 * 1024
/** Larger files are listed without their hunks unless they are requested by path. */
const MAX_FILE_LINES = 3_000
const MAX_FILE_BYTES = 512 * 1024

const LIST_LIMITS = { maxLines: MAX_FILE_LINES, maxBytes: MAX_FILE_BYTES }
/** The limits of a file that is requested by its path. */
const ONE_FILE_LIMITS = { maxLines: 200_000, maxBytes: 16 * 1024 * 1024 }

/** The response before the first push. */
const NO_CHANGES = {
  head_sha: null,
  merge_base_sha: null,
  since_sha: null,
  totals: { files: 0, additions: 0, deletions: 0 },
  viewed_files: 0,
  truncated: false,
  files: [],
  next: null,
}

export const getPullChanges = operation({
  name: 'get_pull_changes',
  summary:
    'The files that a pull request changes, with line-by-line hunks, 100 files a page. path gives one file or folder in full; since gives only what changed after that earlier head.',
  keywords: [
    'diff',
    'patch',
    'what changed',
    'files changed',
    'review the code',
    'changed lines',
    'see the change',
    'code of a PR',
  ],
  route: 'GET /v1/repos/{owner}/{name}/pulls/{number}/changes',
  toolset: 'pulls',
  aliases: ['get_pull_request_diff', 'get_diff'],
  listed: 'core',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object({
    ...onPull,
    path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4096,
        description: 'Only this file, or what is in this folder.',
      }),
    ),
    context: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: 'Unchanged lines around a change, 3 unless given.',
      }),
    ),
    since: Type.Optional(ShaPrefix('An earlier head: only what changed after it.')),
    ignore_whitespace: Type.Optional(
      Type.Boolean({ description: 'Leave out lines that differ in white space only.' }),
    ),
    ...byPage(PAGE_SIZES),
  }),
  output: PullChanges,
  untrusted: inChanges,

  handler: async (
    { hearth, db, git, repo, caller },
    { number, path, context = 3, since, ignore_whitespace = false, ...paging },
  ) => {
    const pull = requirePull(db, repo.id, number)
    const window = windowOf(paging, PAGE_SIZES)
    const { head_sha, base_sha } = pull
    if (head_sha === null) return { ...NO_CHANGES, base_sha }
    try {
      const stats = await freshStats(hearth, pull)
      const merge_base_sha = stats?.merge_base_sha ?? null
      const since_sha =
        since === undefined
          ? null
          : await resolvePullCommit(hearth, repo.store, pull, since, 'since')
      const options: DiffOptions = {
        hunks: true,
        context,
        skip: window.offset,
        limit: window.limit,
        ignoreWhitespace: ignore_whitespace,
        ...(path === undefined ? LIST_LIMITS : { ...ONE_FILE_LIMITS, paths: [path] }),
      }
      const readDiff = (of: DiffOptions): Promise<Diff> =>
        since_sha === null
          ? git.diff(repo.store, merge_base_sha, head_sha, of)
          : sinceDiff(
              git,
              repo.store,
              { base: base_sha, merge_base: merge_base_sha, head: head_sha, since: since_sha },
              of,
            )
      const diff = await readDiff(options)
      const page = diff.files.slice(window.offset, window.offset + window.limit)
      const seen = caller.kind === 'anonymous' ? null : listViewed(db, pull.id, caller.id)
      const isViewed = (file: FileDiff): boolean => seen?.get(file.path) === versionOf(file.new_oid)
      const { files, truncated } = withinBudget(page, path === undefined, isViewed)
      const more = window.offset + page.length < diff.totals.files
      return {
        base_sha,
        head_sha,
        merge_base_sha,
        since_sha,
        totals: { ...diff.totals },
        viewed_files:
          seen === null || seen.size === 0 || (!more && window.offset === 0)
            ? page.filter(isViewed).length
            : await countAllViewed(readDiff, path, isViewed),
        truncated,
        files,
        next: more ? String(window.page + 1) : null,
      }
    } catch (error) {
      if (areCommitsGone(error))
        throw new Refusal('gone', `the commits of #${number} are not kept any more`)
      throw error
    }
  },
})

/**
 * The diff since an earlier head. When the base was merged or rebased in meanwhile, the earlier
 * head is first merged with the new base, so changes of the base are not shown. When that merge
 * conflicts, the two heads are compared in the paths that the pull request changes now or changed
 * then.
 */
async function sinceDiff(
  git: Git,
  store: string,
  { base, merge_base, head, since }: { base: Oid; merge_base: Oid | null; head: Oid; since: Oid },
  options: DiffOptions,
): Promise<Diff> {
  const { mergeBase: before } = await git.countAheadBehind(store, since, base)
  const merged =
    before === merge_base || merge_base === null
      ? null
      : await git.interdiff(store, { since, onto: merge_base, head }, options)
  if (merged) return merged
  const both = [
    await git.diff(store, before, since, { hunks: false }),
    await git.diff(store, merge_base, head, { hunks: false }),
  ]
  const own = [
    ...new Set(
      both.flatMap(({ files }) =>
        files.flatMap(({ path, old_path }) => (old_path === null ? [path] : [path, old_path])),
      ),
    ),
  ]
  const wanted = options.paths?.[0]
  const paths =
    wanted === undefined
      ? own
      : own.filter((path) => path === wanted || path.startsWith(`${wanted}/`))
  if (paths.length === 0) return { files: [], totals: { files: 0, additions: 0, deletions: 0 } }
  return git.diff(store, since, head, { ...options, paths })
}

/** Marks on other pages count too. Versions are compared without reading the files. */
const countAllViewed = async (
  readDiff: (options: DiffOptions) => Promise<Diff>,
  path: string | undefined,
  isViewed: (file: FileDiff) => boolean,
): Promise<number> =>
  (await readDiff({ hunks: false, ...(path === undefined ? {} : { paths: [path] }) })).files.filter(
    isViewed,
  ).length

const textOf = (file: FileDiff): { lines: number; bytes: number } => {
  let lines = 0
  let bytes = 0
  for (const hunk of file.hunks ?? []) {
    for (const { kind, text } of hunk.lines) {
      if (kind !== 'context') lines++
      bytes += text.length + 1
    }
  }
  return { lines, bytes }
}

/**
 * Limits the files of one response: those past the budget lose their hunks. The first file always
 * keeps them.
 */
function withinBudget(
  page: readonly FileDiff[],
  limited: boolean,
  isViewed: (file: FileDiff) => boolean,
) {
  let lines = 0
  let bytes = 0
  let truncated = false
  const files = page.map((file, at) => {
    const text = textOf(file)
    if (
      limited &&
      file.hunks &&
      at > 0 &&
      (lines + text.lines > MAX_LINES || bytes + text.bytes > MAX_TEXT_BYTES)
    ) {
      truncated = true
      return fileDiffRecord(
        { ...file, hunks: null, reason: 'page_limit' },
        { viewed: isViewed(file) },
      )
    }
    lines += text.lines
    bytes += text.bytes
    truncated ||= file.reason === 'too_large'
    return fileDiffRecord(file, { viewed: isViewed(file) })
  })
  return { files, truncated }
}
