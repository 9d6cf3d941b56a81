import { describe, expect, test } from 'bun:test'
import { listCollaborators } from '#features/collaborators/list-collaborators.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import type { UserCaller } from '#core/caller.ts'
import { makeRepoWorld } from './collaborator-fixture.ts'

describe('the role and its source', () => {
  test('the highest of owner, direct, base and team is named with where it comes from', async () => {
    const { world, ada, add, set, team, join, give, outsider, permission, people } =
      await makeRepoWorld()
    await team('Core')
    await join('core', 'cy')
    await give('core', 'triage')
    await outsider('oz', 'write')
    expect(await people()).toEqual([
      ['oz', 'write', 'direct', false, null],
      ['cy', 'triage', 'team', true, 'core'],
      ['ada', 'admin', 'owner', true, null],
    ])
    expect(await permission('dan')).toEqual(['none', null, true])
    await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'read' })
    expect(await permission('dan')).toEqual(['read', 'base', true])
    expect(await permission('cy')).toEqual(['triage', 'team', true])
    await add('dan', 'read')
    expect(await permission('dan')).toEqual(['read', 'direct', true])
    await set('cy', 'maintain')
    expect(await permission('cy')).toEqual(['maintain', 'direct', true])
    await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'admin' })
    expect([await permission('dan'), await permission('oz')]).toEqual([
      ['admin', 'base', true],
      ['write', 'direct', false],
    ])
    expect((await people()).map(([username]) => username)).toEqual([
      'oz',
      'dan',
      'cy',
      'bob',
      'ada',
    ])
  })
  test('the team with the higher role is named; a secret one only to those who see it', async () => {
    const { add, bob, team, join, give, people } = await makeRepoWorld()
    await team('Open')
    await team('Shadow', { visibility: 'secret' })
    for (const slug of ['open', 'shadow']) await join(slug, 'cy')
    await give('open', 'read')
    await give('shadow', 'triage')
    await add('bob', 'write')
    const cy = async (as?: UserCaller) => (await people(as)).find(([username]) => username === 'cy')
    expect(await cy()).toEqual(['cy', 'triage', 'team', true, 'shadow'])
    expect(await cy(bob)).toEqual(['cy', 'triage', 'team', true, null])
  })
})

describe('outside collaborators', () => {
  test('collaborators are paged', async () => {
    const { world, ada, repo, add } = await makeRepoWorld()
    for (const name of ['bob', 'cy', 'dan']) await add(name, 'read')
    const first = await world.call(listCollaborators, ada, { repo, per_page: 3 })
    expect([first.collaborators.map(({ username }) => username), first.next]).toEqual([
      ['dan', 'cy', 'bob'],
      '2',
    ])
    const second = await world.call(listCollaborators, ada, {
      repo,
      per_page: 3,
      cursor: first.next ?? '',
    })
    expect([second.collaborators.map(({ username }) => username), second.next]).toEqual([
      ['ada'],
      null,
    ])
  })
})
