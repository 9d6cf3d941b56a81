/** The runner of this process: where jobs run, and which it accepts. */
import { service } from '#core/service.ts'
import type { Hearth } from '#core/hearth.ts'
import { WorkflowReader, type JobPlan, type StepsPlan } from '#actions'
import type { JobRow, JobRunner, RunnerKind } from '#features/workflows/index.ts'
import type { Isolation } from '#runner'
import { acceptsElsewhere } from './external-runner.ts'

/** The labels of the runner of this process, besides the names of GitHub's Ubuntu images. */
export const LOCAL_LABELS: readonly string[] = [
  'local',
  'self-hosted',
  'hearth',
  'linux',
  process.arch === 'arm64' ? 'arm64' : 'x64',
]
/** Images of GitHub for which scripts usually work here too. */
const UBUNTU = /^ubuntu-(?:latest|slim|\d\d\.\d\d)$/

const accepts = (labels: readonly string[]): boolean =>
  labels.every(
    (label) => LOCAL_LABELS.includes(label.toLowerCase()) || UBUNTU.test(label.toLowerCase()),
  )

export const localKind: RunnerKind = {
  name: 'local',
  isOn: ({ settings }) => settings.jobs.local,
  accepts: (_, labels) => accepts(labels),
}

/** The thread that reads `action.yml` files of jobs. */
export const actionReaderOf = service('action reader', () => new WorkflowReader(), {
  close: (reader) => reader.close(),
})

/** Jobs with containers fail here, so a runner elsewhere gets them if there is one. */
function wants(hearth: Hearth, job: JobRow): boolean {
  const plan = job.plan === null ? null : (JSON.parse(job.plan) as JobPlan)
  if (plan?.kind !== 'steps' || !needsContainers(plan)) return true
  if (hearth.settings.jobs.containers !== 'none') return true
  return !acceptsElsewhere(hearth, JSON.parse(job.labels) as string[], job)
}

const needsContainers = ({ container, services, steps }: StepsPlan): boolean =>
  container !== null ||
  services !== null ||
  steps.some((step) => step.kind === 'uses' && step.uses.startsWith('docker://'))

export const localRunner = (hearth: Hearth, isolation: Isolation): JobRunner => ({
  id: null,
  name: 'local',
  accepts,
  wants: (job) => wants(hearth, job),
  // Code of people without Write runs only where it is isolated.
  takesUntrusted: isolation.kind === 'bubblewrap',
})
