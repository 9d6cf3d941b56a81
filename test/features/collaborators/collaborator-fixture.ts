/** A repository with shortcuts for its collaborators. */
import { acceptRepoInvitation } from '#features/collaborators/accept-repo-invitation.ts'
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { getCollaboratorPermission } from '#features/collaborators/get-collaborator-permission.ts'
import { listCollaborators } from '#features/collaborators/list-collaborators.ts'
import { removeCollaborator } from '#features/collaborators/remove-collaborator.ts'
import { updateCollaborator } from '#features/collaborators/update-collaborator.ts'
import type { Role, UserCaller } from '#core/caller.ts'
import { makeTeamWorld } from '../teams/fixture.ts'

export async function makeRepoWorld() {
  const teams = await makeTeamWorld()
  const { world, ada } = teams
  const repo = 'acme/site'
  const add = (invitee: string, role: Role, as: UserCaller = ada) =>
    world.call(addCollaborator, as, { repo, invitee, role })
  return {
    ...teams,
    repo,
    add,
    /** Creates an outside collaborator. */
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
