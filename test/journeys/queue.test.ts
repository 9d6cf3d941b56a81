/**
 * The merge queue as outsiders see it: real git, real commands in isolation, the built executable
 * killed while it tests, and started again on the same data.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import type { MergeQueue } from '#features/queue/schema.ts'
import { api, claim, git, startForge, visitor, withToken } from './forge.ts'

type Ask = ReturnType<typeof api>

const queueOf = async (ask: Ask): Promise<MergeQueue> =>
  (await ask('GET', '/repos/ada/site/queue')).body as MergeQueue

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await Bun.sleep(50)
}

test('what fails only together never lands, a kill loses nothing, and main is what was tested', async () => {
  const environment = { PATH: process.env.PATH ?? '' }
  const first = await startForge({ environment })
  const { page, context } = await visitor({ javaScript: false })
  const token = await claim(page, first)
  await context.close()
  let ask = api(first, token)
  expect(
    (await ask('POST', '/v1/repos', { workspace: 'ada', name: 'site', private: true })).status,
  ).toBe(200)

  const work = mkdtempSync(join(tmpdir(), 'hearth-queue-'))
  const remote = withToken(`${first.url}/ada/site.git`, token)
  await git(work, 'init', '-q', '-b', 'main')
  await Bun.write(join(work, 'README.md'), 'A site\n')
  await git(work, 'add', '.')
  await git(work, 'commit', '-q', '-m', 'Begin')
  await git(work, 'push', '-q', remote, 'main')
  expect((await ask('PATCH', '/repos/ada/site/settings', { merge_queue: true })).status).toBe(200)
  const numbers: number[] = []
  for (const [name, command] of [
    ['one', 'sleep 1'],
    ['two', 'sleep 1; test ! -e one.txt'],
    ['three', 'sleep 1; test -e README.md'],
  ] as const) {
    await git(work, 'switch', '-q', '-c', name, 'main')
    await Bun.write(join(work, `${name}.txt`), `${name}\n`)
    await git(work, 'add', '.')
    await git(work, 'commit', '-q', '-m', name)
    await git(work, 'push', '-q', remote, name)
    const { number: issue } = (
      await ask('POST', '/v1/repos/ada/site/issues', { title: `Add ${name}`, checks: [command] })
    ).body as { number: number }
    numbers.push(
      (
        (await ask('POST', '/v1/repos/ada/site/pulls', { issue, branch: name })).body as {
          pull: { number: number }
        }
      ).pull.number,
    )
  }
  for (const number of numbers) {
    await until(
      async () =>
        ((await ask('GET', `/v1/repos/ada/site/pulls/${number}`)).body as { checks_status: string })
          .checks_status !== 'pending',
    )
    const queued = (await ask('POST', `/v1/repos/ada/site/pulls/${number}/merge`, {})).body as {
      status: string
      queue: unknown
    }
    expect(queued).toMatchObject({ status: 'open', queue: { state: expect.any(String) } })
    if (number === numbers[1])
      expect(
        (await ask('POST', '/repos/ada/site/queue/pause', { reason: 'Wait for the third' })).status,
      ).toBe(200)
  }
  // Nothing lands while it is paused, so an entry that is tested stays where it is.
  await until(async () => (await queueOf(ask)).waiting.some(({ state }) => state !== 'queued'))
  first.child.kill('SIGKILL')
  await first.child.exited

  const second = await startForge({ directory: first.directory, environment, setup: false })
  ask = api(second, token)
  await ask('POST', '/repos/ada/site/queue/resume')
  await until(async () => (await queueOf(ask)).waiting.length === 0)
  const { recent } = await queueOf(ask)
  const of = (number: number | undefined) => recent.find(({ pull }) => pull.number === number)
  const [one, two, three] = numbers.map(of)
  expect([one?.state, two?.state, two?.reason, three?.state]).toEqual([
    'landed',
    'failed',
    'checks_failed',
    'landed',
  ])
  expect(two?.checks.results[0]).toMatchObject({ status: 'failed', exit_code: 1 })

  const clone = join(work, 'clone')
  await git(work, 'clone', '-q', withToken(`${second.url}/ada/site.git`, token), clone)
  const line = (await git(clone, 'log', '--first-parent', '--format=%H', 'main')).trim().split('\n')
  expect(line.slice(0, 2)).toEqual([three?.candidate_sha ?? '', one?.candidate_sha ?? ''])
  expect((await git(clone, 'ls-tree', '--name-only', 'main')).trim().split('\n')).toEqual([
    'README.md',
    'one.txt',
    'three.txt',
  ])
  expect((await git(clone, 'rev-parse', 'main^{tree}')).trim()).toBe(three?.candidate_tree ?? '')
  // Nothing of the queue is there to be fetched.
  expect(await git(clone, 'ls-remote', 'origin')).not.toMatch(/queue|candidate/)
  await second.stop()
  rmSync(work, { recursive: true, force: true })
  second.remove()
}, 120_000)
