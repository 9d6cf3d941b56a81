import { expect, test } from 'bun:test'
import { getPullConflicts } from '#features/pulls/branches/get-pull-conflicts.ts'
import { resolvePullConflicts } from '#features/pulls/branches/resolve-pull-conflicts.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

/** An open pull request of `mel` whose two files conflict with the base. */
async function setUp() {
  const pulls = await makePullWorld()
  const { world, mel, ada, fromBranch } = pulls
  const number = await fromBranch(mel, 'feature', {
    'a.txt': text({ 3: 'three of mel', 15: 'fifteen' }),
    'b.txt': 'b of mel\n',
  })
  await world.commit(
    REPO,
    'main',
    { 'a.txt': text({ 3: 'three of ada', 8: 'eight' }), 'b.txt': null },
    { as: ada },
  )
  const on = { repo: REPO, number }
  const { head_sha, base_sha } = await world.call(getPullConflicts, mel, on)
  return { ...pulls, on, shas: { head_sha, base_sha } }
}

const BOTH = [
  { path: 'a.txt', content: text({ 3: 'three of both', 8: 'eight', 15: 'fifteen' }) },
  { path: 'b.txt', take: 'head' as const },
]

test('a resolution is one merge commit by the caller, after which nothing conflicts', async () => {
  const { world, hearth, mel, on, shas, row, ref } = await setUp()
  const answer = await world.call(resolvePullConflicts, mel, { ...on, ...shas, resolutions: BOTH })
  expect(answer).toMatchObject({ mergeable: 'yes', blockers: [] })
  const head = ref('feature') ?? ''
  expect(await hearth.git.readCommit(row().store, head)).toMatchObject({
    parents: [shas.head_sha, shas.base_sha],
    author: { name: 'mel' },
    committer: { name: 'mel' },
    message: 'Merge main into feature\n',
  })
  const entry = await hearth.git.findEntry(row().store, head, 'a.txt')
  const blob = await hearth.git.readBlob(row().store, entry?.oid ?? '')
  expect(Buffer.from(blob?.data ?? []).toString()).toBe(BOTH[0]?.content ?? '')
  expect(await hearth.git.findEntry(row().store, head, 'b.txt')).not.toBeNull()
  expect((await world.call(getPull, mel, on)).behind).toMatchObject({ by: 0, conflict_paths: [] })
  // Nothing is left to resolve.
  expect((await world.call(getPullConflicts, mel, on)).files).toEqual([])
})

test('what is not resolved is named, and the head stays', async () => {
  const { world, mel, on, shas, ref } = await setUp()
  const refused = async (
    resolutions: { path: string; take?: 'head' | 'base'; content?: string }[],
  ) => refusal(world.call(resolvePullConflicts, mel, { ...on, ...shas, resolutions }))
  expect(await refused([{ path: 'a.txt', take: 'base' }])).toMatchObject({
    status: 409,
    reason: 'conflicts',
    details: { conflict_paths: ['b.txt'] },
  })
  for (const wrong of [
    [...BOTH, { path: 'docs/guide.txt', take: 'head' as const }],
    [...BOTH, { path: 'a.txt', take: 'head' as const }],
    [{ path: 'a.txt' }],
    [{ path: 'a.txt', take: 'head' as const, content: 'x' }],
    [...BOTH, { path: '.git/config', content: 'x' }],
  ])
    expect(await refused(wrong)).toMatchObject({ status: 422 })
  expect(ref('feature')).toBe(shas.head_sha)
})

test('only for who may push to the head, and for the commits that were read', async () => {
  const { world, mel, otto, on, shas, ref } = await setUp()
  expect(
    await refusal(world.call(resolvePullConflicts, otto, { ...on, ...shas, resolutions: BOTH })),
  ).toMatchObject({ status: 403, reason: 'role' })
  await world.commit(REPO, 'main', { 'c.txt': 'c\n' })
  expect(
    await refusal(world.call(resolvePullConflicts, mel, { ...on, ...shas, resolutions: BOTH })),
  ).toMatchObject({ status: 409, reason: 'base_moved' })
  const now = await world.call(getPullConflicts, mel, on)
  expect(
    await refusal(
      world.call(resolvePullConflicts, mel, {
        ...on,
        base_sha: now.base_sha,
        head_sha: shas.base_sha,
        resolutions: BOTH,
      }),
    ),
  ).toMatchObject({ status: 409, reason: 'head_moved' })
  expect(ref('feature')).toBe(shas.head_sha)
})

test('who resolved conflicts has pushed, so their approval does not count', async () => {
  const { world, ada, max, on, shas, configure } = await setUp()
  await configure({ required_approvals: 1 })
  await world.call(resolvePullConflicts, max, { ...on, ...shas, resolutions: BOTH })
  await world.call(reviewPull, max, { ...on, verdict: 'approve' })
  await world.jobs()
  const { reviews, blockers } = await world.call(getPull, ada, on)
  expect(reviews[0]).toMatchObject({ counted: false, why_not_counted: 'pushed' })
  expect(blockers.map(({ code }) => code)).toEqual(['approvals_missing'])
})
