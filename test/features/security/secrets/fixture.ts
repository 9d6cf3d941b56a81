/** A repository, commits that hold secrets, and pushes of them. */
import { randomInt } from 'node:crypto'
import type { SignedIn } from '#core/caller.ts'
import { readRef, repoByPath } from '#features/repos/index.ts'
import { push } from '#features/repos/push/push.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { listSecretAlerts } from '#features/security/secrets/list-secret-alerts.ts'
import { randomBase62 } from '#lib/hash.ts'
import { makeWorld } from '../../../world.ts'

/** A token in the format of another service, which no service issued. */
export const madeUpToken = (): string => `ghp_${randomBase62(36)}`

const CONSONANTS = 'bcdfghjklmnpqrstvwxz'

/**
 * A line with a key that is never refused, because its rule has false matches. Letters and digits take
 * turns: the rule passes over a key in which some English word stands, and one random key in ninety
 * has such a word.
 */
export function looseSecret(): string {
  const pairs = Array.from(
    { length: 20 },
    () => `${CONSONANTS[randomInt(CONSONANTS.length)]}${randomInt(10)}`,
  )
  return `api_secret = "${pairs.join('')}"`
}

export async function makeSecretsWorld(settings: Record<string, boolean> = {}) {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada, members: [bob] })
  const repo = 'acme/site'
  await world.repo(repo, { as: ada, private: true })
  const main = await world.commit(repo, 'main', { 'README.md': 'Hello\n' })
  const configure = (change: Record<string, boolean>) =>
    world.call(updateRepoSettings, ada, { repo, ...change })
  if (Object.keys(settings).length > 0) await configure(settings)
  const row = () => {
    const found = repoByPath(world.hearth.db, repo)
    if (!found) throw new Error(`no repository ${repo}`)
    return found
  }
  const commit = async (
    parent: string | null,
    files: Record<string, string>,
    store = row().store,
  ) => {
    const author = {
      name: 'Ada',
      email: 'ada@example.com',
      time: Math.floor(world.clock.now() / 1000),
      zone: '+0000',
    }
    const made = await world.hearth.git.commitFiles(store, {
      parent,
      changes: Object.entries(files).map(([path, text]) => ({
        action: 'put' as const,
        path,
        data: new TextEncoder().encode(text),
      })),
      message: 'x',
      author,
      committer: author,
    })
    return made.commit
  }
  const pushTo = async (branch: string, to: string, as: SignedIn = ada) => {
    const name = `refs/heads/${branch}`
    const { results } = await world.call(push, as, {
      repo,
      updates: [{ name, old: readRef(world.hearth.db, row().id, name), new: to }],
    })
    const [result] = results
    if (!result) throw new Error('no result')
    return result
  }
  const alerts = async () => (await world.call(listSecretAlerts, ada, { repo })).items
  return { world, ada, bob, repo, main, row, commit, pushTo, alerts, configure }
}
