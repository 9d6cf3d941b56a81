import { expect, test } from 'bun:test'
import { listCodeScanningAlerts } from '#features/security/code-scanning/list-code-scanning-alerts.ts'
import { getJobLog } from '#features/workflows/jobs/get-job-log.ts'
import { listJobs } from '#features/workflows/jobs/list-jobs.ts'
import { listRuns } from '#features/workflows/runs/list-runs.ts'
import { testJobs } from '../../settings.ts'
import { makeWorld } from '../../world.ts'
import { sarif } from '../security/code-scanning/fixture.ts'

const REPO = { repo: 'acme/site' } as const

async function runWith(permission: string) {
  const world = await makeWorld({ jobs: { ...testJobs, local: true } })
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.repo(REPO.repo, { as: ada })
  const file = `on: push
permissions: { contents: read, security-events: ${permission} }
jobs:
  scan:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: github/codeql-action/upload-sarif@v3
        with: { sarif_file: results, category: nightly }
`
  const report = JSON.stringify(sarif([{ path: 'a.ts', line: 2 }]))
  await world.commit(REPO.repo, 'main', {
    '.hearth/workflows/scan.yml': file,
    'a.ts': 'one()\nquery(x)\n',
    'results/one.sarif': report,
  })
  await world.jobs()
  const [run] = (await world.call(listRuns, ada, REPO)).items
  const [job] = (await world.call(listJobs, ada, { ...REPO, id: run?.id ?? '' })).items
  const { lines } = await world.call(getJobLog, ada, { ...REPO, id: job?.id ?? '' })
  const alerts = (await world.call(listCodeScanningAlerts, ada, REPO)).items
  return { conclusion: job?.conclusion, log: lines.map(({ text }) => text).join('\n'), alerts }
}

test('a step uploads what a scanner wrote with the token of its job', async () => {
  const { conclusion, log, alerts } = await runWith('write')
  expect(log).toMatch(/Uploaded one\.sarif as sar_/)
  expect(conclusion).toBe('success')
  expect(alerts).toMatchObject([{ path: 'a.ts', start_line: 2, ref: 'refs/heads/main' }])
})

test('without the permission to write security events nothing is uploaded', async () => {
  const { conclusion, log, alerts } = await runWith('read')
  expect(conclusion).toBe('failure')
  expect(log).toContain('could not be uploaded')
  expect(alerts).toEqual([])
})
