import { describe, expect, test } from 'bun:test'
import { acceptRepoInvitation } from '#features/collaborators/accept-repo-invitation.ts'
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { getCollaboratorPermission } from '#features/collaborators/get-collaborator-permission.ts'
import { listCollaborators } from '#features/collaborators/list-collaborators.ts'
import { listOutsideCollaborators } from '#features/collaborators/list-outside-collaborators.ts'
import { removeCollaborator } from '#features/collaborators/remove-collaborator.ts'
import { updateCollaborator } from '#features/collaborators/update-collaborator.ts'
import { listAssignees } from '#features/issues/list-assignees.ts'
import { getRepo } from '#features/repos/get-repo.ts'
import { repoByPath } from '#features/repos/index.ts'
import { listRepos } from '#features/repos/list-repos.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { setMemberPrivileges } from '#features/workspaces/set-member-privileges.ts'
import { removeMember } from '#features/workspaces/remove-member.ts'
import { transferRepo } from '#features/repos/transfer-repo.ts'
import type { Role, UserCaller } from '#core/caller.ts'
import { agentOf, refusal, withToken, workspaceCaller } from '../../world.ts'
import { makeTeamWorld } from '../teams/fixture.ts'

async function makeRepoWorld() {
  const teams = await makeTeamWorld()
  const { world, ada } = teams
  const repo = 'acme/site'
  const add = (invitee: string, role: Role, as: UserCaller = ada) =>
    world.call(addCollaborator, as, { repo, invitee, role })
  return {
    ...teams,
    repo,
    add,
    /** Somebody from outside with a role. */
    outsider: async (name: string, role: Role) => {
      const person = await world.user(name)
      const { invitation } = await add(name, role)
      await world.call(acceptRepoInvitation, person, { id: invitation?.id ?? '' })
      return person
    },
    set: (username: string, role: Role, as: UserCaller = ada) =>
      world.call(updateCollaborator, as, { repo, username, role }),
    remove: (username: string, as: UserCaller = ada) =>
      world.call(removeCollaborator, as, { repo, username }),
    permission: async (username: string, as: UserCaller = ada) => {
      const { role, source, member } = await world.call(getCollaboratorPermission, as, {
        repo,
        username,
      })
      return [role, source, member]
    },
    people: async (as: UserCaller = ada) =>
      (await world.call(listCollaborators, as, { repo })).collaborators.map(
        ({ username, role, source, member, team }) => [username, role, source, member, team],
      ),
  }
}

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

  test('of two teams the one that gives more is named, a secret one only to those who see it', async () => {
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

  test('who may ask: write about others, anyone about oneself; unknown people are 404', async () => {
    const { world, bob, cy, out, add, permission, repo, ada } = await makeRepoWorld()
    await add('bob', 'triage')
    expect(await permission('bob', bob)).toEqual(['triage', 'direct', true])
    expect((await refusal(permission('ada', bob))).reason).toBe('role')
    expect((await refusal(permission('nobody'))).code).toBe('not_found')
    expect((await refusal(permission('cy', cy))).code).toBe('not_found')
    expect((await refusal(world.call(listCollaborators, bob, { repo }))).reason).toBe('role')
    expect((await refusal(world.call(listCollaborators, out, { repo }))).code).toBe('not_found')
    // Everyone reads what is public, which has no source.
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

describe('changing', () => {
  test('up and down, but never below base, team or ownership, and the refusal names the source', async () => {
    const { world, ada, cy, add, set, roleOf, team, join, give, out } = await makeRepoWorld()
    await add('cy', 'maintain')
    expect(await set('cy', 'read')).toMatchObject({ role: 'read', source: 'direct' })
    expect(await roleOf(cy)).toBe('read')
    expect(world.events('repo.collaborator_role_changed')).toMatchObject([
      { data: { username: 'cy', role: 'read', previous_role: 'maintain' } },
    ])
    await set('cy', 'read')
    expect(world.events('repo.collaborator_role_changed')).toHaveLength(1)
    await team('Core')
    await join('core', 'cy')
    await give('core', 'write')
    const below = await refusal(set('cy', 'triage'))
    expect([below.field, below.details, below.message.includes('team')]).toEqual([
      'role',
      { source: 'team' },
      true,
    ])
    await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'admin' })
    expect((await refusal(set('cy', 'maintain'))).details).toEqual({ source: 'base' })
    expect((await refusal(add('dan', 'write'))).details).toEqual({ source: 'base' })
    expect((await refusal(set('ada', 'write'))).details).toEqual({ source: 'owner' })
    expect((await refusal(set('out', 'write'))).code).toBe('not_found')
    expect((await refusal(set('cy', 'admin', out))).code).toBe('not_found')
    expect(
      world.hearth.db.one<{ role: string }>(
        'SELECT role FROM collaborators WHERE user_id = ?',
        cy.id,
      )?.role,
    ).toBe('read')
  })

  test('a grant ends by an admin or by oneself; what was not given cannot be taken', async () => {
    const { world, bob, cy, add, remove, roleOf, team, join, give, outsider, audits } =
      await makeRepoWorld()
    await add('bob', 'write')
    const oz = await outsider('oz', 'admin')
    expect((await refusal(remove('oz', bob))).reason).toBe('role')
    expect(await remove('bob', bob)).toBeNull()
    expect(await roleOf(bob)).toBe('nothing')
    expect((await refusal(remove('bob'))).code).toBe('not_found')
    await team('Core')
    await join('core', 'cy')
    await give('core', 'read')
    expect((await refusal(remove('cy'))).details).toEqual({ source: 'team' })
    expect((await refusal(remove('ada', oz))).details).toEqual({ source: 'owner' })
    expect(await roleOf(cy)).toBe('read')
    expect(await remove('oz', oz)).toBeNull()
    expect(world.events('repo.collaborator_removed').map(({ data }) => data)).toEqual([
      { username: 'bob', role: null, previous_role: 'write' },
      { username: 'oz', role: null, previous_role: 'admin' },
    ])
    expect(audits('repo.collaborator_removed')).toHaveLength(2)
  })

  test('whoever leaves the workspace keeps nothing that was given there', async () => {
    const { world, ada, bob, add, roleOf } = await makeRepoWorld()
    await add('bob', 'admin')
    await world.call(removeMember, ada, { workspace: 'acme', username: 'bob' })
    expect(await roleOf(bob)).toBe('nothing')
    expect(world.events('repo.collaborator_removed')).toMatchObject([
      { data: { username: 'bob', previous_role: 'admin' } },
    ])
  })

  test('a repository that moves takes along only people of the new workspace', async () => {
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
    const dropped = audits('repo.transferred')[0]?.data['dropped'] as {
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

describe('people from outside', () => {
  test('see the repository in lists, can be assigned, and are listed to owners', async () => {
    const { world, ada, bob, repo, outsider } = await makeRepoWorld()
    const oz = await outsider('oz', 'triage')
    await world.repo('acme/secret', { as: ada, private: true })
    expect((await world.call(listRepos, oz, {})).items.map(({ full_name }) => full_name)).toEqual([
      repo,
    ])
    expect(
      (await world.call(listRepos, withToken(oz, { repos: ['rep_other'] }), {})).items,
    ).toEqual([])
    expect(
      (await world.call(listRepos, withToken(oz, { workspace: 'wsp_other' }), {})).items,
    ).toEqual([])
    expect(
      (await world.call(listAssignees, ada, { repo })).items.map(({ username }) => username),
    ).toEqual(['ada', 'oz'])
    const { items } = await world.call(listOutsideCollaborators, ada, { workspace: 'acme' })
    expect(items).toMatchObject([
      {
        user: { username: 'oz' },
        repositories: [{ full_name: repo, role: 'triage' }],
        two_factor_enabled: false,
      },
    ])
    expect(
      (await refusal(world.call(listOutsideCollaborators, bob, { workspace: 'acme' }))).reason,
    ).toBe('role')
    expect(
      (await refusal(world.call(listOutsideCollaborators, oz, { workspace: 'acme' }))).code,
    ).toBe('not_found')
  })

  test('need the second factor that the workspace requires, as members do', async () => {
    const { world, ada, repo, outsider, roleOf } = await makeRepoWorld()
    const oz = await outsider('oz', 'write')
    const { database, db } = world.hearth
    database.run('UPDATE workspaces SET two_factor_requirement_enabled = 1')
    database.run('UPDATE users SET two_factor_enabled = 1 WHERE id = ?', ada.id)
    const blocked = await refusal(world.call(getRepo, oz, { repo }))
    expect([blocked.status, blocked.reason]).toEqual([403, 'two_factor_required'])
    expect(
      (
        await refusal(
          world.call(getRepo, agentOf(oz, repoByPath(db, repo) ?? { id: '' }, { id: 'agt_1' }), {
            repo,
          }),
        )
      ).reason,
    ).toBe('two_factor_required')
    // Nothing private shows in lists either, and what is public stays readable.
    expect((await world.call(listRepos, oz, {})).items).toEqual([])
    await world.repo('acme/open', { as: ada })
    expect((await world.call(getRepo, oz, { repo: 'acme/open' })).name).toBe('open')
    // Whoever was given nothing hears of nothing.
    expect((await refusal(world.call(getRepo, await world.user('stranger'), { repo }))).code).toBe(
      'not_found',
    )
    database.run('UPDATE users SET two_factor_enabled = 1 WHERE id = ?', oz.id)
    expect(await roleOf(oz)).toBe('write')
  })

  test('pages of people go on', async () => {
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
