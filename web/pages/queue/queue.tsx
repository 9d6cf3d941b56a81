/**
 * The merge queue of a branch: waiting entries in order, and recent ones. The page is complete
 * without the browser script; with it, it is loaded again when the queue changes.
 */
import {
  leaveMergeQueue,
  getMergeQueue,
  moveInMergeQueue,
  pauseMergeQueue,
  resumeMergeQueue,
  type MergeQueue,
  type QueueEntry,
} from '#features/queue/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Button,
  Card,
  CheckState,
  Duration,
  EmptyState,
  Field,
  Form,
  FormActions,
  FormError,
  List,
  LinkButton,
  Notice,
  PageHead,
  ActorLink,
  RelativeTime,
  Row,
  Tabs,
} from '../../components/index.ts'
import { shortSha } from '../../format.ts'
import type { Html } from '../../jsx/html.ts'
import { commitPath, pullPath, repoPath, withQuery } from '../../paths.ts'
import { action, redirectWithFlash, page, type Visit } from '../../site.ts'
import { RepoFrame, numberOf, repoOf } from '../repos/frame.tsx'
import { fieldError, visitForForm, formError } from '../shell.tsx'
import { queuePath } from './box.tsx'
import { rich, t, texts } from '../../text.ts'

/** A hash of what the page shows of the queue. */
export const stateOf = ({ enabled, paused, waiting, recent }: MergeQueue): string =>
  Bun.hash(
    JSON.stringify([
      enabled,
      paused,
      waiting.map(({ id, state, attempt, note, checks }) => [
        id,
        state,
        attempt,
        note,
        checks.status,
      ]),
      recent[0]?.id,
    ]),
  ).toString(36)

const baseOf = ({ url }: Pick<Visit, 'url'>): string | undefined =>
  url.searchParams.get('base') ?? undefined

const REASONS: Readonly<Record<string, string>> = texts({
  checks_failed: 'its checks failed',
  timed_out: 'its checks took too long',
  conflicts: 'conflicts',
  base_moved: 'the base kept moving',
  head_moved: 'it was pushed to',
  closed: 'it was closed',
  draft: 'it is a draft again',
  left: 'it was taken out',
  queue_disabled: 'the queue was turned off',
  approvals_missing: 'an approval is missing',
  changes_requested: 'changes were requested',
})

type Rights = { readonly own: boolean; readonly write: boolean; readonly maintain: boolean }

/** The progress of the commands of its candidate. Passed ones are part of the state. */
const Test = ({ entry, repo }: { entry: QueueEntry; repo: Repo }) => {
  const { checks } = entry
  if (checks.results.length === 0 || checks.status === 'passed') return null
  const done = checks.results.filter(({ status }) => !['queued', 'running'].includes(status)).length
  const broken = checks.results.find(({ status }) => status === 'failed' || status === 'errored')
  return (
    <>
      {checks.status === 'pending' && (
        <span>
          {rich('{done} of {results} commands', { done, results: checks.results.length })}
        </span>
      )}
      {checks.status !== 'pending' && entry.position !== null && (
        <CheckState status={checks.status} />
      )}
      {broken?.log_url != null && (
        <a href={`${pullPath(repo.full_name, entry.pull.number, 'checks')}/${broken.id}.log`}>
          {t('Output')}
        </a>
      )}
    </>
  )
}

/** Buttons that move an entry by one place or remove it. */
const Moves = ({
  entry,
  visit,
  here,
  last,
  rights,
}: {
  entry: QueueEntry
  visit: Visit
  here: string
  last: number
  rights: Rights
}) => {
  const position = entry.position ?? 0
  const { number } = entry.pull
  const move = (
    to: number,
    label: string,
    icon: 'chevron-up' | 'chevron-down',
    disabled: boolean,
  ) => (
    <ActionButton
      action={`${here}/move`}
      csrf={visit.csrf}
      values={{ number: String(number), position: String(to), base: baseOf(visit) ?? '' }}
    >
      <Button small variant="quiet" icon={icon} label={`${label} #${number}`} disabled={disabled} />
    </ActionButton>
  )
  return (
    <>
      {rights.maintain && move(position - 1, t('Move up'), 'chevron-up', position <= 1)}
      {rights.maintain && move(position + 1, t('Move down'), 'chevron-down', position >= last)}
      {(rights.write || rights.own) && (
        <ActionButton
          action={`${here}/leave`}
          csrf={visit.csrf}
          values={{ number: String(number), base: baseOf(visit) ?? '' }}
        >
          <Button small label={t('Remove #{number} from the queue', { number })}>
            {t('Remove')}
          </Button>
        </ActionButton>
      )}
    </>
  )
}

