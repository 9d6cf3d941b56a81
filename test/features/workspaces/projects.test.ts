import { expect, test } from 'bun:test'
import { deleteRepo } from '#features/repos/delete-repo.ts'
import { createProject } from '#features/workspaces/create-project.ts'
import { deleteProject } from '#features/workspaces/delete-project.ts'
import { listProjects } from '#features/workspaces/list-projects.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { updateProject } from '#features/workspaces/update-project.ts'
import { makeWorld, refusal, withToken } from '../../world.ts'

async function seeded() {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const out = await world.user('out')
  await world.workspace('acme', { owner: ada, members: [bob] })
  await world.repo('acme/site', { as: ada })
  await world.repo('acme/secret', { as: ada, private: true })
  const make = (slug: string, input: object = {}, as = ada) =>
    world.call(createProject, as, { workspace: 'acme', slug, ...input })
  const change = (project: string, input: object, as = ada) =>
    world.call(updateProject, as, { workspace: 'acme', project, ...input })
  const list = async (as = ada) => (await world.call(listProjects, as, { workspace: 'acme' })).items
  return { world, ada, bob, out, make, change, list }
}

test('members make, list and change projects; owners delete them', async () => {
  const { world, ada, bob, make, change, list } = await seeded()
  expect(await make('web', { repos: ['acme/site'] }, bob)).toMatchObject({
    slug: 'web',
    name: 'web',
    description: '',
    repositories: ['acme/site'],
    packages: [],
    owner: 'bob',
  })
  expect((await refusal(make('web'))).reason).toBe('already_exists')
  await make('all', { name: 'Everything', repos: ['acme/site', 'acme/secret'] })
  expect((await list()).map(({ slug, repositories }) => [slug, repositories])).toEqual([
    ['all', ['acme/secret', 'acme/site']],
    ['web', ['acme/site']],
  ])
  expect(await change('web', { name: 'The web', repos: [] }, bob)).toMatchObject({
    name: 'The web',
    repositories: [],
  })
  expect((await change('web', { name: '' })).name).toBe('web')
  const remove = (as = ada) => world.call(deleteProject, as, { workspace: 'acme', project: 'web' })
  expect((await refusal(remove(bob))).reason).toBe('role')
  expect(await remove()).toBeNull()
  expect((await refusal(remove())).code).toBe('not_found')
  await world.call(deleteRepo, ada, { repo: 'acme/site', confirm: 'acme/site' })
  expect((await list()).map(({ repositories }) => repositories)).toEqual([['acme/secret']])
  expect(
    world.hearth.db
      .all<{ action: string }>(
        `SELECT action FROM audit_log WHERE action LIKE 'project.%' ORDER BY id`,
      )
      .map(({ action }) => action),
  ).toEqual([
    'project.created',
    'project.created',
    'project.updated',
    'project.updated',
    'project.deleted',
  ])
})

test('nobody puts in, takes out or reads what they cannot see', async () => {
  const { world, ada, bob, make, change, list } = await seeded()
  await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'none' })
  expect((await refusal(make('x', { repos: ['acme/site', 'acme/secret'] }, bob))).field).toBe(
    'repos[1]',
  )
  expect(await list()).toEqual([])
  await make('all', { repos: ['acme/site', 'acme/secret'] })
  expect((await list(bob))[0]?.repositories).toEqual(['acme/site'])
  expect((await change('all', { repos: [] }, bob)).repositories).toEqual([])
  expect((await list())[0]?.repositories).toEqual(['acme/secret'])
})

test('refusals', async () => {
  const { world, ada, out, make, change, list } = await seeded()
  await make('web')
  expect((await refusal(make('x', {}, out))).code).toBe('not_found')
  expect((await refusal(list(out))).code).toBe('not_found')
  expect((await refusal(make('Not A Slug'))).field).toBe('slug')
  await world.workspace('other', { owner: ada })
  await world.repo('other/lib', { as: ada })
  expect((await refusal(change('web', { repos: ['other/lib'] }))).field).toBe('repos[0]')
  expect((await refusal(change('web', {}))).code).toBe('invalid')
  expect((await refusal(change('none', { name: 'x' }))).code).toBe('not_found')
  expect(
    (await refusal(make('y', {}, withToken(ada, { scopes: ['workspace:read'] })))).reason,
  ).toBe('scope')
})
