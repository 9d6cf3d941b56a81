import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { findUser, listInvites, userCaller } from '#features/accounts/index.ts'
import { inviteMember } from '#features/workspaces/invite-member.ts'
import { listWorkspaceInvites } from '#features/workspaces/list-workspace-invites.ts'
import { register } from '#features/workspaces/register.ts'
import { revokeWorkspaceInvite } from '#features/workspaces/revoke-workspace-invite.ts'
import { refusal, withToken, workspaceCaller } from '../../world.ts'
import { sentMails } from '../accounts/mailbox.ts'
import { seeded } from './invitation-fixture.ts'

test('an unknown address: the mailed link lets its reader make an account, and accept once it is confirmed', async () => {
  const { world, ada, invite, accept, mine, roles } = await seeded({ sign_up: 'invite' })
  const { id } = await invite('new@example.com')
  const [letter] = await sentMails(world)
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
  // Knowing the invitation without its code is not enough.
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
  expect((await roles()).newton).toBe('member')
  expect((await world.call(listInvites, ada, {})).invites.map(({ state }) => state)).toEqual([
    'used',
  ])
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
})
