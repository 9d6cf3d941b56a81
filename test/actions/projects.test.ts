/** Workflow files of public projects (`test/fixtures/actions/projects`) are read and planned. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { parseWorkflow } from '#src/actions/parse-workflow.ts'
import { play } from './play.ts'

const FOLDER = join(import.meta.dir, '../fixtures/actions/projects')

const files = [...new Bun.Glob('*/*.{yml,yaml}').scanSync(FOLDER)].sort()

/** Templates name the branches and times of the repository that takes them over. */
async function read(file: string): Promise<ReturnType<typeof parseWorkflow>> {
  const text = (await Bun.file(join(FOLDER, file)).text())
    .replaceAll('$default-branch', 'main')
    .replaceAll('$protected-branches', 'main')
    .replaceAll(/\$cron-(?:daily|weekly)/g, "'0 1 * * *'")
  return parseWorkflow(text, file)
}

test('there are the files of twelve projects', () => {
  expect(new Set(files.map((file) => file.split('/')[0])).size).toBe(12)
  expect(files.length).toBeGreaterThan(200)
})

test('every file is read without an error', async () => {
  const faults: unknown[] = []
  for (const file of files) faults.push(...(await read(file)).problems)
  expect(faults).toEqual([])
})

test('every job is planned and comes to an end', async () => {
  const failures: string[] = []
  let jobs = 0
  for (const file of files) {
    const { workflow } = await read(file)
    if (!workflow) continue
    const played = play(workflow)
    jobs += played.jobs
    failures.push(...played.failures.map((reason) => `${file} ${reason}`))
  }
  expect(jobs).toBeGreaterThan(500)
  // A matrix that a job computes is empty here, because nothing ran.
  expect(failures.filter((reason) => !reason.includes('empty input'))).toEqual([])
})
