// States of runs, jobs and steps: a shape and a word, never a colour alone.
import type { Run, WorkflowJob } from '#features/workflows/index.ts'
import { Icon, type IconName, type Tone } from '../../components/index.ts'
import { localized, t, texts } from '../../text.ts'

type Stateful = {
  readonly status: string
  readonly conclusion: string | null
  readonly waiting_for?: string | null
}

type Style = { readonly icon: IconName; readonly tone: Tone; readonly label: string }

const CONCLUSIONS: Readonly<Record<string, Style>> = localized({
  success: { icon: 'check', tone: 'good', label: 'Succeeded' },
  failure: { icon: 'close', tone: 'bad', label: 'Failed' },
  cancelled: { icon: 'stop', tone: 'plain', label: 'Cancelled' },
  skipped: { icon: 'issue-skipped', tone: 'plain', label: 'Skipped' },
  timed_out: { icon: 'clock', tone: 'bad', label: 'Timed out' },
  neutral: { icon: 'check', tone: 'plain', label: 'Neutral' },
  action_required: { icon: 'warning', tone: 'wait', label: 'Action required' },
  startup_failure: { icon: 'warning', tone: 'bad', label: 'Could not start' },
} as const)

const WAITING: Readonly<Record<string, string>> = texts({
  approval: 'Waiting for approval',
  concurrency: 'Waiting for its group',
  environment: 'Waiting for its environment',
  runner: 'Waiting for a runner',
})

export function stateStyle({ status, conclusion, waiting_for }: Stateful): Style {
  if (conclusion !== null)
    return CONCLUSIONS[conclusion] ?? { icon: 'circle', tone: 'plain', label: conclusion }
  if (status === 'in_progress') return { icon: 'refresh', tone: 'wait', label: t('Running') }
  if (status === 'queued' && !waiting_for)
    return { icon: 'clock', tone: 'plain', label: t('Queued') }
  return { icon: 'clock', tone: 'plain', label: WAITING[waiting_for ?? ''] ?? t('Waiting') }
}

/** The state as a mark; `bare` leaves its word to screen readers and the tooltip. */
export const RunState = ({ of, bare }: { of: Stateful; bare?: boolean }) => {
  const { icon, tone, label } = stateStyle(of)
  return (
    <span class={['check-state', `tone-${tone}`]} title={bare ? label : undefined}>
      {bare ? <Icon name={icon} label={label} /> : [<Icon name={icon} />, <span>{label}</span>]}
    </span>
  )
}

const EVENTS: Readonly<Record<string, string>> = texts({
  push: 'push',
  pull_request: 'pull request',
  schedule: 'schedule',
  dispatch: 'started by hand',
  release: 'release',
  issue: 'issue',
  comment: 'comment',
  merge_queue: 'merge queue',
  workflow_call: 'called',
  workflow_run: 'after another workflow',
})
export const eventLabel = (event: string): string => EVENTS[event] ?? event

export const shortRef = (ref: string): string =>
  ref.replace(/^refs\/(heads|tags)\//, '').replace(/^refs\/pull\/(\d+)\/merge$/, '#$1')

/** Milliseconds of a run or job, until now while it runs; null before it began. */
export function durationOf(
  { started_at, finished_at }: Pick<Run | WorkflowJob, 'started_at' | 'finished_at'>,
  now: number,
): number | null {
  if (started_at === null) return null
  const end = finished_at === null ? now : Date.parse(finished_at)
  return Math.max(0, end - Date.parse(started_at))
}
