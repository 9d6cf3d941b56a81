import {
  getSiteStatus,
  JOB_STATES,
  listJobsQueue,
  retryJob,
  type BackgroundJob,
} from '#features/site/index.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/card.tsx'
import { ActionButton } from '../../components/form.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Badge, type Tone } from '../../components/state.tsx'
import { FilterBar } from '../../components/tabs.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { withQuery } from '../../paths.ts'
import { action, redirectWithFlash, page, type Visit } from '../../site.ts'
import { loadPage, RowSteps } from '../row-form.tsx'
import { AdminFrame } from './frame.tsx'
import { jobName } from './job-names.ts'
import { sentenceCase } from '../../format.ts'
import { rich, t, tn } from '../../text.ts'
import { stateWord } from '../../messages.ts'

const PATH = '/admin/jobs'
const SIZE = 30
/** Failed jobs first. */
const URGENCY: Record<BackgroundJob['state'], number> = { failed: 0, running: 1, waiting: 2 }
const TONES: Record<BackgroundJob['state'], Tone> = {
  waiting: 'plain',
  running: 'wait',
  failed: 'bad',
}

const JobRow = ({ job, visit }: { job: BackgroundJob; visit: Visit }) => (
  <Row
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
    {job.error !== null && <p class="small">{job.error}</p>}
  </Row>
)

const RecurringJobs = ({ visit, resting }: { visit: Visit; resting: readonly BackgroundJob[] }) => (
  <details class="more">
    <summary>
      {rich('{jobs} that {resting} now', {
        jobs: tn('{count} job', '{count} jobs', resting.length),
        resting: resting.length === 1 ? t('recurs and is idle') : t('recur and are idle'),
      })}
    </summary>
    <List label={t('Recurring jobs')}>
      {resting.map((job) => (
        <JobRow job={job} visit={visit} />
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
    const list = await loadPage(visit, (page) =>
      visit.call(listJobsQueue, { state, kind, page, per_page: SIZE }),
    )
    const { items } = list
    const { queues } = await visit.call(getSiteStatus, {})
    const recurring = new Set(queues.flatMap((queue) => (queue.every === null ? [] : [queue.kind])))
    // Recurring jobs that wait for their time are most of the table, so they are listed apart
    // unless a filter is set.
    const resting =
      state === undefined && kind === undefined
        ? items.filter(
            (job) => job.state === 'waiting' && job.error === null && recurring.has(job.kind),
          )
        : []
    const listed = items
      .filter((job) => !resting.includes(job))
      .sort((a, b) => URGENCY[a.state] - URGENCY[b.state])
    return { list, listed, resting, state, kind }
  },
  view: ({ list, listed, resting, state, kind }, visit) => {
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
        {listed.length === 0 ? (
          <EmptyState
            icon="check-circle"
            title={state === 'failed' ? t('No failed jobs') : t('There is nothing to do')}
          />
        ) : (
          <List label={t('Jobs')}>
            {listed.map((job) => (
              <JobRow job={job} visit={visit} />
            ))}
          </List>
        )}
        {resting.length > 0 && <RecurringJobs visit={visit} resting={resting} />}
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
