/** Tells an open conversation about changes (server-sent events, HTML Living Standard 9.2). */
import { getRepo } from '#features/repos/index.ts'
import { watchState, eventStreamResponse } from '../../live.ts'
import { DirectResponse, NoSuchPage, type Resource, type Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { loadPull, pullState } from '../pulls/pull.tsx'
import { issueState, loadIssue } from './issue.tsx'

/** Events without a number (pushes, checks, rules) may change every page of the repository. */
const concerns =
  (repo_id: string, number: number) =>
  (event: { repo_id: string | null; data: Record<string, unknown> }) =>
    event.repo_id === repo_id &&
    (typeof event.data.number !== 'number' || event.data.number === number)

function live<T extends { repo: { id: string } }>(
  path: string,
  load: (visit: Visit) => Promise<T | DirectResponse | null>,
  stateOf: (loaded: T) => string,
): Resource {
  return {
    path,
    async respond(first) {
      const visit = first.forStream()
      const found = async (): Promise<T> => {
        const loaded = await load(visit)
        if (loaded === null || loaded instanceof DirectResponse) throw new NoSuchPage()
        return loaded
      }
      const { repo } = await found()
      const events = watchState(
        visit,
        visit.url.searchParams.get('state') ?? '',
        async () => stateOf(await found()),
        concerns(repo.id, Number(visit.params.number)),
      )
      return await eventStreamResponse(visit, events, () =>
        visit.call(getRepo, { repo: repoOf(visit) }),
      )
    },
  }
}

export const conversationsLive: readonly Resource[] = [
  live('/:workspace/:repo/issues/:number/live', loadIssue, issueState),
  live('/:workspace/:repo/pull/:number/live', loadPull, pullState),
]
