import { readsWorkspaceAsOwner } from '#features/workspaces/index.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { timestamp } from '#lib/time.ts'
import { requireHook, requireSender } from './hook-record.ts'
import { IntegrationIdInput } from './inputs.ts'
import { TrackerUpdates } from './schema.ts'
import { countUpdates, listUpdates } from './updates/store-updates.ts'

export const listTrackerUpdates = operation({
  name: 'list_tracker_updates',
  summary:
    'List what an integration was told about its issues, newest first: closed, opened again, comments; which of them wait for another attempt, and why. Kept for 30 days. Owners only, people only.',
  keywords: ['issue not closed at the tracker', 'sync errors', 'resolve in Sentry'],
  route: 'GET /workspaces/{workspace}/integrations/{id}/incoming/updates',
  toolset: 'integrations',
  access: { ...readsWorkspaceAsOwner({ scope: 'workspace:admin' }), person: true },
  input: Type.Object({ workspace: WorkspaceSlug, id: IntegrationIdInput, ...byPage() }),
  output: TrackerUpdates,
  list: 'page',

  handler: ({ db, workspace }, { id, ...paging }) => {
    requireSender(db, workspace.id, id)
    requireHook(db, id)
    const window = windowOf(paging)
    const rows = listUpdates(db, id, { limit: window.limit + 1, offset: window.offset })
    const items = rows.map((row) => ({
      kind: row.kind,
      issue: row.number,
      state: row.state,
      attempt: row.attempt,
      message: row.message,
      next_attempt_at: row.due_at === null ? null : timestamp(row.due_at),
      created_at: row.created_at,
      finished_at: row.finished_at,
    }))
    return pageOf(items, window, countUpdates(db, id))
  },
})