const Waiting = ({
  entry,
  repo,
  visit,
  here,
  last,
  rights,
}: {
  entry: QueueEntry
  repo: Repo
  visit: Visit
  here: string
  last: number
  rights: Rights
}) => (
  <Row
    mark={<span class="nums strong">{entry.position}</span>}
    title={
      <a class="row-link" href={pullPath(repo.full_name, entry.pull.number)}>
        {entry.pull.title} <span class="muted">#{entry.pull.number}</span>
      </a>
    }
    meta={
      <>
        <CheckState status={entry.state} />
        <Test entry={entry} repo={repo} />
        <span>
          {rich('by {actor}, {time}', {
            actor: <ActorLink of={entry.queued_by} face={false} />,
            time: <RelativeTime at={entry.queued_at} />,
          })}
        </span>
        {entry.candidate_sha !== null && (
          <span>
            {rich('as {candidate_sha}', {
              candidate_sha: <code>{shortSha(entry.candidate_sha)}</code>,
            })}
          </span>
        )}
        {entry.attempt > 1 && (
          <span>{rich('attempt {attempt} of 3', { attempt: entry.attempt })}</span>
        )}
        {entry.estimated_at !== null && (
          <span>{rich('lands {time}', { time: <RelativeTime at={entry.estimated_at} /> })}</span>
        )}
        {entry.note !== null && <span>{entry.note}</span>}
      </>
    }
    end={<Moves entry={entry} visit={visit} here={here} last={last} rights={rights} />}
  />
)

const Settled = ({ entry, repo }: { entry: QueueEntry; repo: Repo }) => (
  <Row
    mark={<CheckState status={entry.state === 'failed' ? 'errored' : entry.state} bare />}
    title={
      <a class="row-link" href={pullPath(repo.full_name, entry.pull.number)}>
        {entry.pull.title} <span class="muted">#{entry.pull.number}</span>
      </a>
    }
    meta={
      <>
        {entry.state === 'landed' && entry.candidate_sha !== null ? (
          <span>
            {rich('landed as {a}', {
              a: (
                <a href={commitPath(repo.full_name, entry.candidate_sha)}>
                  <code>{shortSha(entry.candidate_sha)}</code>
                </a>
              ),
            })}
          </span>
        ) : (
          <span>
            {rich('removed: {note}', {
              note: entry.note ?? REASONS[entry.reason ?? ''] ?? entry.reason,
            })}
          </span>
        )}
        {entry.settled_at !== null && <RelativeTime at={entry.settled_at} />}
        {entry.settled_at !== null && (
          <span>
            {t('after')}{' '}
            <Duration milliseconds={Date.parse(entry.settled_at) - Date.parse(entry.queued_at)} />
          </span>
        )}
        <Test entry={entry} repo={repo} />
      </>
    }
  />
)

/** The hidden field with the branch of a form. */
const BaseField = ({ visit }: { visit: Visit }) => (
  <input type="hidden" name="base" value={baseOf(visit) ?? ''} />
)

const Pause = ({ visit, here }: { visit: Visit; here: string }) => {
  const at = `${here}/pause`
  return (
    <details class="more" open={visit.url.pathname === at}>
      <summary>{t('Pause the queue')}</summary>
      <Form
        action={at}
        csrf={visit.csrf}
        label={t('Pause the queue')}
        error={formError(visitForForm(visit, at), 'reason')}
      >
        <BaseField visit={visit} />
        <Field
          name="reason"
          label={t('Why')}
          required
          maxlength={1_000}
          hint={t('Everybody sees it. Tests go on; nothing lands.')}
          value={visitForForm(visit, at).form.values.text('reason')}
          error={fieldError(visit, 'reason')}
        />
        <FormActions>
          <Button icon="stop">{t('Pause')}</Button>
        </FormActions>
      </Form>
    </details>
  )
}

