/** A forge whose jobs reach it through their door, with a repository of `acme` and one of `other`. */
import { afterAll } from 'bun:test'
import { getJobLog } from '#features/workflows/jobs/get-job-log.ts'
import { listJobs } from '#features/workflows/jobs/list-jobs.ts'
import { listRuns } from '#features/workflows/runs/list-runs.ts'
import { GitServer } from '#http/git/git-server.ts'
import { startServer } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { testJobs } from '../../settings.ts'
import { makeWorld } from '../../world.ts'

export const REPO = { repo: 'acme/site' } as const
const WORKFLOW = '.hearth/workflows/test.yml'
export const SITE = 'https://forge.example.test'

export async function makeDoorWorld(network: 'none' | 'internet') {
  const world = await makeWorld({
    site_url: SITE,
    base_url: `${SITE}/api`,
    jobs: { ...testJobs, local: true, network },
  })
  const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog, graceMs: 2000 })
  server.open(world.hearth, { git: new GitServer(world.hearth) })
  afterAll(() => server.stop())
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada })
  await world.workspace('other', { owner: bob })
  await world.repo(REPO.repo, { as: ada, private: true })
  await world.repo('other/secret', { as: bob, private: true })
  await world.commit('other/secret', 'main', { 'README.md': 'of bob\n' }, { as: bob })
  let count = 0
  return {
    world,
    server,
    ada,
    bob,
    /** Runs the steps of a job and answers its run, its conclusion and its log. */
    async run(
      steps: string,
      permissions = 'write-all',
      files: Readonly<Record<string, string>> = {},
    ) {
      const text = `name: T${++count}
on: push
permissions: ${permissions}
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
${steps}`
      await world.commit(
        REPO.repo,
        'main',
        { 'README.md': 'hello\n', [WORKFLOW]: text, ...files },
        { as: ada },
      )
      await world.jobs()
      const [run] = (await world.call(listRuns, ada, REPO)).items
      const [job] = (await world.call(listJobs, ada, { ...REPO, id: run?.id ?? '' })).items
      const { lines } = await world.call(getJobLog, ada, { ...REPO, id: job?.id ?? '' })
      const shown = lines.map((line) => line.text).join('\n')
      // What a step prints, without its script.
      const output = shown.slice(shown.lastIndexOf('##[endgroup]') + '##[endgroup]\n'.length)
      return { run: run?.id, conclusion: job?.conclusion, shown, output }
    },
  }
}
