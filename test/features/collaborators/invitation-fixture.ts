/** A repository with shortcuts for its invitations. */
import { acceptRepoInvitation } from '#features/collaborators/accept-repo-invitation.ts'
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { declineRepoInvitation } from '#features/collaborators/decline-repo-invitation.ts'
import { listMyRepoInvitations } from '#features/collaborators/list-my-repo-invitations.ts'
import { revokeRepoInvitation } from '#features/collaborators/revoke-repo-invitation.ts'
import type { Role, UserCaller } from '#core/caller.ts'
import { makeTeamWorld } from '../teams/fixture.ts'

export async function seeded() {
  const teams = await makeTeamWorld()
  const { world, ada, out } = teams
  const repo = 'acme/site'
  const invite = async (invitee = 'out', role: Role = 'write', as: UserCaller = ada) => {
    const { invitation } = await world.call(addCollaborator, as, { repo, invitee, role })
    if (!invitation) throw new Error('no invitation')
    return invitation
  }
  return {
    ...teams,
    repo,
    invite,
    accept: (id: string, as: UserCaller = out) => world.call(acceptRepoInvitation, as, { id }),
    decline: (id: string, as: UserCaller = out) => world.call(declineRepoInvitation, as, { id }),
    revoke: (id: string, as: UserCaller = ada) =>
      world.call(revokeRepoInvitation, as, { repo, id }),
    mine: async (as: UserCaller = out) =>
      (await world.call(listMyRepoInvitations, as, {})).items.map(({ id }) => id),
  }
}
