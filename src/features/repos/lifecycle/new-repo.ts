/** Creates a repository, for every operation that starts with an empty one. */
import { replication } from '#core/replication.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Context } from '#core/operation.ts'
import type { Tx } from '#core/write.ts'
import { conflict, forbidden, invalid, notFound } from '#lib/errors.ts'
import { repoNameProblem } from '#core/reserved-names.ts'
import { typeId } from '#core/ids.ts'
import {
  findWorkspace,
  listMemberships,
  requireQuota,
  workspaceById,
  workspaceFacts,
} from '#features/workspaces/index.ts'
import { repoCreated } from '../events.ts'
import { auditRepo } from './preconditions.ts'
import { newGeneration } from '../refs/move-refs.ts'
import { findRepoByName, insertRepo, type RepoRow } from '../store/repos.ts'

/** Returns the named workspace, or the only workspace of the caller. */
function chooseWorkspace(db: Db, caller: SignedIn, slug: string | undefined) {
  if (slug !== undefined) return findWorkspace(db, slug)
  if (caller.kind === 'workspace') return workspaceById(db, caller.id)
  const own = listMemberships(db, caller.id).filter(
    ({ workspace_id }) => !caller.token?.workspace || caller.token.workspace === workspace_id,
  )
  const [only] = own
  if (own.length !== 1 || !only) {
    throw invalid(
      'workspace',
      own.length === 0
        ? 'you belong to no workspace: make one first'
        : 'workspace is required, because you belong to several',
    )
  }
  return workspaceById(db, only.workspace_id)
}

/**
 * Throws 404 for a workspace that the caller does not belong to, and 403 when its members may not
 * create such repositories.
 */
function requireMayCreate(
  db: Db,
  caller: SignedIn,
  workspace: ReturnType<typeof findWorkspace>,
  slug: string,
  isPrivate: boolean,
) {
  const facts = workspace && workspaceFacts(db, workspace.slug, caller)
  if (!workspace || !facts || facts.role === null) throw notFound(`the workspace ${slug}`)
  if (caller.token?.repos)
    throw forbidden('scope', 'this token is limited to certain repositories, so it cannot make one')
  if (facts.two_factor_missing)
    throw forbidden(
      'two_factor_required',
      `the workspace ${workspace.slug} requires two-factor sign-in: turn it on in your settings`,
    )
  const allowed = isPrivate
    ? workspace.members_can_create_private_repositories
    : workspace.members_can_create_public_repositories
  if (facts.role !== 'owner' && !allowed) {
    throw forbidden(
      'role',
      `members of ${workspace.slug} may not make ${isPrivate ? 'private' : 'public'} repositories; ask an owner`,
    )
  }
  return workspace
}

export type NewRepoInput = {
  name: string
  workspace?: string
  description?: string
  private?: boolean
}

export type NewRepoContext = Pick<Context, 'hearth' | 'db' | 'git' | 'write' | 'now_ms'> & {
  readonly caller: SignedIn
}

type NewRepoOptions<T> = {
  /** The source that it is copied from; null for an empty repository. */
  readonly imported: string | null
  /** Runs after the caller's permission is checked and before anything is created. */
  readonly prepare?: () => Promise<void>
  /** Runs in the creating transaction; its result is returned. */
  readonly finish: (tx: Tx, row: RepoRow) => T
}

/**
 * Returns the workspace in which the repository can be created. Throws 403, 404, 409 and 422 when
 * it cannot.
 */
function requireNewRepo(
  hearth: Hearth,
  db: Db,
  caller: SignedIn,
  { workspace: slug, name }: NewRepoInput,
  isPrivate: boolean,
) {
  const workspace = requireMayCreate(
    db,
    caller,
    chooseWorkspace(db, caller, slug),
    slug ?? caller.username,
    isPrivate,
  )
  if (findRepoByName(db, workspace.id, name)) {
    throw conflict('already_exists', `${workspace.slug}/${name} exists already`, {
      full_name: `${workspace.slug}/${name}`,
    })
  }
  requireQuota(hearth, db, workspace.id, 'repositories', 1)
  return workspace
}

/**
 * Creates a repository and its object store, both or neither. Throws 403, 404, 409 and 422 as
 * documented for `create_repo`.
 */
export async function createRepoWithStore<T>(
  { hearth, db, git, caller, write, now_ms }: NewRepoContext,
  input: NewRepoInput,
  { imported, prepare, finish }: NewRepoOptions<T>,
): Promise<T> {
  if (caller.kind === 'agent')
    throw forbidden(
      'agent_outside_repository',
      'an agent may act only in the repository that its token was made for',
    )
  const { name, description } = input
  const isPrivate = input.private ?? hearth.settings.private_by_default
  const check = (from: Db) => requireNewRepo(hearth, from, caller, input, isPrivate)
  check(db)
  const problem = repoNameProblem(name)
  if (problem) throw invalid('name', `name ${problem}`)
  await prepare?.()
  const id = typeId('rep', now_ms)
  await git.createStore(id)
  replication(hearth).note(`repos/${id}`)
  try {
    return await (write as <R>(run: (tx: Tx) => R) => Promise<R>)((tx) => {
      const workspace = check(tx.db)
      const row = insertRepo(tx, {
        id,
        workspace_id: workspace.id,
        name,
        store: id,
        description: description?.trim() || null,
        private: isPrivate,
        refs_generation: newGeneration(),
        created_by: caller.id,
      })
      tx.append(
        repoCreated,
        { workspace_id: workspace.id, repo_id: id },
        { private: isPrivate, imported: imported !== null },
      )
      auditRepo(tx, 'repo.created', row, {
        after: { private: isPrivate, ...(imported === null ? {} : { imported_from: imported }) },
      })
      return finish(tx, row)
    })
  } catch (error) {
    await git.removeStore(id)
    throw error
  }
}
