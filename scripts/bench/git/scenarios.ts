/**
 * What is measured of one repository: each scenario runs in turn against the forge and against
 * git's server.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../../support/git.ts'
import { cloneRequest, commitOn, drain, gitTo } from './client.ts'
import { isSmall, type Repository } from './repositories.ts'
import type { Server } from './servers.ts'

export type Scenario = {
  readonly name: string
  /**
   * How often it is run for one measurement: what takes milliseconds cannot be told from nothing in
   * ticks of the clock.
   */
  readonly repeat: number
  /** It is about what has not run before: nothing is warmed up. */
  readonly cold?: true
  /** Before the first measurement of each side. */
  readonly warm?: (server: Server) => Promise<void>
  /** Before every single run; not counted. */
  readonly each?: (server: Server) => Promise<void>
  /** Before each measurement; not counted. */
  readonly before?: (server: Server, round: number) => Promise<void>
  readonly run: (server: Server, at: number, round: number) => Promise<void>
}

/** Their names, in the order of the table. */
export const SCENARIOS = [
  'full clone',
  'full clone, asked for before',
  'clone of depth 1',
  'clone without blobs',
  'fetch of 1 commit',
  'fetch of 100 commits',
  'fetch of nothing new',
  'push of 1 commit',
  '8 clones at once',
  '50 fetches at once',
]

/** Bare clones of the repository as they were some commits ago. */
export type Clients = { readonly one: string; readonly hundred: string; readonly now: string }

/** The branch that moves before a measurement, so that no answer is one that was given before. */
const MOVING = 'bench-moving'

export function scenariosOf(
  repository: Repository,
  clients: Clients,
  directory: string,
): Scenario[] {
  const { name, branch, others } = repository
  let made = 0
  const place = (): string => join(directory, `client-${made++}`)
  const copies = new Map<string, string[]>()

  const move = async (server: Server): Promise<string> => {
    const commit = others[made++ % others.length] ?? repository.tip
    await gitTo(
      server,
      '-C',
      repository.path,
      'push',
      '-q',
      '--force',
      server.address(name),
      `${commit}:refs/heads/${MOVING}`,
    )
    return commit
  }
  const clone =
    (...options: string[]) =>
    async (server: Server): Promise<void> => {
      const path = place()
      await gitTo(server, 'clone', '-q', '--bare', ...options, server.address(name), path)
      rmSync(path, { recursive: true })
    }
  /**
   * Copies of a client, made before the clock runs; files are shared, and git changes none in
   * place.
   */
  const stock =
    (client: string, count: number) =>
    async (server: Server): Promise<void> => {
      for (const path of copies.get(server.name) ?? [])
        rmSync(path, { recursive: true, force: true })
      const made = Array.from({ length: count }, place)
      for (const path of made)
        if ((await Bun.spawn(['cp', '-al', client, path]).exited) !== 0)
          throw new Error(`cannot copy ${client}`)
      copies.set(server.name, made)
    }
  const fetchInto = (server: Server, at: number): Promise<void> =>
    gitTo(
      server,
      '-C',
      copies.get(server.name)?.[at] ?? '',
      'fetch',
      '-q',
      server.address(name),
      `refs/heads/${branch}:refs/heads/${branch}`,
    )
  const together = (count: number, one: (at: number) => Promise<void>): Promise<unknown> =>
    Promise.all(Array.from({ length: count }, (_, at) => one(at)))

  const small = isSmall(repository.bytes) ? 5 : 3
  return [
    {
      name: 'full clone',
      repeat: 1,
      before: async (server) => void (await move(server)),
      run: clone(),
    },
    {
      name: 'full clone, asked for before',
      repeat: 1,
      run: clone(),
      warm: async (server) => {
        // What is asked for a second time is kept from then on.
        for (let times = server.name === 'git' ? 1 : 2; times > 0; times--) await clone()(server)
      },
    },
    {
      name: 'clone of depth 1',
      repeat: 1,
      before: async (server) => void (await move(server)),
      run: clone('--depth', '1', '--branch', MOVING),
    },
    {
      name: 'clone without blobs',
      repeat: 1,
      before: async (server) => void (await move(server)),
      run: clone('--filter=blob:none'),
    },
    // A push comes before every fetch, as it does in life; it also makes sure that no answer was
    // given before.
    {
      name: 'fetch of 1 commit',
      repeat: 5,
      before: stock(clients.one, 5),
      each: async (server) => void (await move(server)),
      run: fetchInto,
    },
    {
      name: 'fetch of 100 commits',
      repeat: small,
      before: stock(clients.hundred, small),
      each: async (server) => void (await move(server)),
      run: fetchInto,
    },
    { name: 'fetch of nothing new', repeat: 10, before: stock(clients.now, 10), run: fetchInto },
    {
      name: 'push of 1 commit',
      repeat: 5,
      before: (server, round) =>
        commitOn(clients.now, repository.tip, pushed(server, round), `${server.name} ${round}`),
      run: async (server, at, round) => {
        const ref = `refs/heads/${pushed(server, round)[at]}`
        await gitTo(server, '-C', clients.now, 'push', '-q', server.address(name), `${ref}:${ref}`)
      },
    },
    {
      name: '8 clones at once',
      repeat: 1,
      before: async (server) => {
        const commit = await move(server)
        const tips = (
          await git(
            repository.path,
            'for-each-ref',
            '--format=%(objectname)',
            'refs/heads',
            'refs/tags',
          )
        )
          .trim()
          .split('\n')
        writeFileSync(
          join(directory, `request-${server.name}`),
          cloneRequest([...new Set([...tips, commit])]),
        )
      },
      run: async (server) =>
        void (await together(8, () =>
          drain(server, name, join(directory, `request-${server.name}`)),
        )),
    },
    {
      name: '50 fetches at once',
      repeat: 1,
      before: stock(clients.one, 50),
      each: async (server) => void (await move(server)),
      run: async (server) => void (await together(50, (at) => fetchInto(server, at))),
    },
  ]
}

const pushed = (server: Server, round: number): string[] =>
  Array.from({ length: 5 }, (_, at) => `bench-${server.name}-${round}-${at}`)

const MANY = 10_000
const PART = 500

/**
 * Adds ten thousand refs to a repository that both serve; `path` is the repository, `served` git's
 * copy of it.
 */
export async function addManyRefs(
  path: string,
  served: string,
  hearth: Server,
  name: string,
  directory: string,
): Promise<void> {
  const commits = (await git(path, 'rev-list', '-2500', 'HEAD')).trim().split('\n')
  const lines = Array.from(
    { length: MANY },
    (_, at) => `create refs/tags/many/${at} ${commits[at % commits.length]}\n`,
  )
  await updateRefs(served, lines)
  await git(served, 'pack-refs', '--all')
  // The time that a client needs to push refs grows with the square of their number: they go in
  // parts.
  for (let at = 0; at < MANY; at += PART) {
    const part = join(directory, `part-${at}`)
    await git('/', 'init', '-q', '--bare', part)
    writeFileSync(join(part, 'objects', 'info', 'alternates'), `${join(path, 'objects')}\n`)
    await updateRefs(part, lines.slice(at, at + PART))
    await gitTo(hearth, '-C', part, 'push', '-q', hearth.address(name), 'refs/tags/*:refs/tags/*')
    rmSync(part, { recursive: true })
  }
}

async function updateRefs(path: string, lines: readonly string[]): Promise<void> {
  const child = Bun.spawn(['git', '-C', path, 'update-ref', '--stdin'], {
    stdin: new Blob([lines.join('')]),
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if ((await child.exited) !== 0) throw new Error('git update-ref failed')
}
