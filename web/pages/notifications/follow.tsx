// The buttons for watching, starring and subscribing. `follow-forms.ts` has their forms.
import {
  LEVELS,
  repoStandingOf,
  type IssueSubscription,
  type Level,
} from '#features/notifications/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { ActionButton, Button, Icon, Menu, SideBlock } from '../../components/index.ts'
import { repoPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { localized, t, texts } from '../../text.ts'

const WATCHING: Readonly<Record<Level, readonly [label: string, hint: string]>> = localized({
  participating: ['Participating and mentions', 'Mentions, assignments, and what you take part in'],
  all: ['Everything', 'Every issue, pull request and release'],
  releases: ['Releases', 'Participating, mentions and releases'],
  ignored: ['Nothing', 'Not even mentions'],
})

/** The id of the form that the levels of watching share. */
const WATCH_FORM = 'watch'

const WatchLevel = ({ level, isChosen }: { level: Level; isChosen: boolean }) => (
  <button
    type="submit"
    form={WATCH_FORM}
    name="level"
    value={level}
    class="menu-button"
    aria-pressed={isChosen ? 'true' : 'false'}
  >
    <span>
      {WATCHING[level][0]}
      <span class="menu-hint">{WATCHING[level][1]}</span>
    </span>
    {isChosen && <Icon name="check" />}
  </button>
)

type WatchProps = { visit: Visit; repo: string; level: Level; back: string }

const WatchMenu = ({ visit, repo, level, back }: WatchProps) => {
  // The accessible name starts with the visible text.
  const shown =
    level === 'ignored' ? t('Ignoring') : level === 'participating' ? t('Watch') : t('Watching')
  return (
    <Menu
      label={`${shown}: ${WATCHING[level][0]}`}
      button
      summary={
        <span>
          <Icon name="eye" /> {shown}
        </span>
      }
      items={LEVELS.map((one, at) => ({
        label: WATCHING[one][0],
        form: (
          <>
            {at === 0 && (
              <ActionButton
                id={WATCH_FORM}
                action={repoPath(repo, '/subscription')}
                csrf={visit.csrf}
                values={{ back }}
              />
            )}
            <WatchLevel level={one} isChosen={one === level} />
          </>
        ),
      }))}
    />
  )
}

/** Watch and star in the header of a repository. Anonymous visitors see the number of stars. */
export const RepoFollow = ({ visit, repo }: { visit: Visit; repo: Repo }) => {
  const { viewer } = visit
  if (viewer === null)
    return repo.stars_count === 0 ? null : (
      <span class="muted nums">
        <Icon name="star" label={t('Stars')} /> {repo.stars_count}
      </span>
    )
  const { starred, level } = repoStandingOf(visit.hearth, viewer, repo.id)
  const here =
    visit.request.method === 'GET'
      ? visit.url.pathname + visit.url.search
      : repoPath(repo.full_name)
  return (
    <>
      <WatchMenu visit={visit} repo={repo.full_name} level={level} back={here} />
      <ActionButton
        action={repoPath(repo.full_name, '/star')}
        csrf={visit.csrf}
        values={{ star: starred ? 'no' : 'yes', back: here }}
      >
        <Button icon="star">{`${starred ? t('Starred') : t('Star')}${repo.stars_count > 0 ? ` ${repo.stars_count}` : ''}`}</Button>
      </ActionButton>
    </>
  )
}

const WHY: Readonly<Record<NonNullable<IssueSubscription['reason']>, string>> = texts({
  author: 'You opened this.',
  assigned: 'You are assigned.',
  review_requested: 'Your review was requested.',
  mention: 'You were mentioned.',
  team_mention: 'A team of yours was mentioned.',
  commented: 'You commented.',
  subscribed: 'You follow this.',
})

/** The subscription to an issue or pull request. `at` is its address. */
export const Following = ({
  visit,
  subscription,
  at,
}: {
  visit: Visit
  subscription: IssueSubscription | null
  at: string
}) =>
  subscription === null ? null : (
    <SideBlock title={t('Notifications')}>
      <ActionButton
        action={`${at}/subscription`}
        csrf={visit.csrf}
        values={{ subscribed: subscription.subscribed ? 'no' : 'yes' }}
      >
        <Button small icon="bell">
          {subscription.subscribed ? t('Unsubscribe') : t('Subscribe')}
        </Button>
      </ActionButton>
      <p class="muted small">
        {subscription.reason === null
          ? t('You are notified only when you are mentioned.')
          : WHY[subscription.reason]}
      </p>
    </SideBlock>
  )
