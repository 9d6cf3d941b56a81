/** The runner of this process: where jobs run, and which it accepts. */
import { service } from '#core/service.ts'
import { WorkflowReader } from '#actions'
import type { JobRunner, RunnerKind } from '#features/workflows/index.ts'
import type { Isolation } from '#runner'

const LABELS = [
  'local',
  'self-hosted',
  'hearth',
  'linux',
  process.arch === 'arm64' ? 'arm64' : 'x64',
]
/** Images of GitHub for which scripts usually work here too. */
const UBUNTU = /^ubuntu-(?:latest|slim|\d\d\.\d\d)$/

const accepts = (labels: readonly string[]): boolean =>
  labels.every((label) => LABELS.includes(label.toLowerCase()) || UBUNTU.test(label.toLowerCase()))

export const localKind: RunnerKind = {
  name: 'local',
  isOn: ({ settings }) => settings.jobs.local,
  accepts: (_, labels) => accepts(labels),
}

/** The thread that reads `action.yml` files of jobs. */
export const actionReaderOf = service('action reader', () => new WorkflowReader(), {
  close: (reader) => reader.close(),
})

export const localRunner = (isolation: Isolation): JobRunner => ({
  id: null,
  name: 'local',
  accepts,
  // Code of people without Write runs only where it is isolated.
  takesUntrusted: isolation.kind === 'bubblewrap',
})
