/**
 * git-lfs itself against the built executable: a file of 2 GiB goes up and comes back over HTTP while
 * the resident memory of the server is watched, locks, and the digest of a file of another
 * repository, with which nobody gets that file.
 * `bun test/system/lfs-clients.ts [--megabytes 2048]`
 */
import { createHash } from 'node:crypto'
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXECUTABLE, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { withToken } from '../../scripts/support/git.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { seedPeople } from './simulate/seed.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  megabytes: { kind: 'count', default: '2048', help: 'The size of the large file.' },
} as const satisfies Record<string, Option>

const MAX_MORE_MIB = 96
const SAMPLE_MS = 50

let failures = 0
function check(name: string, isGood: boolean): void {
  if (!isGood) failures++
  process.stdout.write(`${isGood ? 'ok  ' : 'FAIL'} ${name}\n`)
}

async function run(cwd: string, home: string, ...command: string[]): Promise<string> {
  const child = Bun.spawn(command, {
    cwd,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_NOSYSTEM: '1',
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (status !== 0) throw new Error(`${command.join(' ')}: ${(out + error).slice(-500)}`)
  return out + error
}

const residentMib = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** The most memory that a process has while something is done, beyond what it had before. */
async function growthOf(pid: number, act: () => Promise<unknown>): Promise<number> {
  const before = residentMib(pid)
  let most = before
  const timer = setInterval(() => (most = Math.max(most, residentMib(pid))), SAMPLE_MS)
  await act()
  clearInterval(timer)
  return most - before
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

async function largeFile(url: string, pid: number, home: string, megabytes: number) {
  const work = join(home, 'work')
  await run(home, home, 'git', 'init', '-q', '-b', 'main', work)
  await run(work, home, 'git', 'lfs', 'track', '*.bin')
  await run(work, home, 'dd', 'if=/dev/urandom', 'of=large.bin', 'bs=1M', `count=${megabytes}`)
  const digest = await digestOf(join(work, 'large.bin'))
  await run(work, home, 'git', 'add', '.')
  await run(work, home, 'git', 'commit', '-q', '-m', 'Large')
  const up = await growthOf(pid, () => run(work, home, 'git', 'push', '-q', url, 'main'))
  check(`${megabytes} MiB up: ${up.toFixed(0)} MiB more`, up <= MAX_MORE_MIB)
  rmSync(join(work, '.git', 'lfs'), { recursive: true })
  rmSync(join(work, 'large.bin'))
  const copy = join(home, 'copy')
  const down = await growthOf(pid, () => run(home, home, 'git', 'clone', '-q', url, copy))
  check(`${megabytes} MiB down: ${down.toFixed(0)} MiB more`, down <= MAX_MORE_MIB)
  check('the same bytes came back', (await digestOf(join(copy, 'large.bin'))) === digest)
  const locked = await run(copy, home, 'git', 'lfs', 'lock', 'large.bin')
  check('a lock', /Locked large\.bin/.test(locked))
  check('its list', /large\.bin/.test(await run(copy, home, 'git', 'lfs', 'locks')))
  check(
    'its end',
    /Unlocked/.test(await run(copy, home, 'git', 'lfs', 'unlock', '--force', 'large.bin')),
  )
  return { digest, size: megabytes * 1024 ** 2 }
}

/** Whoever knows a digest gets nothing for it in a repository of their own. */
async function strangersDigest(url: string, token: string, file: { digest: string; size: number }) {
  const batch = async (operation: 'download' | 'upload') => {
    const answer = await fetch(`${url}/info/lfs/objects/batch`, {
      method: 'POST',
      headers: {
        accept: 'application/vnd.git-lfs+json',
        'content-type': 'application/vnd.git-lfs+json',
        authorization: `Basic ${btoa(`x:${token}`)}`,
      },
      body: JSON.stringify({
        operation,
        transfers: ['basic'],
        objects: [{ oid: file.digest, size: file.size }],
      }),
    })
    type Batch = { objects: { actions?: Record<string, unknown>; error?: { code: number } }[] }
    return ((await answer.json()) as Batch).objects[0]
  }
  const down = await batch('download')
  check('the digest of a file elsewhere gives nothing', down?.error?.code === 404 && !down.actions)
  const up = await batch('upload')
  check('and does not spare the upload', up?.actions?.upload !== undefined)
}

if (import.meta.main)
  await runScript('bun test/system/lfs-clients.ts [options]', OPTIONS, async (options) => {
    const root = mkdtempSync(join(tmpdir(), 'hearth-lfs-'))
    const data = join(root, 'data')
    const tokens = await seedPeople(data, 'acme', ['ada', 'otto'])
    const forge = await startForge({
      executable: requireBuilt(options.executable),
      data,
      log: join(root, 'log'),
    })
    try {
      const create = (person: string, name: string) =>
        fetch(`${forge.url}/api/v1/repos`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${tokens.get(person) ?? ''}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ workspace: 'acme', name, private: true }),
        })
      await create('ada', 'films')
      await create('ada', 'other')
      const home = join(root, 'home')
      mkdirSync(home)
      writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.com\n')
      await run(home, home, 'git', 'lfs', 'install', '--skip-repo')
      const token = tokens.get('ada') ?? ''
      const url = withToken(`${forge.url}/acme/films.git`, token)
      const file = await largeFile(url, forge.pid, home, Number(options.megabytes))
      await strangersDigest(`${forge.url}/acme/other.git`, token, file)
    } finally {
      await forge.stop()
      rmSync(root, { recursive: true, force: true })
    }
    process.stdout.write(`${failures} failures\n`)
    return failures === 0 ? 0 : 1
  })
