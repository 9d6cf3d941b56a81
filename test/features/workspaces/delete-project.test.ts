import { expect, test } from 'bun:test'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { deleteProject } from '#features/workspaces/delete-project.ts'
import { refusal } from '../../world.ts'
import { seeded } from './project-fixture.ts'

test('members create, list and update projects; owners delete them', async () => {
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
