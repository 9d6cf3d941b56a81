import { publicRead } from '#core/access.ts'
import { EVENT_TYPES, PRIVATE_EVENT_TYPES } from '#core/event-types.ts'
import { listEvents as listEventRows, type EventRow } from '#core/events.ts'
import { operation } from '#core/operation.ts'
import { beforeOf, byBefore, keyPageOf } from '#core/page.ts'
import { ListOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { eventRecords, filterVisibleRepos, visibleReposOf } from '#features/repos/index.ts'
import { EventRecord } from '#features/repos/schema.ts'
import { findWorkspace } from '#features/workspaces/index.ts'
import { invalid, notFound } from '#lib/errors.ts'

/** Events read for one page. A page may hold fewer than requested and still have older ones. */
const MAX_EVENTS_READ = 2_000
const EVENTS_PER_READ = 200

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

    const visible = visibleReposOf(db, caller)
    // Events of a fork are listed with its pull request.
    const seenOf = (found: readonly EventRow[]): EventRow[] => {
      const seen = new Set(
        filterVisibleRepos(
          db,
          visible,
          [...new Set(found.flatMap(({ repo_id }) => repo_id ?? []))],
          {
            forks: false,
          },
        ),
      )
      return found.filter(({ repo_id }) => (repo_id === null ? belongs : seen.has(repo_id)))
    }
    const rows: EventRow[] = []
    let last: string | null = before
    let looked = 0
    let more = true
    while (more && rows.length <= limit && looked < MAX_EVENTS_READ) {
      const found = listEventRows(db, {
        workspace_id: workspace.id,
        types,
        except: PRIVATE_EVENT_TYPES,
        before: last,
        limit: EVENTS_PER_READ,
      })
      rows.push(...seenOf(found))
      looked += found.length
      more = found.length === EVENTS_PER_READ
      last = found.at(-1)?.id ?? last
    }
    const list = keyPageOf(eventRecords(hearth, rows), limit, ({ id }) => id)
    return list.next === null && more ? { ...list, next: last } : list
  },
})
