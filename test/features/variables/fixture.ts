/** A workspace with a repository, a project and people of every role. */
import type { UserCaller } from '#core/caller.ts'
import { setSecret } from '#features/variables/set-secret.ts'
import { setVariable } from '#features/variables/set-variable.ts'
import { makeWorld } from '../../world.ts'

export const REPO = { repo: 'acme/site' } as const
export const WORKSPACE = { workspace: 'acme' } as const

type Input = Omit<NonNullable<(typeof setVariable)['__input']>, 'repo' | 'workspace'>

export async function makeVariablesWorld() {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const eve = await world.user('eve')
  await world.workspace('acme', { owner: ada, members: [bob] })
  const repo = await world.repo('acme/site', { as: ada, private: true })
  const variable = (
    setting: string,
    input: Omit<Input, 'setting'> = {},
    target: typeof REPO | typeof WORKSPACE = REPO,
    as: UserCaller = ada,
  ) => world.call(setVariable, as, { ...target, ...input, setting })
  const secret = (
    setting: string,
    input: Omit<Input, 'setting'> = {},
    target: typeof REPO | typeof WORKSPACE = REPO,
    as: UserCaller = ada,
  ) => world.call(setSecret, as, { ...target, ...input, setting })
  /** The text of every row of every table. */
  const everything = (): string =>
    world.hearth.db
      .all<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table'`)
      .map(({ name }) => JSON.stringify(world.hearth.db.all(`SELECT * FROM "${name}"`)))
      .join('\n')
  return { world, ada, bob, eve, repo, variable, secret, everything }
}
