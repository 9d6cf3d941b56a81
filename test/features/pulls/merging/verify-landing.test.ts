import { expect, test } from 'bun:test'
import { landingProblem } from '#features/pulls/merging/verify-landing.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

test('a right landing passes; one that lost the base, has another tree or touches other paths does not', async () => {
  const { world, hearth, otto, draft, pull, ref, row } = await makePullWorld()
  const git = hearth.git
  const { store } = row()
  const merge_base = ref('main') ?? ''
  const number = await draft(otto, { 'b.txt': 'mine\n' })
  const base = await world.commit(REPO, 'main', { 'a.txt': text({ 2: 'theirs' }) })
  const head = pull(number).head_sha ?? ''
  const by = { name: 'x', email: 'x@example.com', time: 1, zone: '+0000' }
  const landing = await git.merge(store, {
    method: 'merge',
    base,
    head,
    message: 'x',
    author: by,
    committer: by,
  })
  if ('conflicts' in landing) throw new Error('conflicts')
  const place = { store, base, merge_base, head }
  expect(await landingProblem(git, { ...place, ...landing })).toBeNull()
  expect(await landingProblem(git, { ...place, commit: base, tree: landing.tree })).toBe(
    'nothing would land',
  )
  const reversed = await git.merge(store, {
    method: 'merge',
    base: head,
    head: base,
    message: 'x',
    author: by,
    committer: by,
  })
  if ('conflicts' in reversed) throw new Error('conflicts')
  expect(await landingProblem(git, { ...place, ...reversed })).toContain('first parents')
  const extra = await git.commitFiles(store, {
    parent: base,
    changes: [{ action: 'put', path: 'z.txt', data: new Uint8Array([122]) }],
    message: 'x',
    author: by,
    committer: by,
  })
  expect(await landingProblem(git, { ...place, ...extra })).toContain('another tree')
  expect(
    await landingProblem(git, { ...place, commit: extra.commit, tree: landing.tree }),
  ).toContain('than was built')
})
