/** A world behind a listener, for what is asked over HTTP alone. */
import { afterAll } from 'bun:test'
import type { Settings } from '#core/settings.ts'
import { startServer } from '#http/server.ts'
import { GitServer } from '#http/git/git-server.ts'
import { silentLog } from '#lib/log.ts'
import type { UserCaller } from '#core/caller.ts'
import { createSettingsToken } from '#features/accounts/index.ts'
import { makeWorld } from '../world.ts'

export async function makeListening(change: Partial<Settings> = {}) {
  const world = await makeWorld(change)
  const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog, graceMs: 2000 })
  server.open(world.hearth, { git: new GitServer(world.hearth) })
  afterAll(() => server.stop())
  return {
    world,
    server,
    get: (path: string, headers: Record<string, string> = {}) =>
      fetch(server.url + path, { headers, redirect: 'manual' }),
    /** The secret of a new token of somebody. */
    async token(person: UserCaller, scopes?: string[]): Promise<string> {
      const made = await world.call(createSettingsToken, person, {
        name: 'test',
        ...(scopes ? { scopes } : {}),
      })
      return made.secret ?? ''
    },
  }
}
