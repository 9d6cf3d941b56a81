import { publicRead } from '#core/access.ts'
import { EVENT_TYPES } from '#core/event-types.ts'
import { listEvents as listEventRows, type EventRow } from '#core/events.ts'
import { operation } from '#core/operation.ts'
import { beforeOf, byBefore, keyPageOf } from '#core/page.ts'
import { ListOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { eventRecords, listSeen, sightOf } from '#features/repos/index.ts'
import { EventRecord } from '#features/repos/schema.ts'
import { findWorkspace } from '#features/workspaces/index.ts'
import { invalid, notFound } from '#lib/errors.ts'

/**
 * So many are looked at for one page; a page may hold fewer than asked for, and still have older
 * ones.
 */
const MOST_LOOKED_AT = 2_000
const AT_ONCE = 200

export const listWorkspaceEvents = operation({
  name: 'list_workspace_events',
  summary:
    'What happened in the repositories of a workspace that you can see, newest first, for its page and its feed. What happened to the workspace itself is shown to its members.',
  route: null,
  access: publicRead({ scope: 'repo:read' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    ...byBefore(),
    types: Type.Optional(Type.Array(Type.String({ maxLength: 60 }), { maxItems: 50 })),
  }),
  output: ListOf(EventRecord),
  list: 'before',

  handler: ({ hearth, db, caller }, { workspace: slug, types, ...paging }) => {
    const unknown = types?.find((type) => !EVENT_TYPES.has(type))
    if (unknown !== undefined)
      throw invalid('types', `there is no event type ${JSON.stringify(unknown)}`)
    const { before, limit } = beforeOf(paging, 'evt')
    const workspace = findWorkspace(db, slug)
    if (!workspace) throw notFound(`the workspace ${slug}`)
    const standing = hearth.facts.workspace(workspace.slug, caller)
    const belongs =
      standing !== null &&
      standing.role !== null &&
      !standing.two_factor_missing &&
      (caller.kind === 'anonymous' || (caller.token?.repos ?? null) === null)

    const sight = sightOf(db, caller)
    // What happens in the fork of a pull request is told with the pull request.
    const seenOf = (found: readonly EventRow[]): EventRow[] => {
      const seen = new Set(
        listSeen(db, sight, [...new Set(found.flatMap(({ repo_id }) => repo_id ?? []))], {
          forks: false,
        }),
      )
      return found.filter(({ repo_id }) => (repo_id === null ? belongs : seen.has(repo_id)))
    }
    const rows: EventRow[] = []
    let last: string | null = before
    let looked = 0
    let more = true
    while (more && rows.length <= limit && looked < MOST_LOOKED_AT) {
      const found = listEventRows(db, {
        workspace_id: workspace.id,
        types,
        before: last,
        limit: AT_ONCE,
      })
      rows.push(...seenOf(found))
      looked += found.length
      more = found.length === AT_ONCE
      last = found.at(-1)?.id ?? last
    }
    const list = keyPageOf(eventRecords(hearth, rows), limit, ({ id }) => id)
    return list.next === null && more ? { ...list, next: last } : list
  },
})
