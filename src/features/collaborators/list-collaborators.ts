import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, windowOf } from '#core/page.ts'
import { readScope } from '#core/read-scope.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { preloadActors } from '#features/accounts/index.ts'
import { preloadRoles } from '#features/repos/index.ts'
import { invitationRecord, listPendingInvitations } from '#features/workspaces/index.ts'
import { collaboratorRecord, requireOwnRepository } from './collaborators.ts'
import { CollaboratorList } from './schema.ts'
import { listCollaboratorIds, preloadGrantTimes } from './store.ts'

const MAX_INVITATIONS = 100

export const listCollaborators = operation({
  name: 'list_collaborators',
  summary:
    'List the people with a role on a repository, each with the role and where it comes from, newest account first. Needs write; with admin also the pending invitations.',
  keywords: [
    'who has access',
    'people with access to a repository',
    'who can push',
    'who can read a repository',
  ],
  route: 'GET /repos/{owner}/{name}/collaborators',
  toolset: 'access',
  listed: 'default',
  access: readsRepoAs('write', { scope: 'access:read' }),
  input: Type.Object({ repo: RepoPath, ...byPage() }),
  output: CollaboratorList,

  handler: ({ hearth, db, caller, repo, now }, { repo: _, ...paging }) => {
    requireOwnRepository(repo)
    const window = windowOf(paging)
    const people = listCollaboratorIds(db, repo, { limit: window.limit + 1, offset: window.offset })
    const invitations = repo.can('admin')
      ? listPendingInvitations(db, { kind: 'repository', repo_id: repo.id }, now, MAX_INVITATIONS)
      : []
    const shown = people.slice(0, window.limit)
    return {
      collaborators: readScope(db, () => {
        preloadRoles(db, repo.id, shown)
        preloadActors(db, shown)
        preloadGrantTimes(db, repo, shown)
        return shown.flatMap((user_id) => collaboratorRecord(hearth, repo, user_id, caller) ?? [])
      }),
      invitations: invitations.map((row) => invitationRecord(hearth, row)),
      next: people.length > window.limit ? String(window.page + 1) : null,
    }
  },
})
