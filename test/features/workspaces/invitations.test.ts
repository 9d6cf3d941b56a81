import { describe, expect, test } from 'bun:test'
import { anonymous, type UserCaller } from '#core/caller.ts'
import { findUser, listInvites, userCaller } from '#features/accounts/index.ts'
import { acceptWorkspaceInvite } from '#features/workspaces/accept-workspace-invite.ts'
import { declineWorkspaceInvite } from '#features/workspaces/decline-workspace-invite.ts'
import { getWorkspace } from '#features/workspaces/get-workspace.ts'
import { inviteMember } from '#features/workspaces/invite-member.ts'
import { listMembers } from '#features/workspaces/list-members.ts'
import { listMyWorkspaceInvites } from '#features/workspaces/list-my-workspace-invites.ts'
import { listWorkspaceInvites } from '#features/workspaces/list-workspace-invites.ts'
import { register } from '#features/workspaces/register.ts'
import { revokeWorkspaceInvite } from '#features/workspaces/revoke-workspace-invite.ts'
import { DAY } from '#lib/time.ts'
import { makeWorld, refusal, withToken, workspaceCaller } from '../../world.ts'
import { letters } from '../accounts/mailbox.ts'

async function seeded(change: Parameters<typeof makeWorld>[0] = {}) {
  const world = await makeWorld(change)
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const out = await world.user('out')
  const acme = await world.workspace('acme', { owner: ada, members: [bob] })
  return {
    world,
    ada,
    bob,
    out,
    acme,
    invite: (email: string, role?: 'member' | 'owner', as: UserCaller = ada) =>
      world.call(inviteMember, as, { workspace: 'acme', email, role }),
    accept: (id: string, as: UserCaller = out) => world.call(acceptWorkspaceInvite, as, { id }),
    revoke: (id: string, as: UserCaller = ada) =>
      world.call(revokeWorkspaceInvite, as, { workspace: 'acme', id }),
    mine: async (as: UserCaller = out) =>
      (await world.call(listMyWorkspaceInvites, as, {})).items.map(({ id }) => id),
    list: async (as: UserCaller = ada) =>
      (await world.call(listWorkspaceInvites, as, { workspace: 'acme' })).items,
    roles: async () =>
      Object.fromEntries(
        (await world.call(listMembers, ada, { workspace: 'acme' })).items.map(({ user, role }) => [
          user.username,
          role,
        ]),
      ),
    audits: (action: string) =>
      world.hearth.db
        .all<{ target_name: string }>('SELECT target_name FROM audit_log WHERE action = ?', action)
        .map(({ target_name }) => target_name),
  }
}

test('invited by address, accepted: a member at once, as what the invitation said', async () => {
  const { world, ada, out, acme, invite, accept, mine, list, roles, audits } = await seeded()
  const invitation = await invite('Out@example.com', 'owner')
  expect(invitation).toMatchObject({
    kind: 'workspace',
    workspace: 'acme',
    repository: null,
    invitee: null,
    email: 'out@example.com',
    role: 'owner',
    state: 'pending',
    invited_by: { username: 'ada' },
  })
  expect((await refusal(world.call(getWorkspace, out, { workspace: 'acme' }))).code).toBe(
    'not_found',
  )
  expect((await list()).map(({ id }) => id)).toEqual([invitation.id])
  expect(await mine()).toEqual([invitation.id])
  expect((await refusal(invite('out@example.com'))).reason).toBe('already_exists')
  expect(await accept(invitation.id)).toMatchObject({
    state: 'accepted',
    invitee: { username: 'out' },
  })
  expect(await roles()).toEqual({ out: 'owner', bob: 'member', ada: 'owner' })
  expect(world.events('member.added').at(-1)).toMatchObject({
    workspace_id: acme.id,
    actor_id: out.id,
    data: { username: 'out', role: 'owner' },
  })
  for (const action of ['workspace.member_invited', 'workspace.invitation_accepted'])
    expect([action, audits(action).length]).toEqual([action, 1])
  expect((await refusal(accept(invitation.id))).reason).toBe('not_open')
  expect((await refusal(invite('out@example.com'))).reason).toBe('already_exists')
  expect(ada.username).toBe('ada')
})

test('an unknown address: the mailed link lets its reader make an account, and accept once it is confirmed', async () => {
  const { world, ada, invite, accept, mine, roles } = await seeded({ sign_up: 'invite' })
  const { id } = await invite('new@example.com')
  const [letter] = await letters(world)
  expect(letter?.to).toBe('new@example.com')
  const [, path, code = ''] = /(\/invite\/\S+)\?code=(\S+)/.exec(letter?.text ?? '') ?? []
  expect(path).toBe(`/invite/${id}`)
  const enter = (email: string, invite?: string) =>
    world.call(register, anonymous, {
      username: 'newton',
      email,
      password: 'correct horse battery',
      invite,
    })
  // Who only knows that somebody was invited gets nothing from it.
  expect((await refusal(enter('new@example.com'))).field).toBe('invite')
  expect((await refusal(enter('other@example.com', code))).field).toBe('email')
  await enter('new@example.com', code)
  const newton = userCaller(world.hearth.db, findUser(world.hearth.db, 'newton')?.id ?? '')
  if (!newton) throw new Error('no account')
  expect(await mine(newton)).toEqual([])
  expect((await refusal(accept(id, newton))).reason).toBe('email_unconfirmed')
  await world.write((tx) =>
    tx.db.run('UPDATE emails SET verified_at = ? WHERE user_id = ?', tx.now, newton.id),
  )
  expect(await mine(newton)).toEqual([id])
  await accept(id, { ...newton, verified: true })
  expect((await roles())['newton']).toBe('member')
  expect((await world.call(listInvites, ada, {})).invites.map(({ state }) => state)).toEqual([
    'used',
  ])
})

