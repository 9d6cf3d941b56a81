/** Tells open pages of agents about changes (server-sent events, HTML Living Standard 9.2). */
import { getRepo } from '#features/repos/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { eventStreamResponse, watchState } from '../../live.ts'
import type { Resource, Visit } from '../../site.ts'
import { loadOverview, overviewState, type Where } from './agent-overview.tsx'
import { repoOf } from './frame.tsx'

/** Steps of agents are told a moment later, and states without an event, so it is compared too. */
const WAIT_MS = 5_000

const TELLING = /^(agent|session|checks|pull|review)\./

const live = (
  path: string,
  where: (visit: Visit) => Where,
  idOf: (visit: Visit) => Promise<string>,
): Resource => ({
  path,
  async respond(first) {
    const visit = first.forStream()
    const overview = () => loadOverview(visit, where(visit))
    const id = await idOf(visit)
    const state = async () => overviewState(await overview())
    const concerns = (event: {
      repo_id: string | null
      workspace_id: string | null
      type: string
    }) => (event.repo_id === id || event.workspace_id === id) && TELLING.test(event.type)
    const seen = visit.url.searchParams.get('state') ?? ''
    const events = watchState(visit, seen, state, concerns, WAIT_MS)
    return await eventStreamResponse(visit, events, overview)
  },
})

export const agentsLive = live(
  '/:workspace/:repo/agents/live',
  (visit) => ({ repo: repoOf(visit) }),
  async (visit) => (await visit.call(getRepo, { repo: repoOf(visit) })).id,
)

export const workspaceAgentsLive = live(
  '/:workspace/-/agents/live',
  (visit) => ({ workspace: visit.params.workspace ?? '' }),
  async (visit) => (await visit.call(getWorkspace, { workspace: visit.params.workspace ?? '' })).id,
)
