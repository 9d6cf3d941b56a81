import { expect, test } from 'bun:test'
import { createBranch } from '#features/repos/branches/create-branch.ts'
import { deleteBranch } from '#features/repos/branches/delete-branch.ts'
import { getBranch } from '#features/repos/branches/get-branch.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { locateCode } from '#features/repos/files/locate-code.ts'
import { refsOf } from '#features/repos/index.ts'
import { renameBranch } from '#features/repos/branches/rename-branch.ts'
import { refusal } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

const repo = 'acme/site'

test('a branch has another name and the same commit, by one event that is no push', async () => {
  const { world, ada, bob, site, audits } = await makeLife()
  const { commit } = await world.call(createBranch, bob, { repo, branch: 'old' })
  const pushes = world.events('git.push').length
  const generation = refsOf(world.hearth, site.id).generation
  expect(
    await world.call(renameBranch, bob, { repo, branch: 'old', new_name: 'new' }),
  ).toMatchObject({ name: 'new', commit: { sha: commit.sha }, default: false })
  expect(world.events('branch.renamed').map(({ data }) => data)).toEqual([
    { previous: 'old', branch: 'new' },
  ])
  expect(world.events('git.push').length).toBe(pushes)
  expect(refsOf(world.hearth, site.id).generation).not.toBe(generation)
  expect(refsOf(world.hearth, site.id).refs.map(({ name }) => name)).toEqual([
    'refs/heads/main',
    'refs/heads/new',
  ])
  expect((await refusal(world.call(getBranch, ada, { repo, branch: 'old' }))).status).toBe(404)
  expect(audits('branch.renamed')).toMatchObject([
    { data: { before: { branch: 'old' }, after: { branch: 'new' } } },
  ])
})

test('the default branch is renamed by admins, and HEAD goes along', async () => {
  const { world, ada, bob, site } = await makeLife()
  expect(
    await refusal(world.call(renameBranch, bob, { repo, branch: 'main', new_name: 'trunk' })),
  ).toMatchObject({ status: 403, reason: 'role' })
  expect(
    await world.call(renameBranch, ada, { repo, branch: 'main', new_name: 'trunk' }),
  ).toMatchObject({ name: 'trunk', default: true, protected: true })
  expect((await world.call(getRepo, ada, { repo })).default_branch).toBe('trunk')
  expect(refsOf(world.hearth, site.id).head).toBe('refs/heads/trunk')
  expect(world.events('repo.default_branch_changed').at(-1)?.data).toEqual({
    previous: 'main',
    default_branch: 'trunk',
  })
})

test('names that are taken, bad, or in the way are refused; a name may go below itself', async () => {
  const { world, ada, bob, eve } = await makeLife()
  for (const branch of ['a', 'b', 'c/d']) await world.call(createBranch, bob, { repo, branch })
  const rename = (branch: string, new_name: string) =>
    world.call(renameBranch, bob, { repo, branch, new_name })
  expect(await refusal(rename('a', 'b'))).toMatchObject({ status: 409, reason: 'already_exists' })
  expect(await refusal(rename('a', 'b/c'))).toMatchObject({ status: 409, reason: 'already_exists' })
  expect(await refusal(rename('a', 'c'))).toMatchObject({ status: 409, reason: 'already_exists' })
  for (const bad of ['-x', 'x..y', 'HEAD', 'a b', 'x.lock'])
    expect(await refusal(rename('a', bad))).toMatchObject({ status: 422, field: 'new_name' })
  expect((await refusal(rename('none', 'x'))).status).toBe(404)
  expect(
    (await refusal(world.call(renameBranch, eve, { repo, branch: 'a', new_name: 'x' }))).status,
  ).toBe(403)
  expect(world.events('branch.renamed')).toEqual([])
  await rename('a', 'a')
  expect(world.events('branch.renamed')).toEqual([])
  expect((await rename('a', 'a/b')).name).toBe('a/b')
  expect((await rename('a/b', 'a')).name).toBe('a')
  expect((await world.call(getBranch, ada, { repo, branch: 'a' })).name).toBe('a')
})

test('addresses with an old name find the branch under its newest one, while nothing else has the name', async () => {
  const { world, ada, bob } = await makeLife()
  await world.commit(repo, 'feature/one', { 'src/x.ts': 'x\n' })
  const at = async (rest: string) => {
    const { ref, path, renamed } = await world.call(locateCode, ada, { repo, rest })
    return { ref, path, renamed }
  }
  await world.call(renameBranch, bob, { repo, branch: 'feature/one', new_name: 'two' })
  expect(await at('feature/one/src/x.ts')).toEqual({ ref: 'two', path: 'src/x.ts', renamed: true })
  expect(await at('two/src/x.ts')).toEqual({ ref: 'two', path: 'src/x.ts', renamed: false })
  await world.call(renameBranch, bob, { repo, branch: 'two', new_name: 'three' })
  for (const old of ['feature/one', 'two'])
    expect(await at(old)).toEqual({ ref: 'three', path: '', renamed: true })
  // A new branch takes the name; when it goes, the name leads nowhere.
  await world.call(createBranch, bob, { repo, branch: 'two', from: 'main' })
  expect(await at('two')).toEqual({ ref: 'two', path: '', renamed: false })
  await world.call(deleteBranch, bob, { repo, branch: 'two' })
  expect((await refusal(at('two'))).status).toBe(404)
  await world.call(renameBranch, bob, { repo, branch: 'three', new_name: 'feature/one' })
  expect(await at('feature/one')).toEqual({ ref: 'feature/one', path: '', renamed: false })
  await world.call(deleteBranch, bob, { repo, branch: 'feature/one' })
  for (const old of ['feature/one', 'three']) expect((await refusal(at(old))).status).toBe(404)
})
