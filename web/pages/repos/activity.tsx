import { getRepo, listEvents } from '#features/repos/index.ts'
import { EmptyState, PageHead, Pager, Timeline, TimelineEvent, type IconName } from '../../components/index.ts'
import { repoPath, withQuery } from '../../paths.ts'
import { page } from '../../site.ts'
import { RepoFrame, repoOf } from './frame.tsx'

const ICONS: readonly [prefix: string, icon: IconName][] = [
  ['git.', 'commit'], ['repo.', 'repo'], ['branch.', 'branch'], ['issue.', 'issue'], ['comment.', 'comment'], ['pull.merged', 'merge'], ['pull.', 'pull'], ['session.', 'spark'], ['checks.', 'check-circle'],
]

const iconOf = (type: string): IconName => ICONS.find(([prefix]) => type.startsWith(prefix))?.[1] ?? 'circle'

/** Addresses in answers are whole; a page stays on the host that it was asked of. */
const local = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '')

export const activityPage = page({
  path: '/:workspace/:repo/activity',
  load: async (visit) => {
    const name = repoOf(visit)
    const before = visit.url.searchParams.get('before')
    const [repo, events] = await Promise.all([visit.call(getRepo, { repo: name }), visit.call(listEvents, { repo: name, ...(before ? { before } : {}), per_page: 50 })])
    return { repo, events, before }
  },
  view: ({ repo, events, before }, visit) => {
    const here = repoPath(repo.full_name, '/activity')
    return (
      <RepoFrame visit={visit} repo={repo} title="Activity" current="activity">
        <PageHead title="Activity" />
        {events.items.length === 0 ? (
          <EmptyState icon="activity" title="Nothing has happened yet" />
        ) : (
          <Timeline label="Activity">
            {events.items.map((event) => (
              <TimelineEvent icon={iconOf(event.type)} at={event.time} id={event.id}>
                <a class="quiet-link" href={local(event.url)}>{event.summary}</a>
              </TimelineEvent>
            ))}
          </Timeline>
        )}
        <Pager newer={before ? here : null} older={events.next === null ? null : withQuery(here, { before: events.next })} label="Events" />
      </RepoFrame>
    )
  },
})
