import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { readsWorkspaceAsOwningPerson } from './access.ts'
import { invitationRecord, Invitations } from './invitations.ts'
import { listInvitations } from './store-invitations.ts'

/** How long answered invitations stay listed. */
const ANSWERED_LISTED_MS = 30 * DAY

export const listWorkspaceInvites = operation({
  name: 'list_workspace_invites',
  summary:
    'List the invitations into a workspace: those that wait for an answer first, then those of the last 30 days. For its owners, people only.',
  keywords: ['who was invited to the organization', 'pending member invitations'],
  route: 'GET /workspaces/{workspace}/invitations',
  toolset: 'access',
  access: readsWorkspaceAsOwningPerson({ scope: 'access:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, ...byPage() }),
  output: Invitations,
  list: 'page',

  handler: ({ hearth, db, workspace, now, now_ms }, paging) => {
    const window = windowOf(paging)
    const range = {
      now,
      since: timestamp(now_ms - ANSWERED_LISTED_MS),
      limit: window.limit + 1,
      offset: window.offset,
    }
    return pageOf(
      listInvitations(db, { kind: 'workspace', workspace_id: workspace.id }, range).map((row) =>
        invitationRecord(hearth, row),
      ),
      window,
    )
  },
})
