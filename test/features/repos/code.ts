/** A public repository with two commits on main, for tests that read code. */
import { repoByPath } from '#features/repos/index.ts'
import { makeWorld } from '../../world.ts'

export const repo = 'acme/site'
export const guide = Array.from({ length: 12 }, (_, index) => `line ${index + 1}\n`).join('')
export const tagger = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000, zone: '+0000' }

export async function makeCode() {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada, members: [bob] })
  const site = await world.repo(repo)
  const one = await world.commit(
    repo,
    'main',
    { 'docs/guide.md': guide, 'a.ts': 'a\n' },
    { message: 'One\n\nbody' },
  )
  world.clock.advance(60_000)
  const two = await world.commit(repo, 'main', { 'a.ts': 'a\nb\n' }, { message: 'Two' })
  const row = () => {
    const found = repoByPath(world.hearth.db, repo)
    if (!found) throw new Error('the repository is gone')
    return found
  }
  return { world, ada, bob, site, one, two, row }
}
