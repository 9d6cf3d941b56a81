import { expect, test } from 'bun:test'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { exportRecords } from '#src/commands/export-records.ts'
import { makeForgeWorld } from '../features/imports/forge-fixture.ts'

const linesOf = (path: string): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('what was imported is exported as lines of JSON that a script can read', async () => {
  const it = await makeForgeWorld({ issues: 120, comments: 130 })
  const { world, ada, project } = it
  const peer = it.standIn('github_api')
  const { repo } = await it.start('github_api', peer.url)
  await world.jobs()
  await peer.close()
  const directory = join(it.work, 'lamp.records')
  if (ada.kind !== 'user') throw new TypeError('ada is a person')
  const { counts, heads } = await exportRecords(world.hearth, ada, repo, directory)
  expect(counts).toEqual({
    labels: 1,
    milestones: 1,
    issues: 120,
    pulls: 3,
    releases: 1,
    files: 1,
  })
  const about = JSON.parse(readFileSync(join(directory, 'repository.json'), 'utf8')) as object
  expect(about).toMatchObject({
    format: 'hearth-records/1',
    repository: { full_name: repo },
    counts,
  })
  const issues = linesOf(join(directory, 'issues.jsonl'))
  expect(new Set(issues.map(({ number }) => number)).size).toBe(120)
  const first = issues.find(({ number }) => number === 1)
  expect(first).toMatchObject({ title: 'Record 1', author: { username: 'ada (imported)' } })
  expect(first?.comments as unknown[]).toHaveLength(130)
  const open = linesOf(join(directory, 'pulls.jsonl')).find(({ number }) => number === it.open)
  expect(open).toMatchObject({ status: 'open', reviews: [{ body: 'Not yet' }] })
  const [file] = readdirSync(join(directory, 'files'))
  expect(readFileSync(join(directory, 'files', file ?? ''), 'utf8')).toBe('bytes')
  expect(existsSync(join(directory, 'releases.jsonl'))).toBe(true)
  // The commits of a pull request whose branch is gone are among the heads.
  expect(heads.map(({ name, oid }) => [name, oid])).toContainEqual([
    `refs/pull/${it.open - 1}/head`,
    project.commits.head,
  ])
})
