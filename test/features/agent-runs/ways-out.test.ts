/** The ways out of `ways-out-cases.ts` from the sandbox of the built-in agent. None leads anywhere. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'bun:test'
import { makeRunWorld, use } from './fixture.ts'
import { lineFor, readLines, WAYS_OUT, type Place } from './ways-out-cases.ts'

const PER_CALL = 12
/** So many must be tried whatever programs the machine lacks. */
const MIN_TRIED = 40

describe('ways out of the sandbox', () => {
  const seen = new Map<number, string>()
  let asked: readonly { readonly path: string }[] = []
  let outside = new Map<string, number | null>()

  beforeAll(async () => {
    let place: Place = { data: '', port: '', pid: 0 }
    const call = (from: number) => () => {
      const lines = WAYS_OUT.slice(from, from + PER_CALL).map((way, at) =>
        lineFor(way, from + at, place),
      )
      return use('run', { command: lines.join('\n') })
    }
    const steps = Array.from({ length: Math.ceil(WAYS_OUT.length / PER_CALL) }, (_, at) =>
      call(at * PER_CALL),
    )
    const { world, assign, entries, provider } = await makeRunWorld(steps)
    place = { data: world.data, port: new URL(provider.url).port, pid: process.pid }
    const { pull } = await assign()
    await world.jobs()
    for (const { kind, text } of await entries(pull.number))
      if (kind === 'result') for (const [at, word] of readLines(text)) seen.set(at, word)
    asked = [...provider.asked]
    outside = await tryOutside(place)
  }, 300_000)

  for (const [number, { what }] of WAYS_OUT.entries())
    test(`${number + 1}: ${what}`, () => {
      expect(['SHUT', 'MISSING']).toContain(seen.get(number) ?? 'not tried')
    })

  test('forty of them and more were tried', () => {
    const tried = [...seen.values()].filter((word) => word === 'SHUT')
    expect(tried.length).toBeGreaterThanOrEqual(MIN_TRIED)
  })

  test('only the model was asked: no command has reached its server', () => {
    expect(asked.every(({ path }) => path.endsWith('/chat/completions'))).toBe(true)
  })

  test('without the sandbox those that harm nothing lead out', () => {
    expect(outside.size).toBeGreaterThanOrEqual(10)
    expect([...outside].filter(([, status]) => status !== 0)).toEqual([])
  })
})

/** The exit status of each way that may be tried here, where its programs are. */
async function tryOutside(place: Place): Promise<Map<string, number | null>> {
  const folder = mkdtempSync(join(tmpdir(), 'ways-out-'))
  const statuses = new Map<string, number | null>()
  try {
    for (const { what, command, programs, control } of WAYS_OUT) {
      if (!control || programs.some((name) => Bun.which(name) === null)) continue
      const child = Bun.spawn(['timeout', '10', 'sh', '-c', command(place)], {
        cwd: folder,
        env: { ...process.env, HEARTH_WAY_OUT: 'seen' },
        stdout: 'ignore',
        stderr: 'ignore',
      })
      statuses.set(what, await child.exited)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return statuses
}
