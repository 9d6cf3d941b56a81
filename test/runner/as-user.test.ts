import { afterAll, expect, test } from 'bun:test'
import type { Isolation } from '#runner'
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A user of no other use. */
const UID = 61_000

type Answer = {
  isolation: Isolation
  job: { steps: string; gone: boolean }
  results: { ended: string; exit_code: number | null; text: string; gone: boolean }[]
}

const directory = mkdtempSync(join(tmpdir(), 'hearth-as-user-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

// The script is read by that user too, who may see nothing of where the tests are: it is one file,
// in a folder of its own.
const built = await Bun.build({
  entrypoints: [join(import.meta.dir, 'as-user.ts')],
  target: 'bun',
  outdir: directory,
})

test.each([
  ['that of the system', 'any', 'system'],
  ['the one of the executable', 'bundled', 'bundled'],
])(
  'holds all the same where the server is an ordinary user, with %s',
  async (_, choice, origin) => {
    expect(built.success).toBe(true)
    const isRoot = process.getuid?.() === 0
    const bun = join(directory, 'bun')
    await Bun.write(bun, Bun.file(process.execPath))
    for (const path of [bun, directory]) chmodSync(path, 0o755)
    if (isRoot) chownSync(directory, UID, UID)
    const child = Bun.spawn(
      [
        ...(isRoot ? ['setpriv', `--reuid=${UID}`, `--regid=${UID}`, '--clear-groups'] : []),
        bun,
        join(directory, 'as-user.js'),
        join(directory, 'data'),
        choice,
      ],
      {
        cwd: directory,
        env: { PATH: '/usr/bin:/bin', SECRET_OF_THE_SERVER: 'x' },
        stdout: 'pipe',
        stderr: 'pipe',
      },
    )
    const [text, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    expect(errors).toBe('')
    const { isolation, results, job } = JSON.parse(text) as Answer
    expect(isolation).toMatchObject({ kind: 'bubblewrap', user: 'same', origin })
    const [environment, bomb, memory, disk, rest] = results
    expect(environment).toMatchObject({
      exit_code: 0,
      text: expect.stringMatching(/^1000\nLANG,(OLDPWD,)?PATH,PWD,$/),
    })
    expect(bomb).toMatchObject({ ended: 'exited', text: expect.stringContaining('Cannot fork') })
    expect(memory).toMatchObject({ ended: 'memory', text: '' })
    expect(disk).toMatchObject({ ended: 'disk', text: '' })
    expect(rest).toMatchObject({
      exit_code: 4,
      text: expect.stringContaining('No such file'),
      gone: true,
    })
    expect(job.steps).toMatch(/Read-only file system\none\n.*No such file or directory\n1\n$/)
    expect(job.gone).toBe(true)
  },
  120_000,
)
