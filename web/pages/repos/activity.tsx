import { listEventTitles } from '#features/overview/index.ts'
import { getRepo, listEvents } from '#features/repos/index.ts'
import { PageHead, Pager } from '../../components/index.ts'
import { repoPath, withQuery } from '../../paths.ts'
import { page } from '../../site.ts'
import { EventList, KindFilter, kindOf, typesOf } from './event-list.tsx'
import { RepoFrame, repoOf } from './frame.tsx'
import { ActivityTabs } from './insights.tsx'
import { t } from '../../text.ts'

export const activityPage = page({
  path: '/:workspace/:repo/activity',
  load: async (visit) => {
    const name = repoOf(visit)
    const before = visit.url.searchParams.get('before')
    const types = typesOf(visit)
    const [repo, events] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      visit.call(listEvents, {
        repo: name,
        ...(types ? { types } : {}),
        ...(before ? { before } : {}),
        per_page: 50,
      }),
    ])
    const titles = await visit.tryCall(listEventTitles, {
      repo: name,
      events: events.items.map(({ id }) => id),
    })
    return { repo, events, before, titles }
  },
  view: ({ repo, events, before, titles }, visit) => {
    const here = repoPath(repo.full_name, '/activity')
    const kind = kindOf(visit)
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Activity')} current="activity">
        <PageHead title={t('Activity')} />
        <ActivityTabs repo={repo.full_name} current="activity" />
        <KindFilter visit={visit} here={here} />
        <EventList
          events={events.items}
          titles={new Map(titles?.items.map(({ id, title }) => [id, title]))}
          empty={kind === undefined ? t('Nothing has happened yet') : t('No events of this kind')}
        />
        <Pager
          newer={before ? withQuery(here, { kind }) : null}
          older={events.next === null ? null : withQuery(here, { kind, before: events.next })}
          label={t('Events')}
        />
      </RepoFrame>
    )
  },
})
