/** A workspace with a repository and people of every role, for runners. */
import { makeWorld } from '../../world.ts'

export const REPO = { repo: 'acme/site' } as const
export const WORKSPACE = { workspace: 'acme' } as const

export async function makeRunnersWorld() {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const root = await world.user('root', { site_admin: true })
  await world.workspace('acme', { owner: ada, members: [bob] })
  await world.repo(REPO.repo, { as: ada })
  return { world, ada, bob, root }
}
