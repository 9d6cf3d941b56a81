import { expect, test } from 'bun:test'
import { readRef, requireRepo } from '#features/repos/index.ts'
import { MAX_REFS_WITH_RUNS } from '#features/repos/push/bulk-pushes.ts'
import { push as pushOperation } from '#features/repos/push/push.ts'
import { FILE, makeRunsWorld, ONE_JOB, REPO } from '../fixture.ts'

/** Pushes as git does: objects first, then the operation that moves the ref. */
async function makePushingWorld() {
  const made = await makeRunsWorld()
  const { hearth, world, ada, repo } = made
  const author = { name: 'Ada', email: 'ada@example.com', time: 1_750_000_000, zone: '+0000' }
  const pushFiles = async (branch: string, files: Record<string, string | null>) => {
    const name = `refs/heads/${branch}`
    const old = readRef(hearth.db, repo.id, name)
    const changes = Object.entries(files).map(([path, text]) =>
      text === null
        ? { action: 'delete' as const, path }
        : { action: 'put' as const, path, data: new TextEncoder().encode(text) },
    )
    const { commit } = await hearth.git.commitFiles(requireRepo(hearth.db, repo.id).store, {
      parent: old ?? readRef(hearth.db, repo.id, 'refs/heads/main'),
      changes,
      message: 'Change files',
      author,
      committer: author,
    })
    const updates = [{ name, old, new: commit }]
    const { results } = await world.call(pushOperation, ada, { ...REPO, updates })
    expect(results[0]?.refused).toBeNull()
  }
  const planned = (): number =>
    hearth.db.one<{ n: number }>("SELECT count(*) AS n FROM jobs WHERE kind = 'plan_runs'")?.n ?? 0
  await world.jobs()
  return { ...made, pushFiles, planned }
}

test('a push without workflows adds no job, and the one that brings a workflow runs it', async () => {
  const { pushFiles, planned, runs, world } = await makePushingWorld()
  await pushFiles('main', { 'a.txt': 'a' })
  await pushFiles('work', { 'b.txt': 'b' })
  expect(planned()).toBe(0)
  await pushFiles('work', { [FILE]: ONE_JOB })
  expect(planned()).toBe(1)
  await world.jobs()
  expect(await runs()).toHaveLength(1)
})

test('a push that removes the last workflow from the default branch is noticed', async () => {
  const { pushFiles, planned, world, hearth, repo } = await makePushingWorld()
  const present = (): number =>
    hearth.db.one<{ n: number }>(
      'SELECT count(*) AS n FROM workflows WHERE repo_id = ? AND blob IS NOT NULL',
      repo.id,
    )?.n ?? 0
  await pushFiles('main', { [FILE]: ONE_JOB })
  await world.jobs()
  expect(present()).toBe(1)
  await pushFiles('main', { [FILE]: null })
  expect(planned()).toBe(1)
  await world.jobs()
  expect(present()).toBe(0)
})

test('a push of thousands of branches runs the workflows of the default branch alone', async () => {
  const { pushFiles, planned, world, hearth, ada, repo } = await makePushingWorld()
  await pushFiles('work', { [FILE]: ONE_JOB })
  await world.jobs()
  const name = 'refs/heads/main'
  const tip = readRef(hearth.db, repo.id, 'refs/heads/work')
  const branches = Array.from({ length: MAX_REFS_WITH_RUNS }, (_, n) => ({
    name: `refs/heads/copy-${n}`,
    old: null,
    new: tip,
  }))
  const updates = [{ name, old: readRef(hearth.db, repo.id, name), new: tip }, ...branches]
  await world.call(pushOperation, ada, { ...REPO, updates })
  expect(readRef(hearth.db, repo.id, `refs/heads/copy-${MAX_REFS_WITH_RUNS - 1}`)).toBe(tip)
  expect(planned()).toBe(1)
})
