import { describe, expect, test } from 'bun:test'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { removeMember } from '#features/workspaces/remove-member.ts'
import { transferRepo } from '#features/repos/lifecycle/transfer-repo.ts'
import { makeRepoWorld } from './collaborator-fixture.ts'

describe('changing', () => {
  test('a user who leaves the workspace loses direct roles', async () => {
    const { world, ada, bob, add, roleOf } = await makeRepoWorld()
    await add('bob', 'admin')
    await world.call(removeMember, ada, { workspace: 'acme', username: 'bob' })
    expect(await roleOf(bob)).toBe('nothing')
    expect(world.events('repo.collaborator_removed')).toMatchObject([
      { data: { username: 'bob', previous_role: 'admin' } },
    ])
  })
  test('a transferred repository keeps only collaborators of the new workspace', async () => {
    const { world, ada, bob, cy, add, outsider, roleOf, audits } = await makeRepoWorld()
    await add('bob', 'write')
    await add('cy', 'write')
    await outsider('oz', 'read')
    await add('new@example.com', 'read')
    await world.workspace('other', { owner: ada, members: [cy] })
    await world.call(setBasePermission, ada, { workspace: 'other', base_permission: 'none' })
    await world.call(transferRepo, ada, { repo: 'acme/site', to: 'other' })
    expect([await roleOf(bob, 'other/site'), await roleOf(cy, 'other/site')]).toEqual([
      'nothing',
      'write',
    ])
    const dropped = audits('repo.transferred')[0]?.data.dropped as {
      kind: string
      name: string
    }[]
    expect(dropped.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
      'collaborator bob',
      'collaborator oz',
      'invitation new@example.com',
    ])
    expect(
      world.hearth.db.all<{ state: string }>(
        `SELECT state FROM invitations WHERE email IS NOT NULL`,
      ),
    ).toEqual([{ state: 'withdrawn' }])
  })
})
