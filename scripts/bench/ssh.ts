/**
 * SSH beside HTTP at one forge, in turn in one run: a clone that is packed anew, a fetch of nothing
 * and a push of one commit. Prints what the client waits and the processor time of the forge, each
 * over SSH divided by the same over HTTP. The client is git with OpenSSH; each command signs in. Then
 * what a stranger who tries both doors all the time costs the forge, and those who work; and what
 * many connections at once cost.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './forge/wrk.ts'
import { cpuOf } from './git/processes.ts'
import { generate } from './git/repositories.ts'
import { startHearth, type Hearth } from './git/servers.ts'
import { EXECUTABLE, OWNER, requireBuilt } from '../support/forge.ts'
import { git, withToken } from '../support/git.ts'
import { runScript, type Option } from '../support/options.ts'
import { freePort } from '../support/ports.ts'
import { clonesRow, idleRow } from './ssh/many.ts'

const OPTIONS = {
  megabytes: { kind: 'count', default: '30', help: 'MB of the repository.' },
  rounds: { kind: 'count', default: '7', help: 'How often everything is measured.' },
  probes: { kind: 'count', default: '500', help: 'Attempts of a stranger a minute at each door.' },
  idle: { kind: 'count', default: '1000', help: 'Connections that are signed in and idle.' },
  clones: { kind: 'count', default: '50', help: 'Clones at once.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

/** What the forge does after its answer counts as well. */
const SETTLE_MS = 300

type Taken = { readonly wall: number; readonly cpu: number }
type Door = { readonly name: 'SSH' | 'HTTP'; readonly address: string }
type Scenario = {
  readonly name: string
  /** One measurement runs it so often, because the processor clock of short ones is coarse. */
  readonly repeat: number
  readonly run: (door: Door, at: number) => Promise<void>
}

async function measure({ pid }: Hearth, { repeat, run }: Scenario, door: Door): Promise<Taken> {
  const used = cpuOf(pid)
  const began = performance.now()
  for (let at = 0; at < repeat; at++) await run(door, at)
  const wall = (performance.now() - began) / 1000
  await Bun.sleep(SETTLE_MS)
  return { wall: wall / repeat, cpu: (cpuOf(pid) - used) / repeat }
}

/** The scenarios over a copy of the repository that is pushed to both doors. */
function scenariosOf(directory: string, copy: string, command: string): Scenario[] {
  const ssh = ['-c', `core.sshCommand=${command}`]
  let made = 0
  return [
    {
      name: 'Clone',
      repeat: 1,
      run: async ({ address }) => {
        const into = join(directory, `clone-${made++}`)
        await git(directory, ...ssh, 'clone', '-q', '--bare', address, into)
        rmSync(into, { recursive: true, force: true })
      },
    },
    {
      name: 'Fetch of nothing',
      repeat: 10,
      run: async ({ address }) => {
        await git(copy, ...ssh, 'fetch', '-q', address, 'refs/heads/*:refs/heads/*')
      },
    },
    {
      name: 'Push of one commit',
      repeat: 5,
      run: async ({ name, address }) => {
        const commit = await git(
          copy,
          'commit-tree',
          'HEAD^{tree}',
          '-p',
          'HEAD',
          '-m',
          `${made++}`,
        )
        await git(
          copy,
          ...ssh,
          'push',
          '-q',
          address,
          `${commit.trim()}:refs/heads/${name}-${made}`,
        )
      },
    },
  ]
}

async function rowOf(
  hearth: Hearth,
  scenario: Scenario,
  doors: readonly Door[],
  rounds: number,
): Promise<string> {
  const taken: Record<Door['name'], Taken[]> = { SSH: [], HTTP: [] }
  for (const door of doors) await measure(hearth, scenario, door)
  for (let round = 0; round < rounds; round++)
    for (const door of doors) taken[door.name].push(await measure(hearth, scenario, door))
  const cell = (kind: keyof Taken): string => {
    const [ssh, http] = [taken.SSH, taken.HTTP].map((all) => median(all.map((one) => one[kind])))
    const ms = (seconds = 0): string => `${(seconds * 1000).toFixed(seconds < 0.1 ? 1 : 0)} ms`
    return `${((ssh ?? 0) / (http || 1)).toFixed(2)} (${ms(ssh)} / ${ms(http)})`
  }
  return `| ${scenario.name} | ${cell('cpu')} | ${cell('wall')} |`
}

/** Strangers are counted by their address, so this one has another than those who work. */
const STRANGER = '127.9.9.9'

/** Sends a text and reads so many bytes of the answer, or all of it. */
function probe(port: number, text: string, maxBytes: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect({ port, host: '127.0.0.1', localAddress: STRANGER })
  let bytes = 0
  socket.on('connect', () => socket.write(text))
  socket.on('data', (data) => {
    bytes += data.length
    if (bytes > maxBytes) socket.destroy()
  })
  socket.on('error', () => {})
  socket.on('close', () => resolve())
  return promise
}