const Paused = ({
  paused,
  visit,
  here,
  mayResume,
}: {
  paused: NonNullable<MergeQueue['paused']>
  visit: Visit
  here: string
  mayResume: boolean
}) => (
  <Notice kind="wait" title={t('Paused')}>
    <p>
      {rich('{actor} paused the queue {time}: {reason}', {
        actor: <ActorLink of={paused.by} face={false} />,
        time: <RelativeTime at={paused.at} />,
        reason: paused.reason,
      })}
    </p>
    {mayResume && (
      <Form action={`${here}/resume`} csrf={visit.csrf} label={t('Resume the queue')} inline>
        <BaseField visit={visit} />
        <Button small icon="play">
          {t('Resume')}
        </Button>
      </Form>
    )}
  </Notice>
)

const WaitingList = ({
  visit,
  repo,
  here,
  queue,
  rightsFor,
}: {
  visit: Visit
  repo: Repo
  here: string
  queue: MergeQueue
  rightsFor: (entry: QueueEntry) => Rights
}) => (
  <List label={t('Waiting')}>
    {queue.waiting.map((entry) => (
      <Waiting
        entry={entry}
        repo={repo}
        visit={visit}
        here={here}
        last={queue.waiting.length}
        rights={rightsFor(entry)}
      />
    ))}
  </List>
)

const RecentList = ({ repo, queue }: { repo: Repo; queue: MergeQueue }) => (
  <List label={t('Recently landed or removed')}>
    {queue.recent.map((entry) => (
      <Settled entry={entry} repo={repo} />
    ))}
  </List>
)

const BaseTabs = ({
  repo,
  bases,
  queue,
}: {
  repo: Repo
  bases: readonly string[]
  queue: MergeQueue
}) => (
  <Tabs
    label={t('Branches')}
    tabs={bases.map((base) => ({
      label: base,
      href: queuePath(repo, base),
      icon: 'branch' as const,
      current: base === queue.base,
    }))}
  />
)

const EmptyQueue = ({ repo, enabled }: { repo: Repo; enabled: boolean }) => (
  <EmptyState
    icon="queue"
    title={t('The queue is empty')}
    actions={
      enabled && (
        <LinkButton href={repoPath(repo.full_name, '/pulls')} icon="pull">
          {t('Open pull requests')}
        </LinkButton>
      )
    }
  >
    {enabled && t('Merging a pull request puts it here.')}
  </EmptyState>
)

type QueueProps = { visit: Visit; repo: Repo; queue: MergeQueue }

/** What a live page replaces: notices, the waiting pull requests and the recent ones. */
const QueueState = ({ visit, repo, queue }: QueueProps) => {
  const here = repoPath(repo.full_name, '/queue')
  const open = visit.viewer !== null && !repo.archived
  const { write, maintain } = repo.permissions
  const rightsFor = (entry: QueueEntry): Rights => ({
    own: open && entry.queued_by.id === visit.viewer?.id,
    write: open && write,
    maintain: open && maintain,
  })
  const refused = [`${here}/move`, `${here}/leave`, `${here}/resume`]
    .map((at) => formError(visitForForm(visit, at)))
    .find((message) => message !== null)
  return (
    <>
      {refused !== undefined && <FormError>{refused}</FormError>}
      {!queue.enabled && (
        <Notice kind="info">
          {maintain
            ? rich('Merging does not go through the queue. <a>Turn it on in the settings</a>', {
                a: (inner) => <a href={repoPath(repo.full_name, '/settings')}>{inner}</a>,
              })
            : t('Merging does not go through the queue.')}
        </Notice>
      )}
      {queue.paused && (
        <Paused paused={queue.paused} visit={visit} here={here} mayResume={open && maintain} />
      )}
      {queue.waiting.length === 0 ? (
        <EmptyQueue repo={repo} enabled={queue.enabled} />
      ) : (
        <WaitingList visit={visit} repo={repo} here={here} queue={queue} rightsFor={rightsFor} />
      )}
      {queue.waiting.length > 0 && (
        <noscript>
          <p class="muted small">{t('Reload this page to see the progress.')}</p>
        </noscript>
      )}
      {open && maintain && queue.enabled && !queue.paused && (
        <Card>
          <Pause visit={visit} here={here} />
        </Card>
      )}
      {queue.recent.length > 0 && (
        <>
          <PageHead level={2} title={t('Recent')} />
          <RecentList repo={repo} queue={queue} />
        </>
      )}
    </>
  )
}

