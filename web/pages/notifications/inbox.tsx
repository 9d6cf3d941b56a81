import {
  listNotifications,
  markAllNotifications,
  markNotification,
  type Notification,
} from '#features/notifications/index.ts'
import {
  ActionButton,
  Avatar,
  Button,
  CheckState,
  Chip,
  EmptyState,
  FilterBar,
  Icon,
  LinkButton,
  List,
  PageHead,
  Pager,
  pullStateStyle,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import { sentenceCase } from '../../format.ts'
import { localPath, repoPath, withQuery } from '../../paths.ts'
import {
  action,
  redirectWithFlash,
  page,
  redirect,
  safeRedirectPath,
  type Visit,
} from '../../site.ts'
import { Shell } from '../shell.tsx'
import { URGENT_REASONS, iconOfKind, labelOfKind, SHORT_REASONS, titleOf } from './reasons.ts'
import { localized, t } from '../../text.ts'
import { eventLine } from '../../messages.ts'

const HOME = '/notifications'
const VIEWS = ['unread', 'all', 'done'] as const
type View = (typeof VIEWS)[number]

const viewOf = (visit: Visit): View =>
  VIEWS.find((view) => view === visit.url.searchParams.get('view')) ?? 'unread'

const Mark = ({
  one,
  state,
  children,
  visit,
  here,
  hotkey,
}: {
  one: Notification
  state: 'unread' | 'read' | 'done'
  children: string
  visit: Visit
  here: string
  hotkey?: string
}) => (
  <ActionButton
    action={`${HOME}/mark`}
    csrf={visit.csrf}
    values={{ id: one.id, state, back: here }}
  >
    <Button small variant="quiet" rowKey={hotkey} label={`${children}: ${titleOf(one.subject)}`}>
      {children}
    </Button>
  </ActionButton>
)

const NotificationRow = ({
  one,
  visit,
  here,
}: {
  one: Notification
  visit: Visit
  here: string
}) => (
  <Row
    mark={
      <span class={one.unread ? 'tone-info' : 'tone-plain'}>
        <Icon name={iconOfKind(one.subject.kind)} label={one.unread ? t('Unread') : t('Read')} />
      </span>
    }
    title={
      <form class="form-button" action={`${HOME}/open`} method="post">
        <input type="hidden" name="csrf" value={visit.csrf} />
        <input type="hidden" name="id" value={one.id} />
        <button type="submit" class={['row-link', 'title-button', !one.unread && 'is-read']}>
          {titleOf(one.subject)}
        </button>
      </form>
    }
    meta={
      <>
        <a href={localPath(one.subject.url)}>
          {one.subject.number === null
            ? labelOfKind(one.subject.kind)
            : `${one.repo ?? ''}#${one.subject.number}`}
        </a>
        <Chip tone={URGENT_REASONS.has(one.reason) ? 'wait' : undefined}>
          {sentenceCase(SHORT_REASONS[one.reason])}
        </Chip>
        <SubjectState subject={one.subject} />
        <RelativeTime at={one.updated_at} />
      </>
    }
    end={
      <>
        <Mark one={one} state={one.unread ? 'read' : 'unread'} visit={visit} here={here} hotkey="r">
          {one.unread ? t('Mark read') : t('Mark unread')}
        </Mark>
        {!one.done && (
          <Mark one={one} state="done" visit={visit} here={here} hotkey="e">
            {t('Done')}
          </Mark>
        )}
      </>
    }
  >
    {one.happened && one.happened.summary !== one.subject.title && (
      <Happened happened={one.happened} />
    )}
  </Row>
)

/** Who did what last, with the beginning of what they wrote. */
const Happened = ({
  happened: { actor, summary, excerpt },
}: {
  happened: NonNullable<Notification['happened']>
}) => (
  <p class="row-text notice-line">
    {actor && <Avatar of={actor} />}{' '}
    <span>
      {eventLine(summary)}
      {excerpt !== null && <>: “{excerpt}”</>}
    </span>
  </p>
)

/** Whether it is closed or merged, and what reviews and checks say. */
const SubjectState = ({
  subject: { state, review, checks, kind },
}: {
  subject: Notification['subject']
}) => (
  <>
    {state !== null && state !== 'open' && (
      <Chip>{kind === 'pull' ? pullStateStyle(state).label : t('Closed')}</Chip>
    )}
    {review !== null && (
      <span class={review === 'approved' ? 'tone-good' : 'tone-bad'}>
        <Icon name={review === 'approved' ? 'check' : 'close'} size={14} />{' '}
        {review === 'approved' ? t('Approved') : t('Changes requested')}
      </span>
    )}
    {checks !== null && <CheckState status={checks} />}
  </>
)

const EMPTY: Readonly<Record<View, readonly [title: string, words: string]>> = localized({
  unread: [
    'No unread notifications',
    'Mentions, assignments, requested reviews and activity that you watch appear here.',
  ],
  all: ['No notifications', 'Notifications stay here until you mark them as done.'],
  done: ['No notifications done', 'Notifications that are done stay here for 90 days.'],
})

/** Marks everything up to the newest that is shown. */
const MarkAll = ({
  visit,
  view,
  repo,
  before,
  back,
}: {
  visit: Visit
  view: View
  repo: string
  before: string
  back: string
}) => (
  <>
    {view === 'unread' && (
      <ActionButton
        action={`${HOME}/mark-all`}
        csrf={visit.csrf}
        values={{ state: 'read', before, repo, back }}
      >
        <Button icon="check">{t('Mark all read')}</Button>
      </ActionButton>
    )}
    <ActionButton
      action={`${HOME}/mark-all`}
      csrf={visit.csrf}
      values={{ state: 'done', before, repo, back }}
    >
      <Button>{t('Mark all done')}</Button>
    </ActionButton>
  </>
)

const Views = ({ view, repo }: { view: View; repo: string }) => (
  <FilterBar
    label={t('Filter')}
    filters={[
      {
        label: t('Unread'),
        href: withQuery(HOME, { repo }),
        icon: 'inbox',
        current: view === 'unread',
        hotkey: 'g u',
      },
      {
        label: t('All'),
        href: withQuery(HOME, { view: 'all', repo }),
        current: view === 'all',
        hotkey: 'g a',
      },
      {
        label: t('Done'),
        href: withQuery(HOME, { view: 'done', repo }),
        icon: 'check',
        current: view === 'done',
        hotkey: 'g d',
      },
    ]}
  >
    {repo !== '' && (
      <LinkButton
        href={withQuery(HOME, { view: view === 'unread' ? undefined : view })}
        small
        icon="close"
      >
        {t('Only {repo}', { repo })}
      </LinkButton>
    )}
  </FilterBar>
)

/** The notifications of one repository; `name` is null for those that are of none. */
const Group = ({
  name,
  items,
  visit,
  here,
  view,
  repo,
}: {
  name: string | null
  items: readonly Notification[]
  visit: Visit
  here: string
  view: View
  repo: string
}) => (
  <List
    label={name ?? t('For you')}
    head={
      <h2>
        {name === null ? (
          t('For you')
        ) : (
          <>
            <a href={repoPath(name)}>{name}</a>{' '}
            {repo === '' && (
              <a
                class="muted small"
                href={withQuery(HOME, {
                  view: view === 'unread' ? undefined : view,
                  repo: name,
                })}
              >
                {t('Show only this repository')}
              </a>
            )}
          </>
        )}
      </h2>
    }
  >
    {items.map((one) => (
      <NotificationRow one={one} visit={visit} here={here} />
    ))}
  </List>
)

export const notificationsPage = page({
  path: HOME,
  load: async (visit) => {
    const view = viewOf(visit)
    const repo = visit.url.searchParams.get('repo') ?? ''
    const before = visit.url.searchParams.get('before')
    const list = await visit.call(listNotifications, {
      ...(view === 'unread' ? { unread: true } : view === 'done' ? { done: true } : {}),
      ...(repo ? { repo } : {}),
      ...(before ? { before } : {}),
      per_page: 50,
    })
    return { view, repo, before, list }
  },
  view: ({ view, repo, before, list }, visit) => {
    const at = (change: Record<string, string | undefined> = {}) =>
      withQuery(HOME, { view: view === 'unread' ? undefined : view, repo, ...change })
    const here = at({ before: before ?? undefined })
    const groups = [...Map.groupBy(list.items, (one) => one.repo)]
    const [newest] = list.items
    return (
      <Shell visit={visit} title={t('Notifications')} noindex inPlace>
        <PageHead
          title={t('Notifications')}
          actions={
            <>
              {newest && view !== 'done' && (
                <MarkAll
                  visit={visit}
                  view={view}
                  repo={repo}
                  before={newest.updated_at}
                  back={at()}
                />
              )}
              <LinkButton
                href="/settings/notifications"
                icon="settings"
                label={t('Notification settings')}
              />
            </>
          }
        />
        <Views view={view} repo={repo} />
        {list.items.length === 0 ? (
          <EmptyState icon={view === 'unread' ? 'check-circle' : 'inbox'} title={EMPTY[view][0]}>
            {EMPTY[view][1]}
          </EmptyState>
        ) : (
          <div class="stack">
            {groups.map(([name, items]) => (
              <Group name={name} items={items} visit={visit} here={here} view={view} repo={repo} />
            ))}
          </div>
        )}
        <Pager
          newer={before ? at() : null}
          older={list.next === null ? null : at({ before: list.next })}
          label={t('Notifications')}
        />
      </Shell>
    )
  },
})

const back = (fields: { text(name: string): string }): string =>
  safeRedirectPath(fields.text('back')) ?? HOME

/**
 * Opens a notification and marks it as read. It is a form and not a link, because links must not
 * change anything.
 */
export const openNotificationForm = action({
  path: `${HOME}/open`,
  submit: async (visit, fields) => {
    const { subject } = await visit.call(markNotification, { id: fields.text('id'), state: 'read' })
    return redirect(localPath(subject.url))
  },
})

export const markNotificationForm = action({
  path: `${HOME}/mark`,
  submit: async (visit, fields) => {
    const state = fields.text('state')
    await visit.call(markNotification, {
      id: fields.text('id'),
      state: state === 'unread' || state === 'done' ? state : 'read',
    })
    return back(fields)
  },
})

/** Notifications that are newer than the page stay unread. */
export const markAllForm = action({
  path: `${HOME}/mark-all`,
  submit: async (visit, fields) => {
    const before = fields.optional('before')
    const repo = fields.optional('repo')
    await visit.call(markAllNotifications, {
      state: fields.text('state') === 'done' ? 'done' : 'read',
      ...(before ? { before } : {}),
      ...(repo ? { repo } : {}),
    })
    return redirectWithFlash(visit, back(fields), 'notifications-marked')
  },
})
