/**
 * SSH clients of other authors against the built executable: each clones, fetches and pushes, and
 * real git compares what it has. Then ssh-audit, 100 clients at once, keys and members that are
 * removed in the middle of a clone, and a stranger who opens connections without signing in.
 * Prints a line for each.
 */
import { connect, type Socket } from 'node:net'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeHistory } from '../git/support/history.ts'
import { EXECUTABLE, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { git, withToken } from '../../scripts/support/git.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { freePort } from '../../scripts/support/ports.ts'
import { seedPeople } from './simulate/seed.ts'
import {
  opensshCommand,
  opensshKey,
  prepareClients,
  run,
  type Ran,
  type SshClient,
} from './ssh-clients/tools.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  tools: { kind: 'text', default: '', help: 'Where clients are fetched to, to be used again.' },
} as const satisfies Record<string, Option>

/** What ssh-audit says and cannot be mended; `assets/docs/ssh.md` says why. */
const KNOWN_WARNINGS = [
  'curve25519-sha256: does not provide protection against post-quantum attacks',
  'curve25519-sha256@libssh.org: does not provide protection against post-quantum attacks',
  'hmac-sha2-256: using encrypt-and-MAC mode',
]

type Api = (method: string, path: string, body?: unknown) => Promise<Response>
type Place = {
  readonly url: string
  readonly port: number
  readonly work: string
  readonly server: string
  readonly token: string
  readonly ada: Api
  readonly otto: Api
}

let failures = 0
function check(name: string, fault: string | null): void {
  if (fault !== null) failures++
  process.stdout.write(
    `${fault === null ? 'ok  ' : 'FAIL'} ${name}${fault === null ? '' : `: ${fault}`}\n`,
  )
}

const apiOf =
  (url: string, token: string): Api =>
  async (method, path, body) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }

const createRepo = (place: Place, name: string): Promise<Response> =>
  place.ada('POST', '/repos', { workspace: 'acme', name, private: true })

async function addKey(api: Api, title: string, key: string): Promise<string> {
  const added = await api('POST', '/user/keys', { title, key })
  return ((await added.json()) as { id: string }).id
}

const said = ({ error, out }: Ran): string => (error + out).trim().slice(-300)

/** One client's clone, fetch and push, compared by real git. */
async function tryClient(place: Place, client: SshClient, at: number): Promise<void> {
  const { work, server, port, url, token } = place
  const home = mkdtempSync(join(work, 'home-'))
  const key = join(home, 'key')
  await addKey(place.ada, client.name, await (client.makeKey ?? opensshKey)(key))
  const name = `client-${at}`
  await createRepo(place, name)
  const address = withToken(`${url}/acme/${name}.git`, token)
  await git(server, 'push', '-q', address, 'refs/heads/*:refs/heads/*')
  const clone = join(home, 'clone')
  const act = async (action: 'clone' | 'fetch' | 'push'): Promise<Ran> => {
    if ('command' in client) {
      const from = `ssh://git@127.0.0.1:${port}/acme/${name}.git`
      return await run([...client.command, action, clone, from, key, 'refs/heads/mine'], home)
    }
    const from = `git@127.0.0.1:acme/${name}.git`
    const args = {
      clone: ['clone', '-q', '--bare', from, clone],
      fetch: ['-C', clone, 'fetch', '-q', from, '+refs/heads/*:refs/heads/*'],
      push: ['-C', clone, 'push', '-q', from, 'refs/heads/mine'],
    }[action]
    const environment = {
      GIT_SSH_COMMAND: client.carries({ key, port, home }),
      GIT_SSH_VARIANT: 'simple',
    }
    return await run(['git', ...args], home, environment)
  }
  const shown = await run(client.version, home)
  const version = (shown.out || shown.error).trim().split('\n')[0]
  const step = async (
    action: 'clone' | 'fetch' | 'push',
    faultOf: () => Promise<string | null>,
  ) => {
    const ran = await act(action)
    check(`${client.name} (${version}): ${action}`, ran.status === 0 ? await faultOf() : said(ran))
    return ran.status === 0
  }
  const tips = async (of: string): Promise<string> =>
    await git(of, 'for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads')
  const whole = async (): Promise<string | null> => {
    await git(clone, 'fsck', '--full', '--no-dangling', '--no-progress')
    const main = (await git(server, 'rev-parse', 'main')).trim()
    return (await tips(clone)).includes(`${main} refs/heads/main`) ? null : 'main is another commit'
  }
  if (!(await step('clone', whole))) return
  const tree = (await git(server, 'rev-parse', 'main^{tree}')).trim()
  const commit = async (of: string, message: string): Promise<string> =>
    (await git(of, 'commit-tree', tree, '-p', 'main', '-m', message)).trim()
  const fresh = await commit(server, `for ${client.name}`)
  await git(server, 'push', '-q', address, `${fresh}:refs/heads/fresh`)
  await step('fetch', async () =>
    (await tips(clone)).includes(`${fresh} refs/heads/fresh`) ? null : 'the new branch is missing',
  )
  const mine = await commit(clone, `from ${client.name}`)
  await git(clone, 'update-ref', 'refs/heads/mine', mine)
  await step('push', async () =>
    (await git(server, 'ls-remote', address, 'refs/heads/mine')).startsWith(mine)
      ? null
      : 'the pushed branch is missing',
  )
}

