/** What belongs to a repository or to a workspace: webhooks, variables, rulesets. */
import { notFound } from '#lib/errors.ts'
import type { RepoGrant, WorkspaceGrant } from './access.ts'
import { RepoPath, Type, WorkspaceSlug } from './schema.ts'

/** The inputs that name the owner; exactly one is given. */
export const ownerInput = { repo: Type.Optional(RepoPath), workspace: Type.Optional(WorkspaceSlug) }

/** What access by `eitherAs` gives a handler. */
export type OwnerGrants = {
  readonly repo: RepoGrant | null
  readonly workspace: WorkspaceGrant | null
}

/** The columns that name the owner; one of the two is set. */
export type Owner =
  | { readonly repo_id: string; readonly workspace_id: null }
  | { readonly repo_id: null; readonly workspace_id: string }

/** Throws 404 for the fork of a pull request, which owns none of these. */
export function ownerOf({ repo, workspace }: OwnerGrants): Owner {
  if (repo !== null) {
    if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
    return { repo_id: repo.id, workspace_id: null }
  }
  if (workspace === null) throw new TypeError('neither a repository nor a workspace was granted')
  return { repo_id: null, workspace_id: workspace.id }
}
