import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { invitationRecord, Invitations, listInvitations } from '#features/workspaces/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { requireOwnRepository } from './collaborators.ts'

/** How long answered invitations stay listed. */
const ANSWERED_LISTED_MS = 30 * DAY

export const listRepoInvitations = operation({
  name: 'list_repo_invitations',
  summary:
    'List the invitations to a repository: those that wait for an answer first, then those of the last 30 days. For people with admin.',
  keywords: ['pending invitations of a repository', 'who was invited to a repository'],
  route: 'GET /repos/{owner}/{name}/invitations',
  toolset: 'access',
  access: readsRepoAs('admin', { scope: 'access:admin', person: true }),
  input: Type.Object({ repo: RepoPath, ...byPage() }),
  output: Invitations,
  list: 'page',

  handler: ({ hearth, db, repo, now, now_ms }, { repo: _, ...paging }) => {
    requireOwnRepository(repo)
    const window = windowOf(paging)
    const rows = listInvitations(
      db,
      { kind: 'repository', repo_id: repo.id },
      {
        now,
        since: timestamp(now_ms - ANSWERED_LISTED_MS),
        limit: window.limit + 1,
        offset: window.offset,
      },
    )
    return pageOf(
      rows.map((row) => invitationRecord(hearth, row)),
      window,
    )
  },
})
