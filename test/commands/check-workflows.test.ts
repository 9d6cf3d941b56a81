import { expect, test } from 'bun:test'
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROGRAM } from './program.ts'

const GOOD = 'on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{ run: x }]\n'

async function check(cwd: string, ...args: string[]) {
  const child = Bun.spawn([...PROGRAM, 'check-workflows', ...args], {
    cwd,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: '/nonexistent', HOME: '/nonexistent' },
  })
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, error, status }
}

test('hearth check-workflows prints each error with its place, and says so by its status', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-workflows-'))
  try {
    const github = join(folder, '.github/workflows')
    mkdirSync(github, { recursive: true })
    writeFileSync(join(github, 'ci.yml'), GOOD.replace('steps', 'stesp'))
    writeFileSync(join(github, 'good.yaml'), `permissions: { pages: write }\n${GOOD}`)
    writeFileSync(join(github, 'notes.txt'), 'not a workflow')
    expect(await check(folder)).toEqual({
      out: ".github/workflows/ci.yml:5:5: Unexpected value 'stesp'\n.github/workflows/good.yaml:1:16: warning: The permission pages grants nothing here\n1 of 2 files have errors\n",
      error: '',
      status: 1,
    })
    // Several paths, and no sum.
    const named = await check(folder, '--quiet', '.github/workflows/good.yaml', '.github/workflows')
    expect(named.out).toBe(".github/workflows/ci.yml:5:5: Unexpected value 'stesp'\n")
    // The folder of this forge wins over the other.
    mkdirSync(join(folder, '.hearth/workflows'), { recursive: true })
    writeFileSync(join(folder, '.hearth/workflows/ci.yml'), GOOD)
    expect(await check(folder)).toEqual({ out: '1 file is valid\n', error: '', status: 0 })
    const missing = await check(folder, 'nowhere')
    expect(missing).toEqual({ out: '', error: 'hearth: nowhere does not exist\n', status: 1 })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
