/** A repository with workflows, and a runner that ends jobs as a test says. */
import type { Extension } from '#core/extension-points.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Settings } from '#core/settings.ts'
import {
  finishJob,
  jobLogs,
  jobsQueued,
  takeQueuedJob,
  workflowRunners,
  type JobResult,
  type JobRunner,
  type JobToRun,
} from '#features/workflows/index.ts'
import { getRun } from '#features/workflows/runs/get-run.ts'
import { listJobs } from '#features/workflows/jobs/list-jobs.ts'
import { listRuns } from '#features/workflows/runs/list-runs.ts'
import { makeWorld } from '../../world.ts'

export const REPO = { repo: 'acme/site' } as const
export const FILE = '.hearth/workflows/test.yml'

/** The fake runner has these labels. */
const LABELS = new Set(['self-hosted', 'linux', 'ubuntu-latest'])

export const RUNNER: JobRunner = {
  id: null,
  name: 'local',
  accepts: (labels) => labels.every((label) => LABELS.has(label)),
  takesUntrusted: true,
}

/** Adds extensions to a forge, before its own, and lets no runner of its own take jobs. */
export function extend(hearth: Hearth, extensions: readonly Extension[]): void {
  const { extensionsOf, handlersOf } = hearth
  const added = Map.groupBy(extensions, ({ point }) => point)
  Object.assign(hearth, {
    extensionsOf: (point: string) => [
      ...(added.get(point) ?? []).map(({ value }) => value),
      ...extensionsOf(point),
    ],
    handlersOf: (type: string) => (type === jobsQueued.type ? [] : handlersOf(type)),
  })
}

export const ONE_JOB = `name: Test
on: [push, pull_request, workflow_dispatch]
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: make
`

export async function makeRunsWorld(change: Partial<Settings> = {}) {
  const world = await makeWorld(change)
  const { hearth } = world
  extend(hearth, [
    workflowRunners.with({
      name: 'local',
      accepts: (_, labels) => labels.every((label) => LABELS.has(label)),
    }),
    jobLogs.with(async (_, job, from, count) => {
      const lines = Array.from({ length: job.log_lines }, (_unused, index) => ({
        n: index + 1,
        at: world.clock.now(),
        text: `line ${index + 1}`,
      })).slice(from - 1, from - 1 + count)
      const last = lines.at(-1)?.n ?? job.log_lines
      return { lines, next: last < job.log_lines ? last + 1 : null }
    }),
  ])
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const eve = await world.user('eve')
  await world.workspace('acme', { owner: ada, members: [bob] })
  const repo = await world.repo('acme/site', { as: ada })
  await world.commit('acme/site', 'main', { 'README.md': 'hello\n' }, { as: ada })

  const runs = async (as: UserCaller = ada) => (await world.call(listRuns, as, REPO)).items
  const jobs = async (id: string) => (await world.call(listJobs, ada, { ...REPO, id })).items
  return {
    world,
    hearth,
    ada,
    bob,
    eve,
    repo,
    runs,
    jobs,
    run: (id: string) => world.call(getRun, ada, { ...REPO, id }),
    /** Pushes workflow files by their paths, and plans what they start. */
    async push(
      files: Record<string, string | null> = { [FILE]: ONE_JOB },
      options: { branch?: string; as?: UserCaller; message?: string } = {},
    ): Promise<string> {
      const { branch = 'main', ...rest } = options
      const sha = await world.commit('acme/site', branch, files, { as: ada, ...rest })
      await world.jobs()
      return sha
    },
    /** Takes the next job; null when none is queued. */
    take: (): Promise<JobToRun | null> => takeQueuedJob(hearth, RUNNER),
    async finish(job: JobToRun | null, result: Partial<JobResult> = {}): Promise<void> {
      if (!job) throw new Error('there is no job to finish')
      await finishJob(hearth, job.id, {
        conclusion: 'success',
        reason: null,
        outputs: {},
        ...result,
      })
      await world.jobs()
    },
    /** Runs all queued jobs to the given conclusion. Returns their names in order. */
    async drain(conclusion: 'success' | 'failure' = 'success'): Promise<string[]> {
      const names: string[] = []
      for (;;) {
        const job = await takeQueuedJob(hearth, RUNNER)
        if (!job) return names
        names.push(job.name)
        await finishJob(hearth, job.id, { conclusion, reason: null, outputs: {} })
        await world.jobs()
      }
    },
  }
}
