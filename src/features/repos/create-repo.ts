import { signedIn } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { conflict, forbidden, invalid, notFound, Refusal } from '#lib/errors.ts'
import { repoNameProblem } from '#lib/slug.ts'
import { typeId } from '#lib/typeid.ts'
import { findWorkspace, listMemberships, workspaceById, workspaceFacts } from '#features/workspaces/index.ts'
import { repoCreated } from './events.ts'
import { auditRepo } from './lifecycle.ts'
import { repoRecord } from './record.ts'
import { newGeneration } from './refs.ts'
import { Repo } from './schema.ts'
import { findByName, insertRepo } from './store.ts'

/** The workspace named, or the caller's only one. */
function chooseWorkspace(db: Db, caller: SignedIn, slug: string | undefined) {
  if (slug !== undefined) return findWorkspace(db, slug)
  if (caller.kind === 'workspace') return workspaceById(db, caller.id)
  const own = listMemberships(db, caller.id).filter(({ workspace_id }) => !caller.token?.workspace || caller.token.workspace === workspace_id)
  const [only] = own
  if (own.length !== 1 || !only) {
    throw invalid('workspace', own.length === 0 ? 'you belong to no workspace: make one first' : 'workspace is required, because you belong to several')
  }
  return workspaceById(db, only.workspace_id)
}

/** Gives 404 for a workspace that the caller does not belong to, 403 when its members may not make such repositories. */
function requireMayCreate(db: Db, caller: SignedIn, workspace: ReturnType<typeof findWorkspace>, slug: string, isPrivate: boolean) {
  const facts = workspace && workspaceFacts(db, workspace.slug, caller)
  if (!workspace || !facts || facts.role === null || (caller.token?.workspace && caller.token.workspace !== workspace.id)) throw notFound(`the workspace ${slug}`)
  if (caller.token?.repos) throw forbidden('scope', 'this token is limited to certain repositories, so it cannot make one')
  if (facts.two_factor_missing) throw forbidden('two_factor_required', `the workspace ${workspace.slug} requires two-factor sign-in: turn it on in your settings`)
  const allowed = isPrivate ? workspace.members_can_create_private_repositories : workspace.members_can_create_public_repositories
  if (facts.role !== 'owner' && !allowed) {
    throw forbidden('role', `members of ${workspace.slug} may not make ${isPrivate ? 'private' : 'public'} repositories; ask an owner`)
  }
  return workspace
}

export const createRepo = operation({
  name: 'create_repo',
  summary: 'Create an empty repository in a workspace that you belong to; the workspace may be left out if you belong to exactly one. Answers the repository with its clone address.',
  route: 'POST /v1/repos',
  access: signedIn({ scope: 'repo:admin', writes: true }),
  input: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 100, description: 'Letters, digits, dots, underscores and hyphens.' }),
    workspace: Type.Optional(WorkspaceSlug),
    description: Type.Optional(Type.String({ maxLength: 350 })),
    private: Type.Optional(Type.Boolean({ description: 'Whether only those with access see it; the default is set for the installation.' })),
    import_url: Type.Optional(Type.String({ maxLength: 2000, description: 'The address of a public git repository to copy.' })),
  }),
  output: Repo,
  annotations: { openWorld: true },

  handler: async ({ hearth, db, git, caller, write, now_ms }, input) => {
    if (caller.kind === 'agent') throw forbidden('agent_outside_repository', 'an agent may act only in the repository that its token was made for')
    const { name, description } = input
    const isPrivate = input.private ?? hearth.settings.private_by_default
    const check = (from: Db) => {
      const workspace = requireMayCreate(from, caller, chooseWorkspace(from, caller, input.workspace), input.workspace ?? caller.username, isPrivate)
      if (findByName(from, workspace.id, name)) {
        throw conflict('already_exists', `${workspace.slug}/${name} exists already`, { full_name: `${workspace.slug}/${name}` })
      }
      return workspace
    }
    check(db)
    const problem = repoNameProblem(name)
    if (problem) throw invalid('name', `name ${problem}`)
    if (input.import_url !== undefined) {
      throw new Refusal('not_available', 'this installation cannot copy repositories from an address yet: make an empty one and push to it', { field: 'import_url' })
    }
    const id = typeId('rep', now_ms)
    await git.createStore(id)
    try {
      return await write((tx) => {
        const workspace = check(tx.db)
        const row = insertRepo(tx, {
          id, workspace_id: workspace.id, name, store: id, description: description?.trim() || null, private: isPrivate,
          refs_generation: newGeneration(), created_by: caller.id,
        })
        tx.append(repoCreated, { workspace_id: workspace.id, repo_id: id }, { private: isPrivate, imported: false })
        auditRepo(tx, 'repo.created', row, { after: { private: isPrivate } })
        return repoRecord(hearth, row, caller)
      })
    } catch (error) {
      await git.removeStore(id)
      throw error
    }
  },
})
