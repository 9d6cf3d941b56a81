/** The client of the engine beside git's own commands, as SSH runs them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { commandTransport, type RefSnapshot, type Transport } from '#git'
import { makeHistory, objectsOf, refsOf } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

let host: TestHost
let work: string
let source: string
const children: Bun.Subprocess[] = []

beforeAll(async () => {
  work = scratch()
  source = await makeHistory(work, 'source', { seed: 5, commits: 80 })
  host = await startHost()
})
afterAll(async () => {
  await Promise.all(children.map(({ exited }) => exited))
  await host.close()
  discard(work)
})

/** Runs git's commands on a folder. A server may not pass on which protocol is wanted. */
const commandsOn = (folder: string, { passes = true } = {}): Transport =>
  commandTransport(async (service, protocol) => {
    const child = Bun.spawn(['git', service.slice('git-'.length), folder], {
      env: {
        PATH: process.env.PATH,
        HOME: work,
        ...(passes && protocol !== null && { GIT_PROTOCOL: protocol }),
      },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    children.push(child)
    return {
      output: child.stdout,
      write: async (bytes) => {
        await child.stdin.write(Uint8Array.from(bytes))
        await child.stdin.flush()
      },
      end: () => void child.stdin.end(),
      complaint: new Response(child.stderr)
        .text()
        .then((text) => (text.trim() === '' ? null : text.trim())),
      stop: () => child.kill(),
    }
  })

const PREFIXES = ['refs/heads/', 'refs/tags/']
const EMPTY: RefSnapshot = { generation: 'nothing', head: 'refs/heads/main', refs: [] }

async function bring(store: string, transport: Transport, local = EMPTY): Promise<RefSnapshot> {
  const fetched = await host.git.fetchFrom(store, transport, {
    url: 'ssh://git@host/source',
    local,
    prefixes: PREFIXES,
    apply: async () => {},
  })
  return { generation: crypto.randomUUID(), head: 'refs/heads/main', refs: fetched.refs }
}

for (const passes of [true, false])
  test(`a whole repository and what is new, over protocol ${passes ? 2 : 0}`, async () => {
    const folder = join(work, `followed-${passes}`)
    await git(work, 'clone', '-q', '--mirror', source, folder)
    const store = `followed-${passes}`
    await host.git.createStore(store)
    const transport = commandsOn(folder, { passes })
    const first = await bring(store, transport)
    const tree = await git(folder, 'rev-parse', 'main^{tree}')
    const fresh = await git(folder, 'commit-tree', tree, '-p', 'main', '-m', 'Fresh')
    await git(folder, 'update-ref', 'refs/heads/fresh', fresh)
    const second = await bring(store, transport, first)
    const copy = join(work, `copy-${passes}`)
    await host.git.exportBare(store, second, copy)
    expect(await refsOf(copy)).toEqual(await refsOf(folder))
    expect(await objectsOf(copy)).toEqual(await objectsOf(folder))
  })

test('an empty repository, a push into it, and a ref that is refused', async () => {
  const folder = await makeEmpty('target')
  await host.create('one')
  await git(source, 'push', '-q', '--mirror', host.remote('one'))
  const local = await host.snapshot('one')
  const transport = commandsOn(folder)
  const options = { url: 'ssh://git@host/target', prefixes: PREFIXES }
  expect((await host.git.listRemote(transport, options)).refs).toEqual([])
  const push = (old: string | null) =>
    host.git.pushTo('one', transport, {
      ...options,
      local,
      commands: () => local.refs.map(({ name, oid }) => ({ name, old, new: oid })),
    })
  const report = await push(null)
  expect(report.results.filter(({ refused }) => refused !== null)).toEqual([])
  expect(await refsOf(folder)).toEqual(await refsOf(source))
  expect((await tryGit(folder, ['fsck', '--strict'])).code).toBe(0)
  const again = await push('1'.repeat(40))
  expect(again.results.every(({ refused }) => refused !== null)).toBe(true)
})

test('a command that does not run says why, and one that is no git is none', async () => {
  const options = { url: 'ssh://git@host/gone', prefixes: PREFIXES }
  const gone = host.git.listRemote(commandsOn(join(work, 'gone')), options)
  await expect(gone).rejects.toThrow(/the remote says: .*does not appear to be a git repository/)
  const chatty = commandTransport(async () => ({
    output: new Response('Welcome to this machine\n').body!,
    write: async () => {},
    end: () => {},
    complaint: Promise.resolve(null),
    stop: () => {},
  }))
  const welcomed = host.git.listRemote(chatty, options)
  await expect(welcomed).rejects.toThrow('this is no git server: "Welc"')
})

async function makeEmpty(name: string): Promise<string> {
  await git(work, 'init', '-q', '--bare', '-b', 'main', name)
  return join(work, name)
}