/** Tries both doors of the forge until it is stopped. Answers how often. */
function startStranger(
  { url }: Hearth,
  port: number,
  attemptsPerMinute: number,
): () => Promise<number> {
  let attempts = 0
  const running = new Set<Promise<void>>()
  const begin = (attempt: Promise<void>): void => {
    running.add(attempt)
    void attempt.finally(() => running.delete(attempt))
  }
  const { host, port: httpPort } = new URL(url)
  const timer = setInterval(() => {
    const password = btoa(`root:password-${attempts++}`)
    // Scanners of SSH read the banner and the list of algorithms.
    begin(probe(port, 'SSH-2.0-probe\r\n', 300))
    begin(
      probe(
        Number(httpPort),
        `GET /${OWNER.workspace}/bench.git/info/refs?service=git-upload-pack HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Basic ${password}\r\nConnection: close\r\n\r\n`,
        1 << 20,
      ),
    )
  }, 60_000 / attemptsPerMinute)
  return async () => {
    clearInterval(timer)
    await Promise.all(running)
    return attempts
  }
}

const STRANGER_SECONDS = 20

async function strangerRows(
  hearth: Hearth,
  port: number,
  scenario: Scenario,
  doors: readonly Door[],
  { rounds, probes }: { rounds: number; probes: number },
): Promise<string[]> {
  const idle = cpuOf(hearth.pid)
  await Bun.sleep(STRANGER_SECONDS * 1000)
  const began = cpuOf(hearth.pid)
  const stop = startStranger(hearth, port, probes)
  await Bun.sleep(STRANGER_SECONDS * 1000)
  const attempts = await stop()
  const used = cpuOf(hearth.pid) - began - (began - idle)
  const waits: Record<'alone' | 'beside', Record<Door['name'], number[]>> = {
    alone: { SSH: [], HTTP: [] },
    beside: { SSH: [], HTTP: [] },
  }
  for (let round = 0; round < rounds; round++)
    for (const door of doors) {
      waits.alone[door.name].push((await measure(hearth, scenario, door)).wall)
      const end = startStranger(hearth, port, probes)
      waits.beside[door.name].push((await measure(hearth, scenario, door)).wall)
      await end()
    }
  const ratio = ({ name }: Door): string => {
    const [beside, alone] = [median(waits.beside[name]), median(waits.alone[name])]
    return `${(beside / alone).toFixed(2)} (${(beside * 1000).toFixed(1)} / ${(alone * 1000).toFixed(1)} ms)`
  }
  return [
    `| Processor time for them | ${((used / STRANGER_SECONDS) * 100).toFixed(1)} % of a core, ${((used / attempts) * 1000).toFixed(2)} ms for one at each door |`,
    ...doors.map((door) => `| ${scenario.name} over ${door.name}, waiting | ${ratio(door)} |`),
  ]
}

await runScript('bun scripts/bench/ssh.ts [options]', OPTIONS, async (options) => {
  const say = (text: string): void => void process.stdout.write(`${text}\n`)
  const directory = mkdtempSync(join(tmpdir(), 'hearth-bench-ssh-'))
  const executable = join(directory, 'hearth')
  copyFileSync(requireBuilt(options.executable), executable)
  const port = freePort()
  const hearth = await startHearth(executable, join(directory, 'forge'), {
    environment: { HEARTH_SSH_LISTEN: `127.0.0.1:${port}`, HEARTH_GIT_KEPT_BYTES: '0' },
  })
  try {
    const key = join(directory, 'key')
    await Bun.$`ssh-keygen -q -N '' -t ed25519 -f ${key}`
    await hearth.api('POST', '/user/keys', {
      title: 'bench',
      key: await Bun.file(`${key}.pub`).text(),
    })
    say(`${availableParallelism()} cores, load of the machine ${loadavg()[0]?.toFixed(1)}`)
    await hearth.create('bench')
    // First, because what clones leave in memory is not that of connections.
    say('| Idle connections | |\n| --- | --- |')
    say(await idleRow(hearth, port, 'bench', Number(options.idle)))
    const copy = join(directory, 'copy.git')
    await generate(copy, Number(options.megabytes))
    const http = withToken(hearth.address('bench'), hearth.token)
    await git(copy, 'push', '-q', http, 'refs/heads/*:refs/heads/*')
    const doors: [Door, Door] = [
      { name: 'SSH', address: `ssh://git@127.0.0.1:${port}/${OWNER.workspace}/bench.git` },
      { name: 'HTTP', address: http },
    ]
    const command = `ssh -F /dev/null -i ${key} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR`
    say('\n| SSH beside HTTP | Processor time of the forge | Waiting |\n| --- | --- | --- |')
    const scenarios = scenariosOf(directory, copy, command)
    const rounds = Number(options.rounds)
    for (const scenario of scenarios) say(await rowOf(hearth, scenario, doors, rounds))
    const [, fetchOfNothing] = scenarios
    const probes = Number(options.probes)
    if (fetchOfNothing && probes > 0) {
      say(
        `\n| A stranger, ${probes} times a minute at each door | With them / without |\n| --- | --- |`,
      )
      const asked = { rounds, probes }
      for (const row of await strangerRows(hearth, port, fetchOfNothing, doors, asked)) say(row)
    }
    say('\n| Many at once | |\n| --- | --- |')
    const count = Number(options.clones)
    const [{ address }] = doors
    say(await clonesRow(hearth, { directory, command, address, count }))
    return 0
  } finally {
    await hearth.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
