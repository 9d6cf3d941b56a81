/**
 * Memory of the forge while a large pack comes in and others clone, and how long a small request
 * waits meanwhile.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../../support/git.ts'
import { gitTo } from './client.ts'
import { cpuOf, watchMemory } from './processes.ts'
import { numbers } from './repositories.ts'
import { startHearth } from './servers.ts'

const BLOB = 8_000_000

/** A bare repository with one commit of incompressible files, of so many MB. */
async function large(path: string, megabytes: number): Promise<void> {
  await git('/', 'init', '-q', '--bare', path)
  const child = Bun.spawn(
    [
      'git',
      '-C',
      path,
      '-c',
      'core.bigFileThreshold=1m',
      '-c',
      'pack.compression=0',
      'fast-import',
      '--quiet',
    ],
    { stdin: 'pipe', stdout: 'inherit', stderr: 'inherit' },
  )
  const random = numbers(megabytes)
  child.stdin.write(
    'commit refs/heads/main\ncommitter Ada <ada@example.com> 1700000000 +0000\ndata 3\none\n',
  )
  const data = Buffer.allocUnsafe(BLOB)
  for (let i = 0; i + 4 <= BLOB; i += 4) data.writeUInt32LE(Math.floor(random() * 4294967296), i)
  for (let at = 0; at * BLOB < megabytes * 1e6; at++) {
    // Each file differs everywhere, so that no delta is to be had and nothing is there twice.
    const key = Math.floor(random() * 4294967296)
    for (let i = 0; i + 4 <= BLOB; i += 4)
      data.writeUInt32LE((Math.imul(data.readUInt32LE(i) ^ key, 0x9e3779b1) + i) >>> 0, i)
    child.stdin.write(`M 100644 inline part${at % 16}/file${at}.bin\ndata ${BLOB}\n`)
    child.stdin.write(data)
    child.stdin.write('\n')
    await child.stdin.flush()
  }
  child.stdin.write('done\n')
  await child.stdin.end()
  if ((await child.exited) !== 0) throw new Error('git fast-import failed')
  await git(path, 'symbolic-ref', 'HEAD', 'refs/heads/main')
}

/**
 * Asks for one small thing again and again until told to stop; gives the milliseconds that each
 * answer took.
 */
function askAlong(url: string, token: string): () => Promise<number[]> {
  const waits: number[] = []
  let going = true
  const done = (async () => {
    while (going) {
      const began = performance.now()
      const response = await fetch(`${url}/api/v1/user`, {
        headers: { authorization: `Bearer ${token}` },
      })
      await response.arrayBuffer()
      if (response.status !== 200)
        throw new Error(`a small request was answered with ${response.status}`)
      waits.push(performance.now() - began)
      await Bun.sleep(5)
    }
  })()
  return async () => {
    going = false
    await done
    return waits.sort((a, b) => a - b)
  }
}

/**
 * Pushes a pack of so many MB while four clients clone what is there already, then clones it four
 * times at once.
 */
export async function memoryReport(
  executable: string,
  directory: string,
  megabytes: number,
): Promise<string> {
  mkdirSync(directory, { recursive: true })
  const source = join(directory, 'source.git')
  const hearth = await startHearth(executable, join(directory, 'hearth'))
  try {
    const small = join(directory, 'small.git')
    await large(source, megabytes)
    await large(small, Math.min(megabytes, 300))
    await hearth.create('small')
    await hearth.create('large')
    await gitTo(hearth, '-C', small, 'push', '-q', '--mirror', hearth.address('small'))
    const report: string[] = []
    const phase = async (name: string, work: () => Promise<unknown>): Promise<void> => {
      const stopAsking = askAlong(hearth.url, hearth.token)
      const most = watchMemory(hearth.pid)
      const [used, began] = [cpuOf(hearth.pid), performance.now()]
      await work()
      const [cpu, wall] = [cpuOf(hearth.pid) - used, (performance.now() - began) / 1000]
      const waits = await stopAsking()
      const at = (share: number): string =>
        (waits[Math.floor(waits.length * share)] ?? 0).toFixed(0)
      report.push(
        `${megabytes} MB, ${name}: at most ${most().toFixed(0)} MiB resident; ${wall.toFixed(1)} s, ${cpu.toFixed(1)} s of CPU; small requests p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(0.9999)} ms of ${waits.length}`,
      )
    }
    const clone = async (name: string, at: number): Promise<void> => {
      const path = join(directory, `clone-${name}-${at}`)
      await gitTo(hearth, 'clone', '-q', '--bare', hearth.address(name), path)
      rmSync(path, { recursive: true })
    }
    await phase('a push and four clones at once', () =>
      Promise.all([
        gitTo(hearth, '-C', source, 'push', '-q', '--mirror', hearth.address('large')),
        ...[1, 2, 3, 4].map((at) => clone('small', at)),
      ]),
    )
    await phase('four clones at once', () =>
      Promise.all([1, 2, 3, 4].map((at) => clone('large', at))),
    )
    return report.join('\n')
  } finally {
    await hearth.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
