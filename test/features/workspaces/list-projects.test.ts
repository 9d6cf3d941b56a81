import { expect, test } from 'bun:test'
import { makeWorld, refusal } from '../../world.ts'
import { createProject } from '#features/workspaces/create-project.ts'
import { setBasePermission } from '#features/workspaces/index.ts'
import { listProjects } from '#features/workspaces/list-projects.ts'

test('members list projects, newest first, in pages', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const out = await world.user('out')
  await world.workspace('acme', { owner: ada, members: [bob] })
  for (const slug of ['web', 'api', 'docs'])
    await world.call(createProject, ada, { workspace: 'acme', slug })
  const first = await world.call(listProjects, bob, { workspace: 'acme', per_page: 2 })
  expect([first.items.map(({ slug }) => slug), first.next]).toEqual([['docs', 'api'], '2'])
  expect((await refusal(world.call(listProjects, out, { workspace: 'acme' }))).code).toBe(
    'not_found',
  )
})

test('the projects of a repository are listed for those who see it', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada, members: [bob] })
  await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'none' })
  await world.repo('acme/secret', { as: ada, private: true })
  await world.repo('acme/site', { as: ada })
  for (const [slug, repo] of [
    ['web', 'acme/site'],
    ['vault', 'acme/secret'],
    ['empty', null],
  ] as const)
    await world.call(createProject, ada, { workspace: 'acme', slug, repos: repo ? [repo] : [] })
  const list = async (by: typeof ada, repo: string) =>
    (await world.call(listProjects, by, { workspace: 'acme', repo })).items.map(({ slug }) => slug)
  expect(await list(ada, 'acme/secret')).toEqual(['vault'])
  expect(await list(bob, 'acme/site')).toEqual(['web'])
  for (const repo of ['acme/secret', 'acme/none']) expect(await list(bob, repo)).toEqual([])
})