const QueueView = ({ visit, repo, queue }: QueueProps): Html => {
  const here = repoPath(repo.full_name, '/queue')
  const maintain = visit.viewer !== null && !repo.archived && repo.permissions.maintain
  const bases = [...new Set([repo.default_branch, queue.base, ...queue.bases])]
  return (
    <RepoFrame visit={visit} repo={repo} title={t('Merge queue')} current="queue">
      <PageHead
        title={t('Merge queue')}
        lead={rich('What lands on {base}, each tested on top of those before it.', {
          base: <code>{queue.base}</code>,
        })}
        actions={
          maintain ? (
            <LinkButton href={repoPath(repo.full_name, '/settings')} icon="settings">
              {t('Settings')}
            </LinkButton>
          ) : undefined
        }
      />
      {bases.length > 1 && <BaseTabs repo={repo} bases={bases} queue={queue} />}
      <div
        class="stack"
        id="queue"
        data-live={withQuery(`${here}/live`, { base: baseOf(visit), state: stateOf(queue) })}
        data-said={t('The queue has changed')}
      >
        <QueueState visit={visit} repo={repo} queue={queue} />
      </div>
    </RepoFrame>
  )
}

export const queuePage = page({
  path: '/:workspace/:repo/queue',
  load: async (visit) => {
    const base = visit.form.values.optional('base') ?? baseOf(visit)
    const [repo, queue] = await Promise.all([
      visit.call(getRepo, { repo: repoOf(visit) }),
      visit.call(getMergeQueue, { repo: repoOf(visit), ...(base === undefined ? {} : { base }) }),
    ])
    return { repo, queue }
  },
  view: (shown, visit) => <QueueView visit={visit} {...shown} />,
})

/** Redirects to the queue of the branch of the form. */
const backTo = (visit: Visit, base: string | undefined): string =>
  withQuery(repoPath(repoOf(visit), '/queue'), { base })
const PATH = '/:workspace/:repo/queue'

const pauseForm = action({
  path: `${PATH}/pause`,
  page: queuePage,
  submit: async (visit, fields) => {
    const base = fields.optional('base')
    await visit.call(pauseMergeQueue, {
      repo: repoOf(visit),
      reason: fields.text('reason'),
      ...(base === undefined ? {} : { base }),
    })
    return redirectWithFlash(visit, backTo(visit, base), 'queue-paused')
  },
})

const resumeForm = action({
  path: `${PATH}/resume`,
  page: queuePage,
  submit: async (visit, fields) => {
    const base = fields.optional('base')
    await visit.call(resumeMergeQueue, {
      repo: repoOf(visit),
      ...(base === undefined ? {} : { base }),
    })
    return redirectWithFlash(visit, backTo(visit, base), 'queue-resumed')
  },
})

const moveForm = action({
  path: `${PATH}/move`,
  page: queuePage,
  submit: async (visit, fields) => {
    await visit.call(moveInMergeQueue, {
      repo: repoOf(visit),
      number: Number(fields.text('number')),
      position: Number(fields.text('position')),
    })
    return redirectWithFlash(visit, backTo(visit, fields.optional('base')), 'queue-moved')
  },
})

const leaveForm = action({
  path: `${PATH}/leave`,
  page: queuePage,
  submit: async (visit, fields) => {
    await visit.call(leaveMergeQueue, {
      repo: repoOf(visit),
      number: Number(fields.text('number')),
    })
    return redirectWithFlash(visit, backTo(visit, fields.optional('base')), 'queue-left')
  },
})

/** Sent from the page of the pull request. */
const leaveFromPullForm = action({
  path: '/:workspace/:repo/pull/:number/leave-queue',
  submit: async (visit) => {
    const number = numberOf(visit) ?? 0
    await visit.call(leaveMergeQueue, { repo: repoOf(visit), number })
    return redirectWithFlash(visit, pullPath(repoOf(visit), number), 'queue-left')
  },
})

export const queueForms = [pauseForm, resumeForm, moveForm, leaveForm, leaveFromPullForm]
