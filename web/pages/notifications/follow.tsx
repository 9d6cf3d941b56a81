// The buttons for watching, starring and subscribing. `follow-forms.ts` has their forms.
import {
  LEVELS,
  repoStandingOf,
  type IssueSubscription,
  type Level,
} from '#features/notifications/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { ActionButton, Button, CsrfField, Icon, Menu, SideBlock } from '../../components/index.ts'
import { repoPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { localized, t, texts } from '../../text.ts'

const WATCHING: Readonly<Record<Level, readonly [label: string, hint: string]>> = localized({
  participating: ['Participating and mentions', 'Mentions, assignments, and what you take part in'],
  all: ['Everything', 'Every issue, pull request and release'],
  releases: ['Releases', 'Participating, mentions and releases'],
  ignored: ['Nothing', 'Not even mentions'],
})

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
  // The accessible name starts with the visible text.
  const shown =
    level === 'ignored' ? t('Ignoring') : level === 'participating' ? t('Watch') : t('Watching')
  return (
    <>
      <Menu
        label={`${shown}: ${WATCHING[level][0]}`}
        button
        summary={
          <span>
            <Icon name="eye" /> {shown}
          </span>
        }
        items={LEVELS.map((one) => ({
          label: WATCHING[one][0],
          form: (
            <form action={repoPath(repo.full_name, '/subscription')} method="post" data-once>
              <CsrfField csrf={visit.csrf} />
              <input type="hidden" name="level" value={one} />
              <input type="hidden" name="back" value={here} />
              <button
                type="submit"
                class="menu-button"
                aria-pressed={one === level ? 'true' : 'false'}
              >
                <span>
                  {WATCHING[one][0]}
                  <span class="menu-hint">{WATCHING[one][1]}</span>
                </span>
                {one === level && <Icon name="check" />}
              </button>
            </form>
          ),
        }))}
      />
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
