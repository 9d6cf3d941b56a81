/** A workspace with shortcuts for its invitations. */
import type { UserCaller } from '#core/caller.ts'
import { acceptWorkspaceInvite } from '#features/workspaces/accept-workspace-invite.ts'
import { inviteMember } from '#features/workspaces/invite-member.ts'
import { listMembers } from '#features/workspaces/list-members.ts'
import { listMyWorkspaceInvites } from '#features/workspaces/list-my-workspace-invites.ts'
import { listWorkspaceInvites } from '#features/workspaces/list-workspace-invites.ts'
import { revokeWorkspaceInvite } from '#features/workspaces/revoke-workspace-invite.ts'
import { makeWorld } from '../../world.ts'

export async function seeded(change: Parameters<typeof makeWorld>[0] = {}) {
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
