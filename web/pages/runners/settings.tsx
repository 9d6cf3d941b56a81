// Runners elsewhere: who they are, what jobs wait for, and how to add one.
import {
  localJobs,
  runnerCommands,
  type LocalJobs,
  type QueuedLabels,
  type Runner,
} from '#features/runners/index.ts'
import {
  Button,
  Card,
  Checkbox,
  Chip,
  Commands,
  EmptyState,
  Field,
  Form,
  FormActions,
  Icon,
  List,
  PageHead,
  RelativeTime,
  Row,
  TokenSecret,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import {
  action,
  page,
  pageResponse,
  redirectWithFlash,
  type Fields,
  type Form as SiteForm,
  type Page,
  type Visit,
} from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import {
  isWholeRow,
  loadPage,
  onSamePage,
  RowSteps,
  wholeRowHref,
  type ListPage,
} from '../row-form.tsx'
import { fieldError, formError } from '../shell.tsx'
import {
  BASE,
  callsOf,
  loadOwner,
  runnersPath,
  type OwnerKind,
  type RunnersOwner,
} from './owner.tsx'
import { LocalNotice } from './local-notice.tsx'
import { RunnerRow } from './runner-row.tsx'

/** Where Gitea's runner is downloaded. */
const DOWNLOADS = 'https://dl.gitea.com/gitea-runner/'

type Made = { readonly name: string; readonly token: string; readonly labels: readonly string[] }
type Shown = {
  readonly owner: RunnersOwner
  readonly runners: ListPage<Runner>
  readonly queue: readonly QueuedLabels[]
  readonly local: LocalJobs
}

const QueueRow = ({ item }: { item: QueuedLabels }) => (
  <Row
    mark={<Icon name={item.served ? 'clock' : 'warning'} />}
    title={item.labels.map((label) => <Chip>{label}</Chip>)}
    meta={
      <>
        <span>{tn('{count} job waits', '{count} jobs wait', item.jobs)}</span>
        <span>{rich('since {time}', { time: <RelativeTime at={item.since} /> })}</span>
        <span>
          {item.served ? t('A runner has these labels') : t('No runner has these labels')}
        </span>
      </>
    }
  />
)

const Queue = ({ queue }: { queue: Shown['queue'] }) => (
  <>
    <PageHead
      level={2}
      title={t('Waiting jobs')}
      lead={t('What queued jobs ask for with runs-on, the longest waiting first.')}
    />
    {queue.length === 0 ? (
      <p class="muted">{t('No job waits for a runner.')}</p>
    ) : (
      <List label={t('Waiting jobs')}>
        {queue.map((item) => (
          <QueueRow item={item} />
        ))}
      </List>
    )}
  </>
)

const MadeCard = ({ visit, made }: { visit: Visit; made: Made }) => (
  <>
    <TokenSecret secret={made.token}>
      {rich('This is the registration token of the runner {name}. It works once, for seven days.', {
        name: made.name,
      })}
    </TokenSecret>
    <Card title={t('Start the runner')}>
      <p>
        {rich(
          "Run these commands on the machine, with <d>Gitea's runner</d> 1.0 or later; Forgejo's takes the same as forgejo-runner. A job runs there when its runs-on names labels of the runner. <a>Runners</a> in the guide says more.",
          {
            d: (inner) => <a href={DOWNLOADS}>{inner}</a>,
            a: (inner) => <a href="/docs/runners">{inner}</a>,
          },
        )}
      </p>
      <Commands>{runnerCommands(visit.hearth.settings.site_url, made)}</Commands>
      <p class="muted small">
        {t(
          "A label that ends in :host gives jobs the rights of the runner's account on its machine.",
        )}
      </p>
    </Card>
  </>
)

const AddCard = ({ visit, here, typed }: { visit: Visit; here: string; typed: Fields | null }) => (
  <Card title={t('Add a runner')}>
    <Form action={here} csrf={visit.csrf} error={formError(visit, 'name', 'labels')}>
      <Field
        name="name"
        label={t('Name')}
        required
        maxlength={100}
        hint={t('What people call the machine.')}
        value={typed?.text('name') ?? ''}
        error={fieldError(visit, 'name')}
      />
      <Field
        name="labels"
        label={t('Labels')}
        mono
        hint={t(
          'Jobs choose a runner by these labels with runs-on. Left empty, the labels that the runner declares.',
        )}
        value={typed?.text('labels') ?? ''}
        error={fieldError(visit, 'labels') ?? labelError(visit)}
      />
      <Checkbox
        name="ephemeral"
        label={t('Ephemeral: remove the runner after one job')}
        checked={typed?.ticked('ephemeral')}
      />
      <Checkbox
        name="accepts_untrusted"
        label={t('Run approved changes by people without Write')}
        hint={t('Only for machines that are thrown away after each job.')}
        checked={typed?.ticked('accepts_untrusted')}
      />
      <FormActions>
        <Button variant="primary" icon="plus">
          {t('Add runner')}
        </Button>
      </FormActions>
    </Form>
  </Card>
)

/** An error of one label names its place in the list. */
const labelError = ({ form: { error } }: Visit): string | null =>
  error?.field?.startsWith('labels[') ? error.message : null

type ViewProps = Shown & {
  readonly visit: Visit
  readonly kind: OwnerKind
  readonly made: Made | null
}

const RunnersView = ({ visit, kind, owner, runners, queue, local, made }: ViewProps): Html => {
  const here = runnersPath(kind, visit)
  return owner.frame(
    <>
      {made && <MadeCard visit={visit} made={made} />}
      <LocalNotice local={local} />
      {runners.items.length === 0 ? (
        <EmptyState icon="activity" title={t('No runners yet')}>
          {rich(
            "Add one below, and start Gitea's or Forgejo's runner on the machine with its token. <a>How runners work</a>",
            { a: (inner) => <a href="/docs/runners">{inner}</a> },
          )}
        </EmptyState>
      ) : (
        <List label={t('Runners')}>
          {runners.items.map((runner) => (
            <RunnerRow
              runner={runner}
              action={`${here}/remove`}
              csrf={visit.csrf}
              wholeHref={
                isWholeRow(visit, runner.id)
                  ? null
                  : wholeRowHref(onSamePage(visit, here, 'page'), runner.id)
              }
            />
          ))}
        </List>
      )}
      <RowSteps list={runners} here={here} label={t('Pages of runners')} />
      <Queue queue={queue} />
      <AddCard visit={visit} here={here} typed={made ? null : visit.form.values} />
    </>,
  )
}

async function load(kind: OwnerKind, visit: Visit): Promise<Shown | null> {
  const owner = await loadOwner(kind, visit)
  if (owner === null) return null
  const calls = callsOf(kind, visit)
  const runners = await loadPage(visit, calls.list)
  const local = await localJobs(visit.hearth)
  return { owner, runners, queue: (await calls.queue()).items, local }
}

export function runnerPages(kind: OwnerKind): { page: Page; forms: readonly SiteForm[] } {
  const runnersPage = page({
    path: BASE[kind],
    load: (visit) => load(kind, visit),
    view: (shown, visit) => <RunnersView visit={visit} kind={kind} made={null} {...shown} />,
  })
  /** Answers the page and not a redirect, because the token is shown once and not stored. */
  const addForm = action({
    path: BASE[kind],
    page: runnersPage,
    submit: async (visit, fields) => {
      const { name, labels, token } = await callsOf(kind, visit).create({
        name: fields.text('name').trim(),
        labels: fields.list('labels', /[\s,]+/),
        ephemeral: fields.ticked('ephemeral'),
        accepts_untrusted: fields.ticked('accepts_untrusted'),
      })
      const shown = await load(kind, visit)
      if (shown === null) return runnersPath(kind, visit)
      const made = { name, labels, token }
      return pageResponse(visit, <RunnersView visit={visit} kind={kind} made={made} {...shown} />)
    },
  })
  const removeForm = action({
    path: `${BASE[kind]}/remove`,
    page: runnersPage,
    submit: async (visit, fields) => {
      await callsOf(kind, visit).remove(fields.text('id'))
      return redirectWithFlash(visit, runnersPath(kind, visit), 'runner-removed')
    },
  })
  return { page: runnersPage, forms: [addForm, removeForm] }
}