test('taken back, the link makes no account any more; nor does it after seven days', async () => {
  const { world, ada, invite, revoke, list } = await seeded({ sign_up: 'invite' })
  const first = await invite('new@example.com')
  const [letter] = await letters(world)
  const code = /\?code=(\S+)/.exec(letter?.text ?? '')?.[1] ?? ''
  expect(await revoke(first.id)).toMatchObject({
    state: 'withdrawn',
    answered_at: expect.any(String),
  })
  const enter = () =>
    world.call(register, anonymous, {
      username: 'newton',
      email: 'new@example.com',
      password: 'correct horse battery',
      invite: code,
    })
  expect((await refusal(enter())).field).toBe('invite')
  const second = await invite('late@example.com')
  const late = /\?code=(\S+)/.exec((await letters(world)).at(-1)?.text ?? '')?.[1] ?? ''
  world.clock.advance(7 * DAY + 1)
  expect(
    (
      await refusal(
        world.call(register, anonymous, {
          username: 'late',
          email: 'late@example.com',
          password: 'correct horse battery',
          invite: late,
        }),
      )
    ).field,
  ).toBe('invite')
  expect((await refusal(revoke(second.id))).reason).toBe('not_open')
  expect((await list()).map(({ state }) => state)).toEqual(['expired', 'withdrawn'])
  expect((await invite('late@example.com')).state).toBe('pending')
  expect((await list()).map(({ state }) => state)).toEqual(['pending', 'expired', 'withdrawn'])
  world.clock.advance(24 * DAY)
  expect((await list()).map(({ state }) => state)).toEqual(['expired'])
  expect(ada.username).toBe('ada')
})

test('declined it gives nothing', async () => {
  const { world, out, invite, accept, mine, roles } = await seeded()
  const { id } = await invite('out@example.com')
  expect((await world.call(declineWorkspaceInvite, out, { id })).state).toBe('declined')
  expect((await refusal(accept(id))).reason).toBe('not_open')
  expect([await mine(), Object.keys(await roles())]).toEqual([[], ['bob', 'ada']])
})

test('whoever is in as many workspaces as one may be cannot accept, and the invitation stays open', async () => {
  const { world, out, invite, accept, mine, roles } = await seeded({ workspaces_per_person: 2 })
  await world.workspace('one', { owner: out })
  await world.workspace('two', { owner: out })
  const { id } = await invite('out@example.com')
  expect((await refusal(accept(id))).reason).toBe('limit_reached')
  expect(await mine()).toEqual([id])
  expect((await roles())['out']).toBeUndefined()
})

describe('refusals', () => {
  test('owners only, people only, the scope, an address', async () => {
    const { world, ada, bob, out, acme, invite, list, revoke } = await seeded()
    expect((await refusal(invite('x@example.com', 'member', bob))).reason).toBe('role')
    expect((await refusal(invite('x@example.com', 'member', out))).code).toBe('not_found')
    expect((await refusal(list(bob))).reason).toBe('role')
    expect(
      (
        await refusal(
          invite('x@example.com', 'member', withToken(ada, { scopes: ['workspace:admin'] })),
        )
      ).details,
    ).toEqual({ scope: 'access:admin' })
    const service = workspaceCaller(acme, { scopes: null })
    expect(
      (
        await refusal(
          world.call(inviteMember, service, { workspace: 'acme', email: 'x@example.com' }),
        )
      ).reason,
    ).toBe('person_required')
    expect(
      (await refusal(world.call(listWorkspaceInvites, service, { workspace: 'acme' }))).reason,
    ).toBe('person_required')
    for (const email of ['x', 'a b@c', '@x.com'])
      expect([email, (await refusal(invite(email))).field]).toEqual([email, 'email'])
    expect((await refusal(invite('bob@example.com'))).reason).toBe('already_exists')
    const { id } = await invite('x@example.com')
    expect((await refusal(revoke(id, bob))).reason).toBe('role')
    await world.workspace('other', { owner: out })
    expect(
      (await refusal(world.call(revokeWorkspaceInvite, out, { workspace: 'other', id }))).code,
    ).toBe('not_found')
    expect((await refusal(revoke('inv_nonsense'))).code).toBe('not_found')
    expect((await list()).map(({ state }) => state)).toEqual(['pending'])
  })

  test('somebody else’s is not there', async () => {
    const { bob, invite, accept, mine } = await seeded()
    const { id } = await invite('out@example.com')
    expect((await refusal(accept(id, bob))).code).toBe('not_found')
    expect(await mine(bob)).toEqual([])
  })
})
