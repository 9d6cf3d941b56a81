import { expect, test } from 'bun:test'
import { createRunner } from '#runner'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasEnded, LIMITS, makeRunner } from './runners.ts'

test('without walls, where that is wanted, commands run with the rights of the server', async () => {
  const { run, isolation } = await makeRunner({ isolation: 'none' })
  expect(isolation).toEqual({ kind: 'none' })
  expect(await run('pwd | grep -o "work/build"; id -u; echo $CI; exit 3')).toMatchObject({
    ended: 'exited',
    exit_code: 3,
    text: `work/build\n${process.getuid?.()}\ntrue\n`,
    gone: true,
  })
  const { text } = await run('env')
  expect(text).not.toContain('npm_')
  expect(text).not.toContain('BUN')
})

test('without walls, time, cancelling and output are limited all the same', async () => {
  const { run } = await makeRunner({ isolation: 'none' })
  expect(await run('sleep 4821 & sleep 4822', { limits: { timeMs: 500 } })).toMatchObject({
    ended: 'timed_out',
    exit_code: null,
  })
  const background = await run('setsid sleep 4823 & echo done')
  expect(background).toMatchObject({ ended: 'exited', exit_code: 0, text: 'done\n' })
  const long = await run('yes | head -c 3000000')
  expect(long.left_out).toBe(true)
  expect(long.text.length).toBeLessThan(400_000)
  for (const word of ['sleep 4821', 'sleep 4822']) expect(await hasEnded(word)).toBe(true)
})

test('sweeps what an earlier process left, and nothing else', async () => {
  const data = mkdtempSync(join(tmpdir(), 'hearth-sweep-'))
  const directory = join(data, 'checks')
  mkdirSync(join(directory, 'left', 'work', 'build'), { recursive: true })
  mkdirSync(join(data, 'other'))
  const runner = createRunner({
    directory,
    isolation: 'none',
    network: false,
    readable: [],
    hidden: [],
  })
  await runner.sweep()
  expect([...new Bun.Glob('*').scanSync({ cwd: data, onlyFiles: false })].sort()).toEqual([
    'checks',
    'other',
  ])
  expect([...new Bun.Glob('*').scanSync({ cwd: directory, onlyFiles: false })]).toEqual([])
  const place = await runner.createDirectory('one')
  expect(
    await runner.run({
      directory: place,
      command: 'echo fine',
      limits: LIMITS,
      env: {},
      output: () => {},
    }),
  ).toMatchObject({ exit_code: 0 })
  await expect(runner.createDirectory('../escape')).rejects.toThrow('not the name')
  rmSync(data, { recursive: true })
})
