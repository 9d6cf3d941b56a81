/** Executes the first job of a workflow text behind the walls of `test/runner/runners.ts`. */
import type { StepsPlan } from '#actions'
import { executeJob, type ExecutableJob, type ExecutionResult } from '#features/runners/index.ts'
import {
  noContainers,
  type ArtifactStore,
  type CacheStore,
} from '#src/features/runners/execute/job-input.ts'
import { LogWriter, readGrowingLog } from '#runner'
import { parseWorkflow } from '#src/actions/parse-workflow.ts'
import { parseAction } from '#src/actions/read-action.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LIMITS, makeRunner } from '../../runner/runners.ts'

export type Execution = ExecutionResult & {
  readonly text: string
  /** `name: conclusion` of each step. */
  readonly ends: readonly string[]
}

/** The plan of the first job of a file, as it is without a matrix. */
function planOf(text: string): { plan: StepsPlan; jobId: string } {
  const { workflow, problems } = parseWorkflow(text, 'test.yml')
  const job = workflow?.jobs[0]
  if (!workflow || job?.kind !== 'steps') throw new Error(JSON.stringify(problems))
  const plan: StepsPlan = {
    kind: 'steps',
    runsOn: ['ubuntu-latest'],
    environment: null,
    timeoutMinutes: Number(job.timeoutMinutes ?? 360),
    continueOnError: false,
    env: [workflow.env, job.env],
    defaults: [job.defaults, workflow.defaults],
    container: job.container,
    services: job.services,
    steps: job.steps,
    outputs: job.outputs,
    secrets: 'all',
  }
  return { plan, jobId: job.id }
}

export async function makeExecutions(change: Parameters<typeof makeRunner>[0] = {}) {
  const forge = await makeRunner(change)
  let counter = 0
  return {
    ...forge,
    /** `files` are those of the repository. The text begins below `on`. */
    async execute(
      jobs: string,
      options: {
        readonly files?: Readonly<Record<string, string>>
        /** Actions of other repositories, by `owner/name@ref`. */
        readonly actions?: Readonly<Record<string, Readonly<Record<string, string>>>>
        readonly secrets?: Readonly<Record<string, string>>
        readonly github?: ExecutableJob['contexts']['github']
        readonly stop?: AbortSignal
        readonly onLine?: (text: string) => void
        readonly vars?: Readonly<Record<string, string>>
        readonly artifacts?: ArtifactStore
        readonly caches?: CacheStore
        readonly limits?: Partial<typeof LIMITS>
      } = {},
    ): Promise<Execution> {
      const id = `execution-${++counter}`
      const path = join(forge.data, 'logs', id)
      const log = new LogWriter(path)
      const result = await executeJob(
        {
          id,
          repository: 'acme/site',
          ...planOf(`on: push\n${jobs}`),
          contexts: {
            github: {
              sha: 'a'.repeat(40),
              repository: 'acme/site',
              event: { x: 1 },
              ...options.github,
            },
            inputs: {},
            vars: { REGION: 'north', ...options.vars },
            needs: { before: { result: 'success', outputs: { version: '7' } } },
            matrix: { os: 'linux' },
            strategy: {},
          },
          secrets: options.secrets ?? {},
          stop: options.stop ?? new AbortController().signal,
        },
        {
          runner: forge.runner,
          limits: { ...LIMITS, ...options.limits },
          now: () => Date.now(),
          log: {
            write(data, at) {
              log.write(data, at)
              options.onLine?.(Buffer.from(data).toString('utf8'))
            },
            get lines() {
              return log.lines
            },
            get bytes() {
              return log.bytes
            },
          },
          containers: noContainers('this one has none'),
          artifacts: options.artifacts ?? null,
          caches: options.caches ?? null,
          uploadSarif: null,
          checkOut: async (folder, { repository }) => {
            if (repository !== 'acme/site') throw new Error(`${repository} is not there`)
            for (const [name, text] of Object.entries(options.files ?? {})) {
              mkdirSync(dirname(join(folder, name)), { recursive: true })
              writeFileSync(join(folder, name), text, { flag: 'wx' })
            }
            return null
          },
          fetchAction: async (folder, { repository, ref }) => {
            const files = options.actions?.[`${repository}@${ref}`]
            if (!files) throw new Error(`${repository} is not there`)
            for (const [name, text] of Object.entries(files)) {
              mkdirSync(dirname(join(folder, name)), { recursive: true })
              writeFileSync(join(folder, name), text)
            }
            return `fetched ${repository}`
          },
          readAction: async (text, path) => parseAction(text, path),
          report: () => {},
        },
      )
      log.close()
      const page = readGrowingLog(path, 1, 1_000)
      return {
        ...result,
        text: page?.lines.map((line) => line.text).join('\n') ?? '',
        ends: result.steps.map(({ name, conclusion }) => `${name}: ${conclusion}`),
      }
    },
  }
}
