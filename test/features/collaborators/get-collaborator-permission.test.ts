import { describe, expect, test } from 'bun:test'
import { getCollaboratorPermission } from '#features/collaborators/get-collaborator-permission.ts'
import { listCollaborators } from '#features/collaborators/list-collaborators.ts'
import { refusal } from '../../world.ts'
import { makeRepoWorld } from './collaborator-fixture.ts'

describe('the role and its source', () => {
  test('users with write ask about others, everyone about themselves', async () => {
    const { world, bob, cy, out, add, permission, repo, ada } = await makeRepoWorld()
    await add('bob', 'triage')
    expect(await permission('bob', bob)).toEqual(['triage', 'direct', true])
    expect((await refusal(permission('ada', bob))).reason).toBe('role')
    expect((await refusal(permission('nobody'))).code).toBe('not_found')
    expect((await refusal(permission('cy', cy))).code).toBe('not_found')
    expect((await refusal(world.call(listCollaborators, bob, { repo }))).reason).toBe('role')
    expect((await refusal(world.call(listCollaborators, out, { repo }))).code).toBe('not_found')
    // Everyone reads a public repository. That role has no source.
    await world.repo('acme/open', { as: ada })
    const open = await world.call(getCollaboratorPermission, out, {
      repo: 'acme/open',
      username: 'out',
    })
    expect(open).toMatchObject({
      role: 'read',
      source: null,
      member: false,
      permissions: { read: true, triage: false },
    })
  })
})
