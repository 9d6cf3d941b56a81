/** A forge and a remote of git's own server, which can be away, and people who push to both. */
import { afterAll } from 'bun:test'
import { join } from 'node:path'
import { createMirror } from '#features/mirrors/create-mirror.ts'
import { getMirror } from '#features/mirrors/get-mirror.ts'
import { watchMirrors } from '#features/mirrors/jobs.ts'
import type { MirrorSettings } from '#features/mirrors/schema.ts'
import { repoByPath } from '#features/repos/index.ts'
import { listRefsOf } from '../imports/refs.ts'
import { startBackend } from '../../git/support/backend.ts'
import { discard, git, scratch } from '../../git/support/real-git.ts'
import { makeWorld } from '../../world.ts'

/** A proxy before a server, that answers 503 while it is down and can watch requests. */
export function startDoor(behind: string) {
  const door = {
    isDown: false,
    /** The paths of all requests, and their connections by the port at the client. */
    asked: [] as { path: string; port: number }[],
    /** Called before a request is passed on. */
    before: async (_request: Request): Promise<void> => {},
    /** Whether the answer of the server behind is lost. */
    loses: (_request: Request): boolean => false,
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request, self) {
      const { pathname } = new URL(request.url)
      door.asked.push({ path: pathname, port: self.requestIP(request)?.port ?? 0 })
      if (door.isDown) return new Response('away', { status: 503 })
      await door.before(request)
      const url = new URL(request.url)
      const answer = await fetch(`${behind}${url.pathname}${url.search}`, {
        method: request.method,
        headers: request.headers,
        body: request.method === 'POST' ? await request.bytes() : null,
      })
      const bytes = await answer.bytes()
      if (door.loses(request)) return new Response('the line was cut', { status: 502 })
      const headers = new Headers(answer.headers)
      headers.delete('content-encoding')
      headers.delete('content-length')
      return new Response(bytes, { status: answer.status, headers })
    },
  })
  return Object.assign(door, {
    url: `http://127.0.0.1:${server.port}`,
    close: () => server.stop(true),
  })
}

export async function makeMirrorWorld() {
  const world = await makeWorld({ outbound_allow: ['http://127.0.0.1'] })
  const work = scratch()
  const backend = startBackend(work)
  const door = startDoor(backend.url)
  afterAll(async () => {
    await door.close()
    await backend.close()
    discard(work)
  })
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  let names = 0

  /** A repository here and an empty one on the remote, and a clone of a user of the remote. */
  async function pair() {
    const name = `r${++names}`
    const remote = join(work, `${name}.git`)
    const clone = join(work, `${name}-clone`)
    await git(work, 'init', '-q', '--bare', '-b', 'main', remote)
    await git(remote, 'config', 'http.receivepack', 'true')
    await git(work, 'clone', '-q', remote, clone)
    await git(clone, 'symbolic-ref', 'HEAD', 'refs/heads/main')
    await world.repo(`acme/${name}`)
    return makePair(name, remote, clone)
  }

  function makePair(name: string, remote: string, clone: string) {
    const repo = `acme/${name}`
    return {
      repo,
      remote,
      clone,
      url: `${door.url}/${name}.git`,
      /** Commits as a user of the remote and pushes. Gives the commit. */
      async push(branch: string, text: string): Promise<string> {
        await git(clone, 'fetch', '-q', 'origin', '--prune')
        await git(clone, 'checkout', '-q', '-B', branch)
        const { code } = await tryReset(clone, branch)
        if (code !== 0) await git(clone, 'checkout', '-q', '-B', branch)
        await git(clone, 'commit', '-q', '--allow-empty', '-m', text)
        await git(clone, 'push', '-q', '-f', 'origin', `${branch}:refs/heads/${branch}`)
        return git(clone, 'rev-parse', 'HEAD')
      },
      /** The branches and tags of the remote. */
      async theirs(): Promise<Map<string, string>> {
        const lines = await git(remote, 'for-each-ref', '--format=%(refname) %(objectname)')
        return new Map(
          lines
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => line.split(' ') as [string, string]),
        )
      },
      ours: () => listRefsOf(world.hearth, repo),
      link: async () => {
        const { remotes, plan } = await world.call(getMirror, ada, { repo })
        const [one] = remotes
        if (!one) throw new Error(`${repo} has no mirror`)
        return { ...one, plan }
      },
      lead: (settings: Partial<MirrorSettings> = {}) =>
        world.call(createMirror, ada, {
          repo,
          url: `${door.url}/${name}.git`,
          role: 'leader',
          name: 'origin',
          settings,
        }),
    }
  }

  return {
    world,
    ada,
    door,
    work,
    pair,
    row: (repo: string) => repoByPath(world.hearth.db, repo),
    /** Lets time pass in steps of a probe, with everything that is due in each. */
    async pass(milliseconds: number): Promise<void> {
      const until = world.clock.at + milliseconds
      while (world.clock.at < until) {
        world.clock.advance(Math.min(15_000, until - world.clock.at))
        await watch()
      }
    },
    watch,
  }

  /** Runs the sweep and what it starts. */
  async function watch(): Promise<void> {
    await world.write((tx) => void tx.enqueue(watchMirrors, null, { key: 'sweep' }))
    await world.jobs()
  }
}

async function tryReset(clone: string, branch: string) {
  const { tryGit } = await import('../../git/support/real-git.ts')
  return tryGit(clone, ['reset', '-q', '--hard', `origin/${branch}`])
}
