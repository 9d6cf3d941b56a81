/**
 * From the setup link to a pushed repository, as a person goes who knows nothing of this forge:
 * `bun test/system/first-run.ts`. It starts the
 * built executable in an empty directory, reads only what the pages show, presses what they offer,
 * and runs the lines that they give with
 * real git. Prints each step with its time, and how many fields, presses and pasted lines it took.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHROMIUM } from '../../scripts/support/chromium.ts'
import { chromium } from 'playwright-core'

const root = join(import.meta.dir, '../..')
const executable = join(root, 'dist', 'hearth')
const MOST_SECONDS = 120

export type FirstRun = {
  readonly steps: readonly { readonly name: string; readonly ms: number }[]
  readonly fields: number
  readonly presses: number
  readonly pastes: number
  readonly ms: number
}

async function waitForLines(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (!/setup: \S+\n/.test(text)) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`it ended early: ${text}`)
    text += decoder.decode(value, { stream: true })
  }
  reader.releaseLock()
  return text
}

/** Walks the whole way once. Throws where a page does not offer what comes next. */
export async function firstRun(
  command: readonly string[] = [executable],
  cwd?: string,
): Promise<FirstRun> {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-first-'))
  const child = Bun.spawn(
    [...command, 'serve', '--listen', '127.0.0.1:0', '--data', join(directory, 'data')],
    {
      cwd: cwd ?? directory,
      env: { PATH: '/nonexistent', HOME: '/nonexistent' },
      stdout: 'pipe',
      stderr: 'ignore',
    },
  )
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  try {
    const began = performance.now()
    let last = began
    const steps: { name: string; ms: number }[] = []
    const counts = { fields: 0, presses: 0, pastes: 0 }
    const step = (name: string): void => {
      const now = performance.now()
      steps.push({ name, ms: now - last })
      last = now
    }
    const setup = /setup: (\S+)/.exec(await waitForLines(child.stdout))?.[1] ?? ''
    step('it listens and prints the setup link')
    const page = await browser.newPage()
    const type = async (name: string, value: string): Promise<void> => {
      counts.fields++
      await page.fill(`main [name=${name}]`, value)
    }
    const press = async (name: string): Promise<void> => {
      counts.presses++
      await page.getByRole('main').getByRole('button', { name, exact: true }).click()
    }
    await page.goto(setup)
    await type('username', 'ada')
    await type('email', 'ada@example.com')
    await type('password', 'correct horse battery')
    await press('Create account')
    await page.getByText('Three steps to your first push').waitFor()
    step('the first account')
    await type('name', 'site')
    await press('Create repository')
    await page.getByText('This repository is empty').waitFor()
    step('a repository')
    await press('Create a token')
    await page.locator('#token-secret').waitFor()
    const lines = await page
      .locator('.commands', { hasText: 'git remote add' })
      .locator('code')
      .innerText()
    step('a token, and the lines with it')
    const work = join(directory, 'work')
    const run = async (script: string): Promise<void> => {
      const git = Bun.spawn(['sh', '-ec', script], {
        cwd: directory,
        stdout: 'ignore',
        stderr: 'pipe',
        env: {
          PATH: process.env.PATH ?? '',
          HOME: directory,
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_TERMINAL_PROMPT: '0',
          GIT_AUTHOR_NAME: 'Ada',
          GIT_AUTHOR_EMAIL: 'ada@example.com',
          GIT_COMMITTER_NAME: 'Ada',
          GIT_COMMITTER_EMAIL: 'ada@example.com',
        },
      })
      if ((await git.exited) !== 0) throw new Error(await new Response(git.stderr).text())
    }
    await run(`git init -q -b main ${work}`)
    writeFileSync(join(work, 'README.md'), '# Site\n\nIt is here.\n')
    await run(`cd ${work} && git add . && git commit -qm Begin`)
    step('(a project of one’s own)')
    counts.pastes++
    await run(`cd ${work} && ${lines.replaceAll('\n', ' && ')}`)
    step('git push, with the lines as they stand there')
    // Nothing is pressed: the page that waits shows what came.
    await page.getByText('It is here.').waitFor()
    step('the page shows the files by itself')
    return { steps, ...counts, ms: performance.now() - began }
  } finally {
    await browser.close()
    child.kill()
    await child.exited
    rmSync(directory, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  if (!existsSync(executable)) throw new Error('build it first: bun scripts/build.ts')
  const { steps, fields, presses, pastes, ms } = await firstRun()
  for (const { name, ms: taken } of steps)
    process.stdout.write(`${(taken / 1000).toFixed(2).padStart(7)} s  ${name}\n`)
  process.stdout.write(
    `${(ms / 1000).toFixed(2).padStart(7)} s  in all; ${fields} fields, ${presses} presses, ${pastes} paste\n`,
  )
  if (ms > MOST_SECONDS * 1000) {
    process.stderr.write(`longer than ${MOST_SECONDS} seconds\n`)
    process.exit(1)
  }
}
