import { JOB_STATES, listJobsQueue, retryJob, type BackgroundJob } from '#features/site/index.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/card.tsx'
import { ActionButton } from '../../components/form.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Badge, type Tone } from '../../components/state.tsx'
import { FilterBar } from '../../components/tabs.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { withQuery } from '../../paths.ts'
import { action, redirectWithFlash, page, type Visit } from '../../site.ts'
import { loadPage, onSamePage, RowSteps, RowText } from '../row-form.tsx'
import { AdminFrame } from './frame.tsx'
import { jobName } from './job-names.ts'
import { sentenceCase } from '../../format.ts'
import { rich, t, tn } from '../../text.ts'
import { stateWord } from '../../messages.ts'

const PATH = '/admin/jobs'
const SIZE = 30
/** Each kind of recurring job is in the queue once. */
const MAX_IDLE_JOBS = 100
/** What the list shows of an error, unless the address asks for all of it. */
const MAX_ERROR_BYTES = 500
const TONES: Record<BackgroundJob['state'], Tone> = {
  waiting: 'plain',
  running: 'wait',
  failed: 'bad',
}

type JobProps = {
  readonly job: BackgroundJob
  readonly visit: Visit
  /** The address of the list. */
  readonly here: string
}

const JobRow = ({ job, visit, here }: JobProps) => (
  <Row
    id={job.id}
    title={
      <>
        <span class="strong">{jobName(job.kind)}</span> <code class="muted">{job.id}</code>
      </>
    }
    meta={
      <>
        <Badge tone={TONES[job.state]}>{stateWord(job.state)}</Badge>
        {job.attempt > 0 && <span>{tn('{count} try', '{count} tries', job.attempt)}</span>}
        <span>
          {job.state === 'waiting'
            ? t('Due')
            : job.state === 'running'
              ? t('Started')
              : t('Failed')}{' '}
          <RelativeTime at={job.state === 'waiting' ? job.run_at : job.updated_at} />
        </span>
      </>
    }
    end={
      job.state === 'running' ? undefined : (
        <ActionButton action={`${PATH}/retry`} csrf={visit.csrf} values={{ id: job.id }}>
          <Button small>{t('Run now')}</Button>
        </ActionButton>
      )
    }
  >
    {job.error !== null && (
      <p class="small">
        <RowText
          visit={visit}
          id={job.id}
          here={onSamePage(visit, here, 'page')}
          text={job.error}
          maxBytes={MAX_ERROR_BYTES}
        />
      </p>
    )}
  </Row>
)

type RecurringJobsProps = Omit<JobProps, 'job'> & { readonly idle: readonly BackgroundJob[] }

const RecurringJobs = ({ visit, here, idle }: RecurringJobsProps) => (
  <details class="more">
    <summary>
      {tn('{count} idle recurring job', '{count} idle recurring jobs', idle.length)}
    </summary>
    <List label={t('Recurring jobs')}>
      {idle.map((job) => (
        <JobRow job={job} visit={visit} here={here} />
      ))}
    </List>
  </details>
)

export const jobsPage = page({
  path: PATH,
  load: async (visit) => {
    const { searchParams } = visit.url
    const state = JOB_STATES.find((one) => one === searchParams.get('state'))
    const kind = (searchParams.get('kind') ?? '').slice(0, 100) || undefined
    // Recurring jobs that wait for their next run are most of the table, so they are listed apart
    // unless a filter is set.
    const isWholeQueue = state === undefined && kind === undefined
    const list = await loadPage(visit, (page) =>
      visit.call(listJobsQueue, {
        state,
        kind,
        ...(isWholeQueue ? { idle: false } : {}),
        sort: 'urgency',
        page,
        per_page: SIZE,
      }),
    )
    const idle =
      isWholeQueue && list.page === 1
        ? (await visit.call(listJobsQueue, { idle: true, per_page: MAX_IDLE_JOBS })).items
        : []
    return { list, idle, state, kind }
  },
  view: ({ list, idle, state, kind }, visit) => {
    const href = (change: Record<string, string | number | undefined>) =>
      withQuery(PATH, { state, kind, ...change })
    return (
      <AdminFrame
        visit={visit}
        title={t('Background jobs')}
        lead={t(
          'Work in the background. Finished jobs are removed; failed jobs stay until they are retried.',
        )}
      >
        <FilterBar
          label={t('State')}
          filters={[
            { label: t('All'), href: href({ state: undefined }), current: state === undefined },
            ...JOB_STATES.map((one) => ({
              label: sentenceCase(stateWord(one)),
              href: href({ state: one }),
              current: state === one,
            })),
          ]}
        >
          {kind !== undefined && (
            <span>
              {rich('Only {kind} · <a>show all kinds</a>', {
                kind: jobName(kind),
                a: (inner) => <a href={href({ kind: undefined })}>{inner}</a>,
              })}
            </span>
          )}
        </FilterBar>
        {list.items.length === 0 ? (
          <EmptyState
            icon="check-circle"
            title={state === 'failed' ? t('No failed jobs') : t('There is nothing to do')}
          />
        ) : (
          <List label={t('Jobs')}>
            {list.items.map((job) => (
              <JobRow job={job} visit={visit} here={href({})} />
            ))}
          </List>
        )}
        {idle.length > 0 && <RecurringJobs visit={visit} here={href({})} idle={idle} />}
        <RowSteps list={list} here={href({})} label={t('Jobs')} />
      </AdminFrame>
    )
  },
})

export const retryJobForm = action({
  path: `${PATH}/retry`,
  submit: async (visit, fields) => {
    await visit.call(retryJob, { id: fields.text('id') })
    return redirectWithFlash(visit, PATH, 'job-retried')
  },
})
