import { expect, test } from 'bun:test'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { reopenPull } from '#features/pulls/lifecycle/reopen-pull.ts'
import { getBranch } from '#features/repos/branches/get-branch.ts'
import { deleteBranch } from '#features/repos/branches/delete-branch.ts'
import { renameBranch } from '#features/repos/branches/rename-branch.ts'
import { makePullWorld, REPO } from '../fixture.ts'

test('a pull request follows its branch and stays open', async () => {
  const { world, ada, mel, pull, fromBranch, ref } = await makePullWorld()
  const number = await fromBranch(mel)
  const before = pull(number)
  await world.call(renameBranch, ada, { repo: REPO, branch: 'feature', new_name: 'better' })
  expect(pull(number)).toMatchObject({
    status: 'open',
    branch: 'better',
    head_ref: 'better',
    head_sha: before.head_sha,
    base_ref: 'main',
    revision: before.revision,
  })
  expect(world.events('pull.closed')).toEqual([])
  expect(world.events('pull.updated').at(-1)?.data).toMatchObject({
    number,
    changed: ['branch'],
    head: before.head_sha,
  })
  expect((await world.call(getBranch, mel, { repo: REPO, branch: 'better' })).pull).toBe(number)
  // A push to the new name moves it; it merges as ever.
  const head = await world.commit(REPO, 'better', { 'b.txt': 'again\n' }, { as: mel })
  expect(pull(number).head_sha).toBe(head)
  await world.call(mergePull, mel, { repo: REPO, number })
  expect(pull(number)).toMatchObject({ status: 'merged', branch: 'better' })
  expect(ref('better')).toBeNull()
})

test('pull requests into a branch follow it, also those from forks', async () => {
  const { world, ada, mel, otto, pull, ready, fromBranch, ref, fork } = await makePullWorld()
  const outside = await ready(otto)
  const inside = await fromBranch(mel, 'feature', { 'a2.txt': 'a\n' })
  await world.call(renameBranch, ada, { repo: REPO, branch: 'main', new_name: 'trunk' })
  for (const number of [outside, inside]) {
    expect(pull(number)).toMatchObject({ status: 'open', base_ref: 'trunk' })
    expect((await world.call(getPull, ada, { repo: REPO, number })).pull.base.ref).toBe('trunk')
  }
  expect(
    world
      .events('pull.updated')
      .slice(-2)
      .map(({ data }) => data.changed),
  ).toEqual([['base'], ['base']])
  // The author goes on pushing where they did.
  const head = await world.commit(fork(outside), 'main', { 'b.txt': 'more\n' }, { as: otto })
  expect(pull(outside).head_sha).toBe(head)
  await world.call(mergePull, mel, { repo: REPO, number: outside })
  expect(pull(outside)).toMatchObject({ status: 'merged', merge_commit_sha: ref('trunk') })
  expect(ref('main')).toBeNull()
})

test('closed ones can be reopened under the new names, merged ones keep theirs', async () => {
  const { world, ada, mel, pull, fromBranch } = await makePullWorld({
    delete_branch_on_merge: false,
  })
  const merged = await fromBranch(mel, 'done', { 'c.txt': 'c\n' })
  await world.call(mergePull, mel, { repo: REPO, number: merged })
  const closed = await fromBranch(mel, 'later', { 'd.txt': 'd\n' })
  await world.call(closePull, mel, { repo: REPO, number: closed })
  const gone = await fromBranch(mel, 'gone', { 'e.txt': 'e\n' })
  await world.call(deleteBranch, mel, { repo: REPO, branch: 'gone' })
  await world.commit(REPO, 'gone', { 'f.txt': 'f\n' }, { as: mel })
  for (const branch of ['done', 'later', 'gone', 'main'])
    await world.call(renameBranch, ada, { repo: REPO, branch, new_name: `new-${branch}` })
  expect(pull(merged)).toMatchObject({ branch: 'done', base_ref: 'main' })
  // Another branch had the name by then.
  expect(pull(gone)).toMatchObject({ branch: 'gone', base_ref: 'new-main' })
  expect(await world.call(reopenPull, mel, { repo: REPO, number: closed })).toMatchObject({
    status: 'open',
    branch: 'new-later',
  })
})

test('a branch of a fork that is renamed stays its head', async () => {
  const { world, otto, pull, draft, fork } = await makePullWorld()
  const number = await draft(otto, null)
  const head = await world.commit(fork(number), 'topic', { 'b.txt': 'b2\n' }, { as: otto })
  expect(pull(number)).toMatchObject({ head_ref: 'topic', head_sha: head })
  await world.call(renameBranch, otto, { repo: fork(number), branch: 'topic', new_name: 'theme' })
  expect(pull(number)).toMatchObject({ head_ref: 'theme', head_sha: head, status: 'draft' })
})
