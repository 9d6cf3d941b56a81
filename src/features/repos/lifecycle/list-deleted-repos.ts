import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { repoRecords } from '../profile/repo-record.ts'
import { Repo } from '../schema.ts'
import { listDeleted } from '../store/deleted-repos.ts'

/**
 * Callers who are not owners get an empty list, also when the workspace does not exist, so the
 * response reveals nothing.
 */
export const listDeletedRepos = operation({
  name: 'list_deleted_repos',
  summary:
    'List the deleted repositories of a workspace that can still be restored, the last deleted first, each with the time at which it is purged (purge_at). Empty for everyone but owners.',
  keywords: ['deleted repositories', 'trash', 'recycle bin'],
  route: 'GET /workspaces/{workspace}/repos/deleted',
  toolset: 'code',
  access: signedIn({ scope: 'repo:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, ...byPage() }),
  output: ListOf(Repo),
  list: 'page',

  handler: ({ hearth, db, caller, now }, { workspace, ...paging }) => {
    const window = windowOf(paging)
    const facts = hearth.facts.workspace(workspace, caller)
    if (facts?.role !== 'owner' || facts.two_factor_missing) return pageOf([], window)
    const rows = listDeleted(db, facts.id, now, { limit: window.limit + 1, offset: window.offset })
    return pageOf(repoRecords(hearth, rows, caller), window)
  },
})
