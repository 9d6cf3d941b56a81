/** A repository with people of every standing, for tests of what happens to repositories. */
import { listAudit } from '#core/audit.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { makeWorld, refusal } from '../../world.ts'
import type { Typed } from '#core/operation.ts'
import type { Caller } from '#core/caller.ts'

export async function makeLife() {
  const world = await makeWorld()
  const [ada, bob, eve] = [
    await world.user('ada'),
    await world.user('bob'),
    await world.user('eve'),
  ]
  const acme = await world.workspace('acme', { owner: ada, members: [bob] })
  const site = await world.repo('acme/site')
  await world.commit('acme/site', 'main', { 'a.txt': 'a\n' })
  return {
    world,
    ada,
    bob,
    eve,
    acme,
    site,
    audits: (action: string) =>
      listAudit(world.hearth.db, { action, limit: 50 }).map((row) => ({
        ...row,
        data: JSON.parse(row.data) as Record<string, unknown>,
      })),
    /** Every member may do everything on every repository. */
    admins: () =>
      world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'admin' }),
    pull: async () =>
      (await world.call(createPull, eve, { repo: 'acme/site', title: 'Change it' })).pull.number,
    status: async <I, O>(operation: Typed<I, O>, caller: Caller, input: NoInfer<I>) =>
      (await refusal(world.call(operation, caller, input))).status,
  }
}
