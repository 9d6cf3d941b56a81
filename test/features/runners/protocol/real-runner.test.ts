/**
 * Gitea's runner itself, where `HEARTH_RUNNER` names its program: it registers, and runs a matrix
 * with outputs, secrets and annotations on this machine.
 */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRunner } from '#features/runners/create-runner.ts'
import { setSecret } from '#features/variables/set-secret.ts'
import { makeWireWorld, REPO } from './wire.ts'

const program = process.env.HEARTH_RUNNER

const FILE = `name: CI
on: push
jobs:
  build:
    runs-on: linux
    strategy: { matrix: { os: [north, south] } }
    outputs: { made: '\${{ steps.make.outputs.x }}' }
    steps:
      - id: make
        name: Make \${{ matrix.os }}
        env: { KEY: '\${{ secrets.KEY }}' }
        run: |
          echo "of \${{ matrix.os }} \${{ strategy.job-total }} $KEY $GITHUB_REPOSITORY"
          echo "::warning file=a.js,line=2::careful"
          echo "x=7" >>"$GITHUB_OUTPUT"
      - { run: exit 3, continue-on-error: true }
  after:
    needs: build
    runs-on: linux
    steps: [{ run: 'echo "made \${{ needs.build.outputs.made }}"; exit 2' }]
`

test.skipIf(program === undefined)('a real runner runs a matrix', async () => {
  const { world, ada, url, push, run, jobs, text } = await makeWireWorld()
  await world.call(setSecret, ada, { ...REPO, setting: 'KEY', value: 'top-secret-key' })
  const { token } = await world.call(createRunner, ada, { ...REPO, name: 'real' })
  const cwd = mkdtempSync(join(tmpdir(), 'hearth-runner-'))
  writeFileSync(join(cwd, 'c.yaml'), 'runner: { capacity: 2 }\ncache: { enabled: false }\n')
  const start = (...args: string[]) =>
    Bun.spawn([program ?? '', '-c', 'c.yaml', ...args], {
      cwd,
      env: { ...process.env, HOME: cwd },
      stdout: 'ignore',
      stderr: 'ignore',
    })
  const address = ['--instance', url, '--token', token, '--name', 'real']
  const registered = start('register', '--no-interactive', ...address, '--labels', 'linux:host')
  expect(await registered.exited).toBe(0)
  const daemon = start('daemon')
  afterAll(() => daemon.kill())
  await push(FILE)
  while ((await run())?.status !== 'completed') {
    await world.jobs()
    await Bun.sleep(200)
  }
  expect((await run())?.conclusion).toBe('failure')
  const [north, south, after] = await jobs()
  for (const [job, os] of [[north, 'north'] as const, [south, 'south'] as const]) {
    expect(job?.steps.map(({ name, conclusion }) => [name, conclusion])).toEqual([
      [`Make ${os}`, 'success'],
      ['Run exit 3', 'success'],
    ])
    expect(job?.annotations[0]).toMatchObject({ level: 'warning', step: 1, message: 'careful' })
    const lines = await text(job?.id ?? '')
    expect(lines).toContain(`of ${os} 2 *** acme/site`)
    expect(lines.join('\n')).not.toContain('top-secret-key')
  }
  expect(after?.conclusion).toBe('failure')
  expect(await text(after?.id ?? '')).toContain('made 7')
})
