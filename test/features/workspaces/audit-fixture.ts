/** A workspace with a reader of its audit log. */
import { makeWorld } from '../../world.ts'

export async function seeded() {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const acme = await world.workspace('acme', { owner: ada, members: [bob] })
  const audits = (action: string) =>
    world.hearth.db
      .all<{ data: string }>('SELECT data FROM audit_log WHERE action = ? ORDER BY id', action)
      .map(({ data }) => JSON.parse(data) as Record<string, unknown>)
  return { world, ada, bob, acme, audits }
}