type Notes = { readonly fail?: readonly string[]; readonly warn?: readonly string[] }
type Audit = Record<'kex' | 'key' | 'enc' | 'mac', readonly { algorithm: string; notes: Notes }[]>

async function audit({ port, work }: Place, program: string): Promise<void> {
  const ran = await run([program, '--skip-rate-test', '-j', '-p', String(port), '127.0.0.1'], work)
  const { kex, key, enc, mac } = JSON.parse(ran.out) as Audit
  const marks = [...kex, ...key, ...enc, ...mac].flatMap(({ algorithm, notes }) =>
    [...(notes.fail ?? []), ...(notes.warn ?? [])].map((mark) => `${algorithm}: ${mark}`),
  )
  const ours = marks.filter((mark) => !KNOWN_WARNINGS.includes(mark))
  check(
    `ssh-audit: ${marks.length} marks, all explained`,
    ours.length === 0 ? null : ours.join('; '),
  )
}

/** git over OpenSSH, as somebody with a key. */
function asPerson(place: Place, key: string, args: readonly string[]): Promise<Ran> {
  const person = { key, port: place.port, home: place.work }
  return run(['git', ...args], place.work, {
    GIT_SSH_COMMAND: opensshCommand(person),
    GIT_SSH_VARIANT: 'simple',
  })
}

async function hundredAtOnce(place: Place, key: string): Promise<void> {
  const began = performance.now()
  const clones = Array.from({ length: 100 }, (_, at) =>
    asPerson(place, key, [
      'clone',
      '-q',
      '--bare',
      'git@127.0.0.1:acme/client-0.git',
      `many-${at}`,
    ]),
  )
  const failed = (await Promise.all(clones)).filter(({ status }) => status !== 0)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const [first] = failed
  check(
    `100 clones at once (${seconds} s)`,
    first ? `${failed.length} failed: ${said(first)}` : null,
  )
}

/** A repository whose clone does not end while its client reads nothing. */
async function fillLarge(place: Place): Promise<void> {
  await createRepo(place, 'large')
  const directory = join(place.work, 'large')
  mkdirSync(directory)
  await git(directory, 'init', '-q', '-b', 'main')
  for (let at = 0; at < 48; at++) writeFileSync(join(directory, `${at}`), randomBytes(1024 ** 2))
  await git(directory, 'add', '.')
  await git(directory, 'commit', '-q', '-m', 'Large')
  await git(directory, 'push', '-q', withToken(`${place.url}/acme/large.git`, place.token), 'main')
}

/** Begins a clone, stops its client in the middle, does something else, and lets it go on. */
async function inTheMiddle(
  place: Place,
  name: string,
  key: string,
  act: () => Promise<unknown>,
): Promise<Ran> {
  const into = join(place.work, `${name.replaceAll(' ', '-')}`)
  // A transport that passes on 64 reads, at most 4 MiB, then nothing until the file is there.
  const gate = join(place.work, `${name.replaceAll(' ', '-')}.open`)
  const slow = join(place.work, 'slow.sh')
  const ssh = opensshCommand({ key, port: place.port, home: place.work })
  writeFileSync(
    slow,
    `#!/bin/sh\n${ssh} "$@" | { dd bs=64k count=64 status=none; : > "$GATE.begun"; while [ ! -e "$GATE" ]; do sleep .1; done; cat; }\n`,
    { mode: 0o755 },
  )
  const clone = run(
    ['git', 'clone', '-q', '--bare', 'git@127.0.0.1:acme/large.git', into],
    place.work,
    {
      GIT_SSH_COMMAND: slow,
      GIT_SSH_VARIANT: 'simple',
      GATE: gate,
    },
  )
  while (!(await Bun.file(`${gate}.begun`).exists())) await Bun.sleep(50)
  await act()
  // Rights of what runs are looked at every three seconds.
  await Bun.sleep(5_000)
  writeFileSync(gate, '')
  return await clone
}

