import { expect, test } from 'bun:test'
import { makeWorld, refusal } from '../../world.ts'
import { createProject } from '#features/workspaces/create-project.ts'
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
