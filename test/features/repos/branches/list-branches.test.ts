import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createBranch } from '#features/repos/branches/create-branch.ts'
import { setBranchPull } from '#features/repos/index.ts'
import { listBranches } from '#features/repos/branches/list-branches.ts'
import { makeCode, repo } from '../code.ts'

const { world, bob, site, two } = await makeCode()

test('a branch begins at the default one, and the list tells how far it is', async () => {
  const made = await world.call(createBranch, bob, { repo, branch: 'topic/x' })
  expect(made).toMatchObject({
    name: 'topic/x',
    default: false,
    protected: false,
    ahead: 0,
    behind: 0,
    commit: { sha: two, message: 'Two' },
    rules: [],
  })
  world.clock.advance(60_000)
  await world.commit(repo, 'topic/x', { 'b.txt': 'b' })
  await world.write((tx) => setBranchPull(tx, site.id, 'topic/x', 7))
  const { items, next } = await world.call(listBranches, anonymous, { repo })
  expect(items.map(({ name }) => name)).toEqual(['main', 'topic/x'])
  expect(items[0]).toMatchObject({ default: true, protected: true, pull: null })
  expect(items[0]?.rules).toContain('pull_request')
  expect(items[1]).toMatchObject({ ahead: 1, behind: 0, pull: 7 })
  expect(next).toBeNull()
  expect(
    (await world.call(listBranches, anonymous, { repo, q: 'PIC' })).items.map(({ name }) => name),
  ).toEqual(['topic/x'])
  expect((await world.call(listBranches, anonymous, { repo, per_page: 1 })).next).toBe('2')
})