async function endsInTheMiddle(
  place: Place,
  name: string,
  key: string,
  take: () => Promise<unknown>,
): Promise<void> {
  const ran = await inTheMiddle(place, name, key, take)
  const fault = ran.status === 0 ? 'it went on to its end' : ran.wasKilled ? 'it hangs' : null
  check(`${name}: a clone that was begun ends`, fault)
  const again = await asPerson(place, key, ['ls-remote', 'git@127.0.0.1:acme/large.git'])
  check(`${name}: nothing more can be read`, again.status === 0 ? 'it could' : null)
}

async function flood(place: Place, key: string): Promise<void> {
  let [greeted, closed] = [0, 0]
  const sockets: Socket[] = Array.from({ length: 400 }, () => {
    // Another network than that of the people below.
    const socket = connect({ host: '127.0.0.1', port: place.port, localAddress: '127.9.0.1' })
    socket.once('data', () => greeted++)
    socket.once('close', () => closed++)
    socket.on('error', () => {})
    return socket
  })
  await Bun.sleep(2_000)
  check(
    `of 400 connections of a stranger ${greeted} were greeted, ${closed} closed`,
    greeted <= 10 && closed >= 400 - 10 - 128 ? null : 'more than may be',
  )
  const other = await asPerson(place, key, ['ls-remote', 'git@127.0.0.1:acme/client-0.git'])
  check('somebody else signs in meanwhile', other.status === 0 ? null : said(other))
  for (const socket of sockets) socket.destroy()
}

async function all(place: Place, tools: string): Promise<void> {
  const { clients, audit: program } = await prepareClients(tools)
  for (const [at, client] of clients.entries())
    await tryClient(place, client, at).catch((error: Error) => check(client.name, error.message))
  await audit(place, program)
  const keys = { ada: join(place.work, 'ada'), otto: join(place.work, 'otto') }
  const adas = await addKey(place.ada, 'laptop', await opensshKey(keys.ada))
  await addKey(place.otto, 'laptop', await opensshKey(keys.otto))
  await hundredAtOnce(place, keys.ada)
  await flood(place, keys.ada)
  await fillLarge(place)
  const kept = await inTheMiddle(place, 'everybody stays', keys.otto, async () => {})
  check('everybody stays: a clone that stood still goes on', kept.status === 0 ? null : said(kept))
  await endsInTheMiddle(place, 'a removed member', keys.otto, () =>
    place.ada('DELETE', '/workspaces/acme/members/otto'),
  )
  await endsInTheMiddle(place, 'a removed key', keys.ada, () =>
    place.ada('DELETE', `/user/keys/${adas}`),
  )
}

await runScript('bun test/system/ssh-clients.ts [options]', OPTIONS, async (options) => {
  const work = mkdtempSync(join(tmpdir(), 'hearth-ssh-clients-'))
  const tools = options.tools === '' ? join(work, 'tools') : options.tools
  mkdirSync(tools, { recursive: true })
  const executable = join(work, 'hearth')
  copyFileSync(requireBuilt(options.executable), executable)
  const [data, log, port] = [join(work, 'data'), join(work, 'log'), freePort()]
  const tokens = await seedPeople(data, 'acme', ['ada', 'otto'])
  const environment = { HEARTH_SSH_LISTEN: `127.0.0.1:${port}` }
  const forge = await startForge({ executable, data, log, environment })
  const token = tokens.get('ada') ?? ''
  try {
    const server = await makeHistory(work, 'server', { seed: 7, commits: 150, files: 60 })
    const [ada, otto] = [apiOf(forge.url, token), apiOf(forge.url, tokens.get('otto') ?? '')]
    await all({ url: forge.url, port, work, server, token, ada, otto }, tools)
  } finally {
    await forge.stop()
    const faults = (await Bun.file(log).text())
      .split('\n')
      .filter((line) => line.includes('"level":"error"'))
    for (const line of faults.slice(0, 10)) check('the log', line)
    rmSync(work, { recursive: true, force: true })
  }
  process.stdout.write(`${failures} failures\n`)
  return failures === 0 ? 0 : 1
})
