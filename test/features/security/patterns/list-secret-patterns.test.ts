import { expect, test } from 'bun:test'
import { listSecretPatterns } from '#features/security/patterns/list-secret-patterns.ts'
import { setMemberPrivileges } from '#features/workspaces/set-member-privileges.ts'
import { refusal } from '../../../world.ts'
import { madeUpToken } from '../secrets/fixture.ts'
import { makePatternsWorld } from './fixture.ts'

test('patterns are listed by name, those of a workspace apart from those of a repository', async () => {
  const { world, ada, bob, repo, add } = await makePatternsWorld()
  await add({ name: 'B' })
  await add({ name: 'A' })
  await add({ name: 'C', repo: undefined, workspace: 'acme' })
  const names = async (owner: { repo?: string; workspace?: string }, as = ada) =>
    (await world.call(listSecretPatterns, as, owner)).items.map(({ name }) => name)
  expect(await names({ repo })).toEqual(['A', 'B'])
  expect(await names({ workspace: 'acme' })).toEqual(['C'])
  for (const owner of [{ repo }, { workspace: 'acme' }])
    expect(await refusal(names(owner, bob))).toMatchObject({ reason: 'role' })
})

test('what a workspace requires holds in a repository that turned it off', async () => {
  const { world, ada, main, commit, pushTo, configure } = await makePatternsWorld()
  await configure({ push_protection: false, secret_scanning: false })
  const bad = await commit(main, { a: madeUpToken() })
  expect((await pushTo('a', bad)).refused).toBeNull()
  await world.call(setMemberPrivileges, ada, { workspace: 'acme', push_protection_required: true })
  const other = await commit(main, { b: madeUpToken() })
  expect((await pushTo('b', other)).refused).toContain('b:1 holds a GitHub token')
})
