/** The wiki of a repository as its operations see it. */
import type { RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { requireRepo, settingsOf } from '#features/repos/index.ts'
import type { Oid, RefSnapshot } from '#git'
import { forbidden, invalid, notFound } from '#lib/errors.ts'
import { findWiki } from './store.ts'

const DEFAULT_BRANCH = 'main'

export type Wiki = {
  readonly store: string
  readonly branch: string
  /** Null while the wiki is empty. */
  readonly head: Oid | null
}

/** Whether the settings of a repository have its wiki switched on. */
const isWikiEnabled = (db: Db, repo_id: string): boolean =>
  settingsOf(requireRepo(db, repo_id)).wiki_enabled

/** The same for pages, which show a link to the wiki. */
export const hasWiki = ({ db }: Pick<Hearth, 'db'>, repo_id: string): boolean =>
  isWikiEnabled(db, repo_id)

/** Throws 422 for the fork of a pull request, and 404 where the wiki is switched off. */
export function requireWiki(db: Db, repo: RepoGrant): Wiki {
  if (repo.parent_id !== null)
    throw invalid('repo', 'the wiki belongs to the repository itself, not to a fork')
  if (!isWikiEnabled(db, repo.id)) throw notFound(`the wiki of ${repo.full_name}`)
  const row = findWiki(db, repo.id)
  return {
    store: repo.store,
    branch: row?.branch ?? DEFAULT_BRANCH,
    head: row?.commit_sha ?? null,
  }
}

/** Like `requireWiki`, for changes: 403 tells those who may write how to switch it on. */
export function requireWikiToChange(db: Db, repo: RepoGrant): Wiki {
  if (repo.parent_id === null && !isWikiEnabled(db, repo.id))
    throw forbidden(
      'contributions_closed',
      `the wiki is switched off in ${repo.full_name}: switch it on in the settings (wiki_enabled)`,
    )
  return requireWiki(db, repo)
}

/** The refs that git clients see. A commit makes them unique, so it names their state. */
export const refsOfWiki = (repo_id: string, { branch, head }: Wiki): RefSnapshot => ({
  generation: `wiki ${repo_id} ${branch} ${head ?? 'empty'}`,
  head: `refs/heads/${branch}`,
  refs: head === null ? [] : [{ name: `refs/heads/${branch}`, oid: head, peeled: null }],
})

/** The refs of a wiki with pages, also of one that is switched off; null for an empty one. */
export function findWikiRefs(db: Db, repo_id: string): RefSnapshot | null {
  const row = findWiki(db, repo_id)
  if (!row) return null
  return refsOfWiki(repo_id, { store: '', branch: row.branch, head: row.commit_sha })
}
