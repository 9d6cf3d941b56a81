import { expect, test } from 'bun:test'
import type { SignedIn } from '#core/caller.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { applySuggestion } from '#features/pulls/branches/apply-suggestion.ts'
import { updatePullBranch } from '#features/pulls/branches/update-pull-branch.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { reopenPull } from '#features/pulls/lifecycle/reopen-pull.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { listPulls } from '#features/pulls/list-pulls.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

const setUp = async (settings: Parameters<typeof makePullWorld>[0] = {}) => {
  const made = await makePullWorld({ required_approvals: 1, ...settings })
  const approve = async (as: SignedIn, number: number) => {
    const input = { repo: REPO, number, verdict: 'approve' as const }
    const { counted, why_not_counted } = await made.world.call(reviewPull, as, input)
    return counted ? 'counted' : why_not_counted
  }
  const branch = async (name: string, as: SignedIn, files: Record<string, string>) => {
    await made.push(REPO, name, made.ref('main'), made.ada)
    await made.world.commit(REPO, name, files, { as })
  }
  const open = async (name: string, as: SignedIn) =>
    (await made.world.call(createPull, as, { repo: REPO, title: 'Change it', branch: name })).pull
      .number
  return { ...made, approve, branch, open }
}

test('an approval by somebody who pushed to the head does not count', async () => {
  const { world, mel, max, otto, ready, fork, approve, configure } = await setUp()
  const number = await ready(otto)
  await world.commit(fork(number), 'main', { 'evil.txt': 'x\n' }, { as: mel })
  await world.jobs()
  expect(await approve(mel, number)).toBe('pushed')
  const merge = () => world.call(mergePull, mel, { repo: REPO, number })
  expect((await refusal(merge())).reason).toBe('approvals_missing')
  const { items } = await world.call(listPulls, mel, { repo: REPO })
  expect(items[0]?.approvals).toEqual({ required: 1, counted: 0 })
  // Somebody else's push on top changes nothing about it.
  await world.commit(fork(number), 'main', { 'more.txt': 'x\n' }, { as: otto })
  await world.jobs()
  expect(await approve(mel, number)).toBe('pushed')
  expect(await approve(max, number)).toBe('counted')
  await configure({ require_last_push_approval: false })
  expect((await world.call(getPull, mel, { repo: REPO, number })).approvals.counted).toBe(2)
})

test('an earlier approval ends with a push by its author, also when pushes keep approvals', async () => {
  const { world, mel, otto, ready, fork, approve } = await setUp({ dismiss_stale_approvals: false })
  const number = await ready(otto)
  expect(await approve(mel, number)).toBe('counted')
  await world.commit(fork(number), 'main', { 'evil.txt': 'x\n' }, { as: mel })
  await world.jobs()
  const { reviews, approvals } = await world.call(getPull, otto, { repo: REPO, number })
  expect(reviews[0]).toMatchObject({ counted: false, why_not_counted: 'pushed' })
  expect(approvals.counted).toBe(0)
})

test('the pushes of an agent are its person’s, and changes requested by a pusher stand', async () => {
  const { world, mel, otto, ready, fork, approve, agent } = await setUp()
  const number = await ready(otto)
  await world.commit(fork(number), 'main', { 'bot.txt': 'x\n' }, { as: await agent(mel) })
  await world.jobs()
  expect(await approve(mel, number)).toBe('pushed')
  expect(
    await world.call(reviewPull, mel, {
      repo: REPO,
      number,
      verdict: 'request_changes',
      body: 'Not yet.',
    }),
  ).toMatchObject({ counted: true, why_not_counted: null })
})

test('whoever pushed the branch before it was opened, or while it was closed, counts as a pusher', async () => {
  const { world, mel, max, approve, branch, open } = await setUp()
  await branch('topic', mel, { 'x.txt': 'x\n' })
  const number = await open('topic', max)
  expect(await approve(mel, number)).toBe('pushed')
  await branch('other', max, { 'y.txt': 'y\n' })
  const second = await open('other', max)
  await world.call(closePull, max, { repo: REPO, number: second })
  await world.commit(REPO, 'other', { 'z.txt': 'z\n' }, { as: mel })
  await world.call(reopenPull, max, { repo: REPO, number: second })
  await world.jobs()
  expect(await approve(mel, second)).toBe('pushed')
})

test('merges by the forge are nobody’s own commits', async () => {
  const { world, ada, mel, max, branch, open, approve } = await setUp({
    dismiss_stale_approvals: false,
  })
  await branch('topic', max, { 'x.txt': 'x\n' })
  const number = await open('topic', max)
  await world.commit(REPO, 'main', { 'base.txt': 'x\n' }, { as: ada })
  await world.jobs()
  await world.call(updatePullBranch, mel, { repo: REPO, number })
  await world.jobs()
  expect(await approve(mel, number)).toBe('counted')
  // A suggestion that is applied is a commit of whoever applies it.
  await branch('other', max, { 'a.txt': text({ 3: 'three' }) })
  const other = await open('other', max)
  const { id } = await world.call(addComment, ada, {
    repo: REPO,
    number: other,
    body: '```suggestion\ndrei\n```',
    path: 'a.txt',
    line: 3,
  })
  await world.call(applySuggestion, mel, { repo: REPO, id })
  await world.jobs()
  expect(await approve(mel, other)).toBe('pushed')
})
