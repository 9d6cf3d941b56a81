import { afterAll, expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Hearth } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { createGit } from '#git'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { getPullChanges } from '#features/pulls/changes/get-pull-changes.ts'
import { listPullCommits } from '#features/pulls/changes/list-pull-commits.ts'
import { listReviewThreads } from '#features/pulls/reviews/list-review-threads.ts'
import { markPullReady } from '#features/pulls/lifecycle/mark-pull-ready.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { removeForks } from '#features/pulls/branches/remove-forks.ts'
import { revertPull } from '#features/pulls/merging/revert-pull.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { collectStores, collectWeekly } from '#features/repos/maintenance/collect-stores.ts'
import { deleteBranch } from '#features/repos/branches/delete-branch.ts'
import { getCommit } from '#features/repos/commits/get-commit.ts'
import { listTipsOfStore } from '#features/repos/store/refs.ts'
import { expectSound } from '../../../git/support/sound.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO, text } from '../../pulls/fixture.ts'

const DAY = 86_400_000

const made = await makePullWorld()
const { world, ada, mel, otto, draft, fromBranch, ready, pull, push, ref, fork, row } = made
// An engine of its own: the one that made the commits holds them for some minutes, by the clock of
// the machine.
const git = createGit({
  root: join(world.data, 'repos'),
  tmp: join(world.data, 'tmp'),
  workers: 0,
  sharedRoot: true,
})
const hearth: Hearth = { ...world.hearth, git }
afterAll(() => git.close())

const run = <I>(job: Job<I>, input: I) =>
  Promise.resolve(
    job.run({ hearth, signal: new AbortController().signal, attempt: 1, id: 'job' }, input),
  )
const weeks = async (count: number) => {
  for (let week = 0; week < count; week++) {
    world.clock.advance(7 * DAY)
    await run(collectStores, { after: '' })
  }
}
const has = async (oid: string) => (await git.readCommit(row().store, oid)) !== null
const noise = (bytes: number) =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64')

test('what no page shows goes with its room, what any page shows stays', async () => {
  await push(REPO, 'junk', ref('main'))
  const junk = await world.commit(REPO, 'junk', { 'junk.bin': noise(60_000) })
  await world.call(deleteBranch, ada, { repo: REPO, branch: 'junk' })

  // A closed pull request whose head was replaced after a review, and whose fork is gone.
  const closed = await draft(otto, { 'b.txt': 'first\n' })
  const earlier = pull(closed).head_sha ?? ''
  await world.call(reviewPull, mel, {
    repo: REPO,
    number: closed,
    verdict: 'comment',
    body: 'Hm',
    comments: [{ path: 'b.txt', line: 1, body: 'Why?' }],
  })
  const signature = { name: 'otto', email: 'otto@example.com', time: 1_700_000_000, zone: '+0000' }
  const changes = [{ action: 'put' as const, path: 'b.txt', data: Buffer.from('second\n') }]
  const { commit: replaced } = await world.hearth.git.commitFiles(row().store, {
    parent: ref('main'),
    changes,
    message: 'Again',
    author: signature,
    committer: signature,
  })
  await push(fork(closed), 'main', replaced, otto)
  await world.call(closePull, otto, { repo: REPO, number: closed })

  // A squashed one, whose branch is gone; then the base is set back before it.
  const before = ref('main')
  const squashed = await fromBranch(ada, 'feature', { 'a.txt': text({ 3: 'three' }) })
  await world.call(markPullReady, ada, { repo: REPO, number: squashed, summary: 'Done' })
  await world.call(mergePull, ada, { repo: REPO, number: squashed, method: 'squash' })
  const landed = ref('main') ?? ''
  if (ref('feature')) await world.call(deleteBranch, ada, { repo: REPO, branch: 'feature' })
  await push(REPO, 'main', before)

  // One that still waits.
  const open = await ready(otto, { 'docs/guide.txt': 'better\n' })

  world.clock.advance(31 * DAY)
  await run(removeForks, null)
  expect(pull(closed).fork_id).toBeNull()
  const size = await git.sizeOf(row().store)
  await weeks(4)

  expect(await has(junk)).toBe(false)
  expect(await git.sizeOf(row().store)).toBeLessThan(size - 50_000)
  for (const oid of [
    earlier,
    replaced,
    landed,
    pull(squashed).head_sha ?? '',
    pull(open).head_sha ?? '',
  ])
    expect([oid, await has(oid)]).toEqual([oid, true])
  expect(
    (await world.call(getPullChanges, mel, { repo: REPO, number: closed })).files[0]?.patch,
  ).toContain('+second\n')
  expect(
    (await world.call(getPullChanges, mel, { repo: REPO, number: closed, since: earlier })).files[0]
      ?.patch,
  ).toContain('-first\n+second\n')
  expect(
    (await world.call(listPullCommits, mel, { repo: REPO, number: closed })).items.map(
      ({ sha }) => sha,
    ),
  ).toEqual([replaced])
  expect(await world.call(listReviewThreads, mel, { repo: REPO, number: closed })).toHaveLength(1)
  expect(
    (await world.call(getPullChanges, mel, { repo: REPO, number: squashed })).files[0]?.patch,
  ).toContain('+three\n')
  expect(
    (await world.call(getPullChanges, mel, { repo: REPO, number: open })).files[0]?.patch,
  ).toContain('+better\n')
  // Nothing to take back any more, which is found out by reading both ends.
  expect(
    (await refusal(world.call(revertPull, ada, { repo: REPO, number: squashed }))).status,
  ).toBe(409)
  expect((await refusal(world.call(getCommit, ada, { repo: REPO, ref: junk }))).status).toBe(404)
  expect(await git.verify(row().store, listTipsOfStore(hearth.db, row().store))).toEqual([])
  await expectSound(join(world.data, 'repos'))
})

test('the round of a week goes through every store, and one that is damaged does not stop it', async () => {
  await world.repo('acme/other')
  await world.commit('acme/other', 'main', { 'a.txt': 'other\n' })
  await push('acme/other', 'gone', ref('main', 'acme/other'))
  const gone = await world.commit('acme/other', 'gone', { 'b.txt': 'gone\n' })
  await push('acme/other', 'gone', null)
  const { store } = row('acme/other')
  const first = await world.repo('acme/aaa')
  await world.commit('acme/aaa', 'main', { 'a.txt': 'aaa\n' })
  const packs = join(world.data, 'repos', first.id, 'objects', 'pack')
  for (const name of readdirSync(packs)) rmSync(join(packs, name))
  await weeks(4)
  expect(await git.readCommit(store, gone)).toBeNull()
  expect(await git.readCommit(store, ref('main', 'acme/other') ?? '')).not.toBeNull()
  await run(collectWeekly, null)
  expect(hearth.db.all(`SELECT key FROM jobs WHERE kind = 'collect_stores'`)).toEqual([
    { key: 'collect' },
  ])
})
