import { expect, test } from 'bun:test'
import { makeWorld, refusal } from '../../world.ts'
import { createProject } from '#features/workspaces/create-project.ts'
import { getProject } from '#features/workspaces/get-project.ts'

test('members get a project with the repositories that they can see', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const out = await world.user('out')
  await world.workspace('acme', { owner: ada, members: [bob] })
  await world.repo('acme/site', { as: ada })
  await world.call(createProject, ada, {
    workspace: 'acme',
    slug: 'web',
    name: 'Web',
    repos: ['acme/site'],
  })
  expect(await world.call(getProject, bob, { workspace: 'acme', project: 'web' })).toMatchObject({
    slug: 'web',
    name: 'Web',
    repositories: ['acme/site'],
  })
  for (const [caller, project] of [
    [out, 'web'],
    [bob, 'none'],
  ] as const)
    expect(
      (await refusal(world.call(getProject, caller, { workspace: 'acme', project }))).code,
    ).toBe('not_found')
})
