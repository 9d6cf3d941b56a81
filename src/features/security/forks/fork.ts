/**
 * The private fork of an advisory as its operations see it. It is no repository: it has its own
 * rows, refs and object store, so operations on repositories cannot reach it. Who may use it is the
 * rule `advisoryWork` of its operations.
 */
import type { RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Oid, Ref, RefSnapshot } from '#git'
import { branchRef } from '#features/repos/index.ts'
import { conflict, notFound } from '#lib/errors.ts'
import { findAdvisory, type AdvisoryRow } from '../reports/store-advisories.ts'
import { findFork, listForkRefs, readForkRef, type ForkRow } from './store-forks.ts'

/** Its path below the address of the site, without `.git`. */
export const forkName = (full_name: string, advisory_id: string): string =>
  `${full_name}/security/advisories/${advisory_id}`

export const forkRemote = (
  { settings }: Pick<Hearth, 'settings'>,
  full_name: string,
  advisory_id: string,
): string => `${settings.site_url}/${forkName(full_name, advisory_id)}.git`

export function forkSshRemote(
  { settings: { ssh, site_url } }: Pick<Hearth, 'settings'>,
  full_name: string,
  advisory_id: string,
): string | null {
  if (ssh === null) return null
  const { hostname } = new URL(site_url)
  return `ssh://git@${hostname}:${ssh.port}/${forkName(full_name, advisory_id)}.git`
}

/** Throws 404 for an advisory of another repository. */
export function requireAdvisory(db: Db, repo: Pick<RepoGrant, 'id'>, id: string): AdvisoryRow {
  const row = findAdvisory(db, id)
  if (row?.repo_id !== repo.id) throw notFound(`the advisory ${id}`)
  return row
}

/** Throws 404 for an advisory without a fork. */
export function requireFork(db: Db, repo: Pick<RepoGrant, 'id'>, id: string): ForkRow {
  const fork = findFork(db, requireAdvisory(db, repo, id).id)
  if (!fork) throw notFound(`the private fork of the advisory ${id}`)
  return fork
}

/** The commit of the base branch; null while it is copied. */
export const readBase = (db: Db, fork: ForkRow): Oid | null =>
  readForkRef(db, fork.id, branchRef(fork.base_branch))

/** Throws 409 while the base branch is copied. */
export function requireBase(db: Db, fork: ForkRow): Oid {
  const base = readBase(db, fork)
  if (base === null)
    throw conflict(
      'in_progress',
      fork.problem === null
        ? 'the private fork is being prepared: try again in a moment'
        : `the private fork could not be prepared: ${fork.problem}`,
    )
  return base
}

/** Throws 404 for a name that is no branch of the fork, or the base branch. */
export function requireForkBranch(db: Db, fork: ForkRow, branch: string): Oid {
  const oid = branch === fork.base_branch ? null : readForkRef(db, fork.id, branchRef(branch))
  if (oid === null) throw notFound(`the branch ${branch} of the private fork`)
  return oid
}

/** The refs that git clients see. */
export const refsOfFork = (db: Db, fork: ForkRow): RefSnapshot => ({
  generation: `private ${fork.id} ${fork.generation}`,
  head: branchRef(fork.base_branch),
  refs: listForkRefs(db, fork.id).map(({ name, oid }): Ref => ({ name, oid, peeled: null })),
})
