/** A workspace without a base permission, so that only team roles count. */
import { createTeam } from '#features/teams/create-team.ts'
import { setTeamMember } from '#features/teams/set-team-member.ts'
import { setTeamRepo } from '#features/teams/set-team-repo.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import type { Caller, Role, UserCaller } from '#core/caller.ts'
import { makeWorld } from '../../world.ts'

export async function makeTeamWorld() {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const cy = await world.user('cy')
  const dan = await world.user('dan')
  const out = await world.user('out')
  const workspace = await world.workspace('acme', { owner: ada, members: [bob, cy, dan] })
  await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'none' })
  const site = await world.repo('acme/site', { as: ada, private: true })
  type New = Omit<NonNullable<(typeof createTeam)['__input']>, 'workspace' | 'name'>
  return {
    world,
    ada,
    bob,
    cy,
    dan,
    out,
    workspace,
    site,
    db: world.hearth.db,
    team: (name: string, input: New = {}, as: UserCaller = ada) =>
      world.call(createTeam, as, { workspace: 'acme', name, ...input }),
    join: (
      team: string,
      username: string,
      role: 'member' | 'maintainer' = 'member',
      as: UserCaller = ada,
    ) => world.call(setTeamMember, as, { workspace: 'acme', team, username, role }),
    give: (team: string, role: Role, as: UserCaller = ada, repo = 'acme/site') =>
      world.call(setTeamRepo, as, { workspace: 'acme', team, repo, role }),
    /** A caller's role on the repository, from `get_repo`. */
    roleOf: async (who: Caller, repo = 'acme/site'): Promise<string | null> => {
      try {
        return (await world.call(getRepo, who, { repo })).viewer_role
      } catch {
        return 'nothing'
      }
    },
    audits: (action: string) =>
      world.hearth.db
        .all<{ target_name: string; data: string; actor_id: string | null }>(
          'SELECT target_name, data, actor_id FROM audit_log WHERE action = ? ORDER BY id',
          action,
        )
        .map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> })),
  }
}
