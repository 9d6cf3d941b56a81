/** A forge that may reach this machine, and git's own server with a repository to copy. */
import { afterAll } from 'bun:test'
import type { Settings } from '#core/settings.ts'
import { retryPauses } from '#features/imports/forges/open-forge.ts'
import { listRefsOf } from './refs.ts'
import { startBackend, type Backend } from '../../git/support/backend.ts'
import { makeHistory, refsOf } from '../../git/support/history.ts'
import { discard, scratch } from '../../git/support/real-git.ts'
import { makeWorld } from '../../world.ts'

export async function makeImportWorld(change: Partial<Settings> = {}) {
  const world = await makeWorld({ outbound_allow: ['http://127.0.0.1'], ...change })
  retryPauses(world.hearth).ms = [1, 1]
  const work = scratch()
  const source = await makeHistory(work, 'source.git', { seed: 5, commits: 60 })
  const backends: Backend[] = []
  const backend = (options: Parameters<typeof startBackend>[1] = {}): Backend => {
    const made = startBackend(work, options)
    backends.push(made)
    return made
  }
  afterAll(async () => {
    for (const one of backends) await one.close()
    discard(work)
  })
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const eve = await world.user('eve')
  await world.workspace('acme', { owner: ada, members: [bob] })
  return {
    world,
    work,
    source,
    backend,
    ada,
    bob,
    eve,
    wanted: () => refsOf(source),
    refs: (repo: string) => listRefsOf(world.hearth, repo),
    row: (id: string) =>
      world.hearth.db.one<Record<string, unknown>>('SELECT * FROM imports WHERE id = ?', id),
  }
}

/** A server that accepts requests and says nothing, until it is let go. */
export function startSilent() {
  let arrived: () => void
  const asked = new Promise<void>((resolve) => (arrived = resolve))
  const gone: Promise<void>[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: (request) => {
      gone.push(new Promise((resolve) => request.signal.addEventListener('abort', () => resolve())))
      arrived()
      return new Promise<Response>(() => {})
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, asked, gone, close: () => server.stop(true) }
}
