/** Blame ranges as records, for the operations and pages that show them. */
import type { Hearth } from '#core/hearth.ts'
import type { Oid } from '#git'
import { invalid } from '#lib/errors.ts'
import type { BlamedLines } from './blame-cache.ts'
import { commitTime, commitPersonLookup } from '../commits/commit-records.ts'
import {
  refuseBadInput,
  pathNotFound,
  resolveCommit,
  parseTreePath,
} from '../refs/resolve-commit.ts'
import type { Static } from '#core/schema.ts'
import type { BlameRecord } from '../schema.ts'
import { pullsOfCommits } from '../store/pulls.ts'

type BlameInput = {
  readonly path: string
  readonly ref?: string | undefined
  readonly from_line?: number | undefined
  readonly to_line?: number | undefined
}
type RepoStore = { readonly id: string; readonly store: string }

/**
 * Resolves the input of a blame operation for the git engine. Throws 404 and 422 when the path is
 * not a file.
 */
export async function requireLines(
  hearth: Hearth,
  repo: RepoStore,
  { ref, from_line, to_line, ...input }: BlameInput,
): Promise<{ commit: Oid; path: string; range: { from: number; to: number } | undefined }> {
  if (from_line !== undefined && to_line !== undefined && to_line < from_line)
    throw invalid('to_line', 'to_line must not be before from_line')
  const path = parseTreePath(input.path)
  const commit = await resolveCommit(hearth, repo, ref ?? 'HEAD')
  const entry =
    path === ''
      ? null
      : await refuseBadInput('path', () => hearth.git.findEntry(repo.store, commit, path))
  if (!entry && path !== '') throw pathNotFound(path)
  if (!entry || entry.type === 'dir' || entry.type === 'submodule')
    throw invalid('path', `${path || '/'} is not a file`)
  return {
    commit,
    path,
    range:
      from_line === undefined && to_line === undefined
        ? undefined
        : { from: from_line ?? 1, to: to_line ?? Number.MAX_SAFE_INTEGER },
  }
}

export function blameRecords(
  hearth: Hearth,
  repo: RepoStore,
  lines: readonly BlamedLines[],
): Static<typeof BlameRecord>[] {
  const pulls = pullsOfCommits(hearth.db, repo.id, [
    ...new Set(lines.map(({ commit }) => commit.oid)),
  ])
  const people = commitPersonLookup(hearth)
  return lines.map(({ from_line, to_line, commit }) => ({
    from_line,
    to_line,
    commit: {
      sha: commit.oid,
      title: commit.title,
      author: people(commit.author),
      date: commitTime(commit.time),
    },
    pull: pulls.get(commit.oid)?.number ?? null,
    session: pulls.get(commit.oid)?.session ?? false,
  }))
}
