/**
 * Tells an open conversation that something happened in it (server-sent events, HTML Living
 * Standard 9.2).
 */
import { watchState, eventStreamResponse } from '../../live.ts'
import { DirectResponse, NoSuchPage, type Resource, type Visit } from '../../site.ts'
import { loadPull, pullState } from '../pulls/pull.tsx'
import { issueState, loadIssue } from './issue.tsx'

/** What has no number (a push, checks, rules) may show on every page of the repository. */
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
    async respond(visit) {
      const found = async (): Promise<T> => {
        const loaded = await load(visit)
        if (loaded === null || loaded instanceof DirectResponse) throw new NoSuchPage()
        return loaded
      }
      const { repo } = await found()
      return eventStreamResponse(
        watchState(
          visit,
          visit.url.searchParams.get('state') ?? '',
          async () => stateOf(await found()),
          concerns(repo.id, Number(visit.params.number)),
        ),
      )
    },
  }
}

export const conversationsLive: readonly Resource[] = [
  live('/:workspace/:repo/issues/:number/live', loadIssue, issueState),
  live('/:workspace/:repo/pull/:number/live', loadPull, pullState),
]
