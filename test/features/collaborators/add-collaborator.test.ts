import { describe, expect, test } from 'bun:test'
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { setMemberPrivileges } from '#features/workspaces/set-member-privileges.ts'
import { agentOf, refusal, withToken, workspaceCaller } from '../../world.ts'
import { makeRepoWorld } from './collaborator-fixture.ts'

describe('adding', () => {
  test('a member has the role at once; the event and the log say so', async () => {
    const { world, bob, ada, add, roleOf, audits, site } = await makeRepoWorld()
    const { collaborator, invitation } = await add('@Bob', 'maintain')
    expect(invitation).toBeNull()
    expect(collaborator).toMatchObject({
      username: 'bob',
      role: 'maintain',
      source: 'direct',
      team: null,
      member: true,
      permissions: { maintain: true, admin: false },
    })
    expect(await roleOf(bob)).toBe('maintain')
    expect(world.events('repo.collaborator_added')).toMatchObject([
      {
        repo_id: site.id,
        actor_id: ada.id,
        data: { username: 'bob', role: 'maintain', previous_role: null },
      },
    ])
    expect(audits('repo.collaborator_added')).toMatchObject([
      { target_name: 'bob', data: { after: { role: 'maintain' } } },
    ])
    expect((await refusal(add('bob', 'admin'))).reason).toBe('already_exists')
    expect((await add('cy@example.com', 'read')).collaborator).toMatchObject({ username: 'cy' })
    await world.jobs()
    expect(world.hearth.db.all('SELECT 1 FROM invitations')).toEqual([])
  })

  test('needs admin, a person, the scope, and somebody who exists', async () => {
    const { world, add, bob, cy, ada, out, workspace, site, repo, roleOf } = await makeRepoWorld()
    await add('bob', 'maintain')
    expect((await refusal(add('cy', 'read', bob))).reason).toBe('role')
    expect((await refusal(add('cy', 'read', out))).code).toBe('not_found')
    expect(
      (await refusal(add('cy', 'read', withToken(ada, { scopes: ['repo:admin'] })))).details,
    ).toEqual({ scope: 'access:admin' })
    const input = { repo, invitee: 'cy', role: 'read' as const }
    expect(
      (await refusal(world.call(addCollaborator, agentOf(ada, site, { id: 'agt_x' }), input)))
        .reason,
    ).toBe('person_required')
    expect(
      (await refusal(world.call(addCollaborator, workspaceCaller(workspace), input))).reason,
    ).toBe('person_required')
    for (const invitee of ['nobody', 'a b', 'not@@mail'])
      expect([invitee, (await refusal(add(invitee, 'read'))).field]).toEqual([invitee, 'invitee'])
    expect(await roleOf(cy)).toBe('nothing')
    expect(world.events('repo.collaborator_added')).toHaveLength(1)
  })

  test('where members may not invite from outside, only owners do', async () => {
    const { world, ada, bob, add } = await makeRepoWorld()
    await add('bob', 'admin')
    await world.call(setMemberPrivileges, ada, {
      workspace: 'acme',
      members_can_invite_outside_collaborators: false,
    })
    expect((await refusal(add('out', 'read', bob))).reason).toBe('role')
    expect((await refusal(add('new@example.com', 'read', bob))).reason).toBe('role')
    expect((await add('cy', 'read', bob)).collaborator?.username).toBe('cy')
    expect((await add('out', 'read')).invitation?.state).toBe('pending')
  })
})
