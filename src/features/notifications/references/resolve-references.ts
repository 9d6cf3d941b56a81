/**
 * Resolves references of a text to records and commits of repositories that its author can read.
 */
import type { Hearth } from '#core/hearth.ts'
import { userCaller } from '#features/accounts/index.ts'
import { findRecord, type References } from '#features/issues/index.ts'
import { findNewPath, repoByPath, resolveCommit, type RepoRow } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { readingRole } from '../delivery/visibility.ts'
import type { Target, TextPlace } from './store-references.ts'

/** Commits resolved for one text; each needs git. */
const MAX_COMMITS = 10

function repoOf(hearth: Hearth, path: string): RepoRow | null {
  const found = repoByPath(hearth.db, path)
  const moved = found && found.deleted_at === null ? null : findNewPath(hearth.db, path)
  const repo = moved === null ? found : repoByPath(hearth.db, moved)
  return repo && repo.deleted_at === null && repo.parent_id === null ? repo : null
}

/**
 * Whether a text by this author (null: the service) may leave a reference in a repository: only
 * where the author can read.
 */
function mayReference(hearth: Hearth, repo: RepoRow, by: string | null): boolean {
  const person = by === null ? null : userCaller(hearth.db, by)
  return person === null ? repo.private === 0 : readingRole(hearth, repo, person) !== null
}

export async function resolveReferences(
  hearth: Hearth,
  here: RepoRow,
  place: TextPlace,
  { numbers, commits }: References,
  by: string | null,
): Promise<Target[]> {
  const targets = new Map<string, Target>()
  const repos = new Map<string, RepoRow | null>()
  const repoFor = (path: string | null): RepoRow | null => {
    if (path === null) return here
    let repo = repos.get(path)
    if (repo === undefined) {
      const found = repoOf(hearth, path)
      repos.set(
        path,
        (repo = found && (found.id === here.id || mayReference(hearth, found, by)) ? found : null),
      )
    }
    return repo
  }
  const add = (repo: RepoRow, target: string) =>
    void targets.set(`${repo.id} ${target}`, { repo_id: repo.id, target })
  for (const { repo: path, number } of numbers) {
    const repo = repoFor(path)
    if (
      repo &&
      !(repo.id === place.repo_id && number === place.number) &&
      findRecord(hearth.db, repo.id, number)
    )
      add(repo, String(number))
  }
  for (const { repo: path, sha } of commits.slice(0, MAX_COMMITS)) {
    const repo = repoFor(path)
    const commit = repo && (await commitOf(hearth, repo, sha))
    if (repo && commit) add(repo, commit)
  }
  return [...targets.values()]
}

/** The commit with this id, but no branch or tag of that name; null when there is none. */
async function commitOf(hearth: Hearth, repo: RepoRow, sha: string): Promise<string | null> {
  try {
    const commit = await resolveCommit(hearth, repo, sha)
    return commit.startsWith(sha) ? commit : null
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
