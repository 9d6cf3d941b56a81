/** A repository whose workflows run here, with artifacts and caches. */
import { listJobs } from '#features/workflows/jobs/list-jobs.ts'
import { listRuns } from '#features/workflows/runs/list-runs.ts'
import { getJobLog } from '#features/workflows/jobs/get-job-log.ts'
import { createArtifact } from '#features/artifacts/job-artifacts.ts'
import { saveCache } from '#features/artifacts/job-caches.ts'
import { makeRunsWorld } from '../workflows/fixture.ts'
import { testJobs } from '../../settings.ts'
import { makeWorld } from '../../world.ts'

export const REPO = { repo: 'acme/site' } as const

export async function makeJobsWorld() {
  const world = await makeWorld({ jobs: { ...testJobs, local: true } })
  const ada = await world.user('ada')
  const eve = await world.user('eve')
  await world.workspace('acme', { owner: ada })
  await world.repo(REPO.repo, { as: ada })
  const runs = async () => (await world.call(listRuns, ada, REPO)).items
  const jobs = async (id: string) => (await world.call(listJobs, ada, { ...REPO, id })).items
  return {
    world,
    ada,
    eve,
    runs,
    jobs,
    /** Pushes a workflow, runs it to its end and returns its run. */
    async push(text: string, branch = 'main', files: Record<string, string> = {}) {
      const all = { '.hearth/workflows/ci.yml': text, ...files }
      await world.commit(REPO.repo, branch, all, { as: ada })
      await world.jobs()
      const [run] = await runs()
      if (!run) throw new Error('nothing ran')
      return run
    },
    /** The texts of all jobs of a run. */
    async logs(id: string): Promise<string> {
      const texts: string[] = []
      for (const job of await jobs(id)) {
        const { lines } = await world.call(getJobLog, ada, { ...REPO, id: job.id })
        texts.push(...lines.map(({ text }) => text))
      }
      return texts.join('\n')
    },
  }
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** A run whose job the test plays: it makes artifacts and caches of any bytes. */
export async function makeFilesWorld() {
  const made = await makeRunsWorld()
  await made.push()
  const job = await made.take()
  if (!job) throw new Error('there is no job')
  const { hearth } = made
  return {
    ...made,
    job,
    artifact: (name: string, text = name, overwrite = false) =>
      createArtifact(hearth, job.id, {
        name,
        bytes: piecesOf(text),
        retentionDays: null,
        overwrite,
      }),
    async cache(key: string, text = key) {
      const row = await saveCache(hearth, job.id, { key, version: 'v', bytes: piecesOf(text) })
      if (!row) throw new Error('there is such a cache')
      return row
    },
  }
}
