/** A started sandbox waits for the next job of the same kind. */
import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JobKind } from '#src/runner/waiting-job.ts'
import { LIMITS, makeRunner } from './runners.ts'

const { runner, directory } = await makeRunner({ keepsOneWaiting: true })
const SITE: JobKind = { name: 'site', limits: LIMITS, network: 'none', hasDoor: false }

const waiting = (): string[] => readdirSync(directory).filter((name) => name.startsWith('waiting-'))

/** Resolves when one waits whose sandbox runs: bubblewrap has written its status. */
async function oneWaits(): Promise<string> {
  for (let n = 0; n < 1_000; n++) {
    const [id] = waiting()
    const status = id === undefined ? null : Bun.file(join(directory, id, 'status'))
    if (id !== undefined && (await status?.exists()) && (await status?.text())?.includes('pid'))
      return id
    await Bun.sleep(20)
  }
  throw new Error('none waits')
}

/** Runs a job of one step. Returns its directory's name and what the step printed. */
async function run(
  id: string,
  kind: JobKind,
  script: string,
): Promise<{ id: string; text: string }> {
  const place = await runner.createJobDirectory(id, kind)
  writeFileSync(join(place.work, 'input', 'event.json'), id)
  writeFileSync(join(place.build, 'file'), 'written by the server')
  const { network, ...rest } = kind
  const job = await runner.openJob({
    directory: place,
    env: {},
    ...rest,
    network: network ?? 'none',
  })
  let text = ''
  await job.step({ script, output: (bytes) => void (text += Buffer.from(bytes).toString('utf8')) })
  await job.close()
  await runner.removeDirectory(place)
  return { id: place.id, text: text.trim() }
}

test('the next job of the kind gets the sandbox that waits, with its own files', async () => {
  const first = await run('first', SITE, 'echo one >/tmp/left; pwd')
  expect(first.id).toBe('first')
  const id = await oneWaits()
  const second = await run(
    'second',
    SITE,
    'cat "$1/../../event.json"; echo; cat /tmp/left 2>&1; echo more >>file && cat file; pwd',
  )
  expect(second.id).toBe(id)
  expect(second.text.split('\n')).toEqual([
    'second',
    'cat: /tmp/left: No such file or directory',
    'written by the servermore',
    first.text,
  ])
  expect(existsSync(join(directory, id))).toBe(false)
})

test('a job of another kind has its own, and the one that waited is gone', async () => {
  await run('third', SITE, 'true')
  const id = await oneWaits()
  const other = await run('other', { ...SITE, name: 'tool' }, 'pwd')
  expect(other).toEqual({ id: 'other', text: '/work/tool/tool' })
  expect(existsSync(join(directory, id))).toBe(false)
})

test('a job whose waiting sandbox was killed starts another', async () => {
  await run('fourth', SITE, 'true')
  const id = await oneWaits()
  const status = await Bun.file(join(directory, id, 'status')).text()
  const first = Number(/"child-pid": *(\d+)/.exec(status)?.[1])
  const stat = readFileSync(`/proc/${first}/stat`, 'utf8')
  const outer = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
  process.kill(first, 'SIGKILL')
  // Its parent, which this process has started, ends with it.
  while (existsSync(`/proc/${outer}`)) await Bun.sleep(5)
  expect(await run('fifth', SITE, 'echo fine')).toEqual({ id, text: 'fine' })
})
